import type { Selectable } from "kysely"
import { siteAdministrator } from "../../access/policies/site.ts"
import type { TakeoverKindsTable, TakeoverRemarksTable } from "../../core/database/tables/takeover.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { page } from "../../core/page.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, table } from "../../web/components.ts"
import { time } from "../../web/time.ts"

/** What `hearth takeover` has brought from another server, and what it has left out. */

const TAKEOVER = `${ADMINISTRATION_PATH}/takeover` as const

/** The most rows that are told one by one. */
const MOST_TOLD = 5_000

export const takeover = page({
  id: "admin.takeover",
  address: `GET ${TAKEOVER}`,
  access: siteAdministrator,
  answer: async ({ services, db }) => {
    const { findRemarks, findReport } = await import("../../features/site/takeover/store.ts")
    const kinds = (await findReport(db)).filter(({ found, removed }) => found + removed > 0)
    const [last] = kinds.toSorted((one, other) => other.finished_at - one.finished_at)
    return administrationPage({
      part: "overview",
      title: t("Takeover"),
      body: html`
        <h1>Takeover</h1>
        ${
          last === undefined
            ? empty("download", t("Nothing was taken over from another server"))
            : html`
              <p class="muted">The last run ended ${time(last.finished_at, services.now())}.</p>
              ${table(
                t("Takeover"),
                [t("Kind"), ...[t("Found there"), t("Here now"), t("Changed"), t("Removed"), t("Left out")].map((number) => ({ number }))],
                kinds.map(kindRow),
              )}
              ${remarksOf(await findRemarks(db, MOST_TOLD))}
            `
        }
      `,
    })
  },
})

type Kind = Selectable<TakeoverKindsTable>

const kindRow = ({ kind, found, taken, changed, removed, left_out }: Kind): Html =>
  html`
    <tr>
      <td translate="no">${kind}</td>
      <td class="number">${found}</td>
      <td class="number">${taken}</td>
      <td class="number">${changed}</td>
      <td class="number">${removed}</td>
      <td class="number">${left_out}</td>
    </tr>
  `

/** What is to be known of single rows, by their ids there. */
function remarksOf(remarks: readonly Pick<Selectable<TakeoverRemarksTable>, "kind" | "source_key" | "content">[]): readonly Html[] {
  const told = Map.groupBy(remarks, ({ kind }) => kind)
  return [...told].map(
    ([kind, remarks]) =>
      html`
        <h2 translate="no">${kind}</h2>
        <ul class="rows card">
          ${remarks.map(
            ({ source_key, content }) =>
              html`
                <li><div class="main"><p class="break" translate="no">${source_key}: ${content}</p></div></li>
              `,
          )}
        </ul>
      `,
  )
}
