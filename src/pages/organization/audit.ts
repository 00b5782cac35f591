import { randomUUID } from "node:crypto"
import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { fileHeadersOf } from "../../core/disposition.ts"
import { type File, file } from "../../core/file.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { entryQuery, filterOf } from "../../features/site/audit/operations.ts"
import { presentEntry } from "../../features/site/audit/present.ts"
import { type AuditEntryRow, findEntries } from "../../features/site/audit/store.ts"
import { path, withQuery } from "../../web/address.ts"
import { empty, pager, table } from "../../web/components.ts"
import { time } from "../../web/time.ts"
import { organizationSettings } from "./settings-frame.ts"

/** Who did what in an organisation, for its owners: newest first, by what is asked for; and all of it as a file. */

const words = { actor: Type.Optional(Type.String()), kind: Type.Optional(Type.String()), repository: Type.Optional(Type.String()) }

export const organizationAuditPages: readonly Page[] = [
  page({
    id: "organization.audit",
    address: "GET /org/{org}/settings/audit",
    access: onOrganizationAsOwner,
    rows: 50,
    query: words,
    answer: async (call) => {
      const { db, services, organization, query, page: rows, reader } = call
      const { rows: found, total } = await findEntries(db, organization.id, query, rows)
      const at = path("org", organization.name, "settings", "audit")
      const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""))
      return organizationSettings(organization, {
        part: "audit",
        title: t("Audit log"),
        body: html`
          <h1>Audit log</h1>
          <p class="muted">Who did what in this organization. Values of settings and secrets are never part of it.</p>
          <form class="bar" action="${at}" method="get" role="search">
            ${filter("actor", t("Person"), query.actor)}
            ${filter("kind", t("Event"), query.kind)}
            ${filter("repository", t("Repository"), query.repository)}
            <button class="small">Filter</button>
            <a class="button small end" href="${withQuery(`${at}/export`, asked)}" download>Export as JSON Lines</a>
          </form>
          ${
            found.length === 0
              ? empty("log", t("Nothing here"), t("No entry matches this."))
              : table(
                  t("Audit log"),
                  [t("When"), t("Who"), t("What"), t("About"), t("From")],
                  found.map((row) => line(row, services.now())),
                )
          }
          ${pager(reader.url, rows, total)}
        `,
      })
    },
  }),
]

const filter = (name: string, label: ReturnType<typeof t>, value = ""): Html =>
  html`<label class="inline">${label} <input name="${name}" value="${value}" size="14" autocomplete="off"></label>`

function line(row: AuditEntryRow, now: number): Html {
  const { details } = presentEntry(row)
  const more = Object.entries(details).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
  return html`
    <tr>
      <td class="nowrap">${time(row.created_at, now)}</td>
      <td>${row.actor_name === "" ? html`<span class="muted">–</span>` : html`<bdi>${row.actor_name}</bdi>`}</td>
      <td><code class="nowrap">${row.kind}</code></td>
      <td>
        ${[row.repository_name, row.subject].filter((word) => word !== "").join(" · ")}
        ${more.length > 0 && html` <span class="muted small">${more.join("; ")}</span>`}
      </td>
      <td class="muted small">${[row.ip, row.credential].filter((word) => word !== "").join(", ")}</td>
    </tr>
  `
}

export const organizationAuditFiles: readonly File[] = [
  file({
    id: "organization.auditExport",
    address: "GET /org/{org}/settings/audit/export",
    access: onOrganizationAsOwner,
    programs: ["organization"],
    query: entryQuery,
    answer: ({ services, organization, query }) => {
      const head = { ...fileHeadersOf(`${organization.name}-audit.jsonl`), type: "application/jsonl" }
      return {
        tag: `"${randomUUID()}"`,
        size: undefined,
        head,
        caching: "no-store",
        async open() {
          const { exportEntries } = await import("../../features/site/audit/export.ts")
          return { ...head, content: exportEntries(services.database, organization.id, filterOf(query)) }
        },
      }
    },
  }),
]
