import { siteAdministrator } from "../../access/policies/site.ts"
import { attribute, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { type AuditRow, findAuditEntries } from "../../features/site/administration/audit-store.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, field, pager, table } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { time } from "../../web/time.ts"

/** What administrators did, and failed sign-ins. */

const AUDIT = `${ADMINISTRATION_PATH}/audit` as const
const AUDIT_FIELDS = [
  ["administrator", t("Administrator")],
  ["operation", t("Operation")],
  ["account", t("Account of a failed sign-in")],
] as const
const DAYS = [
  ["since", t("From|time")],
  ["before", t("To")],
] as const

/** The beginning of a day, and of the next one. */
const momentOf = (day: string | undefined, after: number): number | undefined => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day ?? "") ? Date.parse(`${day}T00:00:00Z`) / 1000 : Number.NaN
  return Number.isNaN(at) ? undefined : at + after
}

const text = Type.Optional(Type.String())

export const audit = page({
  id: "admin.audit",
  address: `GET ${AUDIT}`,
  access: siteAdministrator,
  query: { administrator: text, operation: text, account: text, since: text, before: text },
  answer: async ({ services, db, query, page: rows, reader }) => {
    const filter = { ...query, since: momentOf(query.since, 0), before: momentOf(query.before, 86_399) }
    const { rows: entries, total } = await findAuditEntries(db, filter, rows)
    const now = services.now()
    return administrationPage({
      part: "audit",
      title: t("Audit log"),
      body: html`
        <h1>Audit log</h1>
        <p class="muted">Changes made by administrators, on pages and through the API, and failed sign-ins. Newest first.</p>
        <form class="form" action="${AUDIT}" role="search" aria-label="Audit log">
          <div class="grid">
            ${AUDIT_FIELDS.map(([name, label]) => field({ name, label, value: query[name] ?? "" }))}
            ${DAYS.map(([name, label]) => field({ name, label, type: "date", value: query[name] ?? "" }))}
          </div>
          <div class="bar"><button>${icon("search")}Search</button><a class="button" href="${AUDIT}">Show all</a></div>
        </form>
        ${
          entries.length === 0
            ? empty("log", t("Nothing matches"))
            : html`
              ${table(
                t("Entries"),
                [t("Time"), t("User"), t("Change"), t("Status"), t("From|address")],
                entries.map((each) => entryRow(each, now)),
              )}
              ${pager(reader.url, rows, total)}
            `
        }
      `,
    })
  },
})

const entryRow = (each: AuditRow, now: number): Html =>
  html`
    <tr>
      <td class="nowrap">${time(each.created_at, now)}</td>
      <td>
        <bdi>${each.administrator_name || each.account_name || t("unknown")}</bdi>
        ${each.acting_as !== "" && html` as <bdi>${each.acting_as}</bdi>`}
      </td>
      <td>
        <code>${each.operation}</code>${each.times > 1 && html` ${each.times} times`}<br>
        <span class="muted small break">${each.path}</span>
      </td>
      <td ${attribute("class", each.status >= 400 ? "error" : undefined)}>${each.status || "–"}</td>
      <td class="nowrap">${each.ip}</td>
    </tr>
  `
