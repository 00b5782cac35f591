import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { type Page, page, type Reader } from "../../../core/page.ts"
import { type DeedRow, type DeedsOf, listDeeds } from "../../../features/people/sign-in/credentials/deeds-store.ts"
import { tokenOf } from "../../../features/people/sign-in/credentials/operations.ts"
import { empty, pager, person, table } from "../../../web/components.ts"
import { time } from "../../../web/time.ts"
import { organizationSettings } from "../../organization/settings-frame.ts"
import { settingsPage } from "../../repository/settings/frame.ts"
import { personalSettings, SETTINGS_PATH } from "../../user/settings/frame.ts"

/** What tokens for one task have changed: those of one's own, and those of everyone in a repository or an organisation. */

type Asked = Pick<Request, "services" | "db"> & {
  readonly page: Parameters<typeof listDeeds>[2] & { readonly number: number }
  readonly reader: Reader
}

/** The list; with the token's name and owner where there are several. */
async function deeds({ services, db, page: rows, reader }: Asked, whose: DeedsOf): Promise<Content> {
  const { rows: found, total } = await listDeeds(db, whose, rows)
  if (found.length === 0) return empty("log", t("No changes yet"))
  const [now, several] = [services.now(), !("tokenId" in whose)]
  const heads = [t("Time"), ...(several ? [t("Token")] : []), t("Change"), t("Status")]
  return html`
    ${table(
      t("Changes"),
      heads,
      found.map((each) => deedRow(each, several, now)),
    )}
    ${pager(reader.url, rows, total)}
  `
}

const deedRow = (each: DeedRow, several: boolean, now: number): Html =>
  html`
    <tr>
      <td class="nowrap">${time(each.created_at, now)}</td>
      ${several && html`<td><bdi>${each.token_name}</bdi><br><span class="muted small">${person({ name: each.user_name })}</span></td>`}
      <td><code>${each.operation}</code><br><span class="muted small break">${each.path}</span></td>
      <td ${attribute("class", each.status >= 400 ? "error" : undefined)}>${each.status || "–"}</td>
    </tr>
  `

const about = t("Changes that were made with access tokens for one task, and those that were refused. Newest first.")

export const deedPages: readonly Page[] = [
  page({
    id: "personal.tokenDeeds",
    address: `GET ${SETTINGS_PATH}/applications/{id}/deeds`,
    access: signedIn,
    answer: async (call) => {
      const token = await tokenOf(call.db, call.me, String(call.path.id))
      return personalSettings({
        part: "tokens",
        title: t("What was done with {name}", { name: token.name }),
        body: html`
          <h1>${t("What was done with {name}", { name: token.name })}</h1>
          <p class="muted">${about}</p>
          ${await deeds(call, { tokenId: token.id })}
        `,
      })
    },
  }),
  page({
    id: "settings.tokenDeeds",
    address: "GET /{owner}/{repo}/settings/token-deeds",
    access: onRepositoryAsAdministrator,
    answer: async (call) =>
      settingsPage(call, {
        part: "deeds",
        title: t("Changes by tokens"),
        body: html`
          <h1>Changes by tokens</h1>
          <p class="muted">${about}</p>
          ${await deeds(call, { repositoryId: call.repository.id })}
        `,
      }),
  }),
  page({
    id: "organization.tokenDeeds",
    address: "GET /org/{org}/settings/token-deeds",
    access: onOrganizationAsOwner,
    answer: async (call) =>
      organizationSettings(call.organization, {
        part: "deeds",
        title: t("Changes by tokens"),
        body: html`
          <h1>Changes by tokens</h1>
          <p class="muted">${about}</p>
          ${await deeds(call, { ownerId: call.organization.id })}
        `,
      }),
  }),
]
