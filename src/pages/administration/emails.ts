import { siteAdministrator } from "../../access/policies/site.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { listAddresses } from "../../features/people/users/addresses-store.ts"
import { ADMINISTRATION_PATH, administrationPage, ADMINISTRATION_PEOPLE as PEOPLE } from "../../web/administration.ts"
import { empty, filterForm, pager, state, table } from "../../web/components.ts"

/** All addresses of accounts. */

const EMAILS = `${ADMINISTRATION_PATH}/emails` as const

export const emails = page({
  id: "admin.emails",
  address: `GET ${EMAILS}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  answer: async ({ db, query, page: rows, reader }) => {
    const { q = "" } = query
    const { rows: addresses, total } = await listAddresses(db, q.trim(), rows)
    return administrationPage({
      part: "emails",
      title: t("E-mail addresses"),
      body: html`
        <h1>E-mail addresses</h1>
        ${filterForm(EMAILS, q, t("Search addresses and names"))}
        ${
          addresses.length === 0
            ? empty("mail", t("No addresses found"))
            : html`
              ${table(t("Addresses"), [t("Address"), t("User"), t("State")], addresses.map(addressRow))}
              ${pager(reader.url, rows, total)}
            `
        }
      `,
    })
  },
})

const addressRow = (each: Awaited<ReturnType<typeof listAddresses>>["rows"][number]): Html =>
  html`
    <tr>
      <td class="break">${each.email}</td>
      <td><a href="${PEOPLE}/${encodeURIComponent(each.name)}"><bdi>${each.name}</bdi></a></td>
      <td>
        ${each.is_activated === 1 ? state("success", "check", t("Verified")) : state("neutral", "hourglass", t("Unverified"))}
        ${each.is_primary === 1 && html` <span class="chip">primary</span>`}
      </td>
    </tr>
  `
