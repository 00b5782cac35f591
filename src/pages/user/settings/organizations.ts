import { onOrganizationAsMember } from "../../../access/policies/organizations.ts"
import { type Me, signedIn } from "../../../access/policies/site.ts"
import type { Refusal } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Page as ListPage, Request } from "../../../core/operation.ts"
import { moved, type Page, page, type Reader, type Shown } from "../../../core/page.ts"
import { removeMember } from "../../../features/people/organizations/rules.ts"
import { findOrganizationsOf } from "../../../features/people/organizations/store.ts"
import { empty, pager, personWithAvatar, rowsOr } from "../../../web/components.ts"
import { formButton } from "../../../web/form.ts"
import { problem } from "../../../web/problem.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const MINE = `${SETTINGS_PATH}/organization` as const

type Call = Request & Me & { readonly page: ListPage; readonly reader: Reader }

const mine: Page = page({
  id: "personal.organizations",
  address: `GET ${MINE}`,
  access: signedIn,
  answer: (call) => list(call),
})

async function list({ db, actor, me, page, reader }: Call, refusal?: Refusal): Promise<Shown> {
  const { rows, total } = await findOrganizationsOf(db, actor, me.id, page)
  return personalSettings({
    part: "organizations",
    title: t("Organizations"),
    body: html`
      <h1>Organizations</h1>
      ${problem(refusal)}
      ${rowsOr(
        rows,
        (row) =>
          html`
            <li>
              <div class="main">
                <span class="title">${personWithAvatar(row)}</span>
                ${row.full_name !== "" && html`<span class="muted" dir="auto">${row.full_name}</span>`}
              </div>
              ${formButton(leave, { org: row.name }, html`Leave<span class="hidden-text"> ${row.name}</span>`)}
            </li>
          `,
        empty("organization", t("You aren’t a member of any organization"), t("Owners of an organization add you to one of its teams.")),
      )}
      ${pager(reader.url, page, total)}
      <p class="muted">Leaving an organization removes you from its teams, with the access that they give.</p>
    `,
  })
}

const leave: Page = page({
  id: "personal.leaveOrganization",
  address: `POST ${MINE}/{org}/leave`,
  access: onOrganizationAsMember,
  again: (call, refusal) => list({ ...call, reader: { ...call.reader, url: MINE } }, refusal),
  answer: async ({ services, me, organization }) => {
    await services.database.write((tx) => removeMember(tx, organization.id, me.id, me))
    return moved(MINE, { flash: t("You have left {name}.", { name: organization.name }) })
  },
})

/** The organisations that a person is in. */
export const membershipPages: readonly Page[] = [mine, leave]
