import { type Me, signedIn } from "../../access/policies/site.ts"
import { isSiteAdministrator } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { form } from "../../core/forms/form.ts"
import { attribute, type Content, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { sentArchiveOperations } from "../../features/site/migration/archives/operations.ts"
import { listImports } from "../../features/site/migration/imports-store.ts"
import { migrationOperations } from "../../features/site/migration/operations.ts"
import { presentImport } from "../../features/site/migration/progress.ts"
import { path } from "../../web/address.ts"
import { empty, notice, pager, table } from "../../web/components.ts"
import { type Field, formButton, formView } from "../../web/form.ts"
import { time } from "../../web/time.ts"
import { ownerField } from "../parts/new-repository.ts"
import { credentials, peopleField, RECORDS, SERVICES, stateOf, withoutEmpty } from "./import-view.ts"

/** All imports of a person, several new ones at once, and what they may take over. */

const IMPORTS = "/repo/imports"

const imports: Page = page({
  id: "migration.list",
  address: "GET /repo/imports",
  access: signedIn,
  rows: 50,
  answer: async ({ db, me, actor, draft, services, page: rows }) => {
    const { rows: found, total } = await listImports(db, actor, rows)
    const goOn = found.some(({ phase }) => phase === "queued" || phase === "git" || phase === "records")
    const owner = await ownerField(db, me, "repo_owner")
    const { config } = services
    return {
      kind: "shown",
      title: t("Your imports"),
      unlisted: true,
      modules: ["again"],
      body: html`
        <h1>Your imports</h1>
        <section class="stack" id="imports" ${attribute("data-again", goOn ? 3 : undefined)}>
          ${total === 0 ? empty("repo-push", t("Nothing was imported yet")) : importTable(found, services.now())}
          ${pager(IMPORTS, rows, total)}
        </section>
        ${await claimsView(db, me)}
        <h2>Import several repositories</h2>
        ${
          config.migrations.enabled
            ? formView(several, {
                draft,
                submit: t("Start imports"),
                fields: fieldsOf(owner, config.lfs.enabled, isSiteAdministrator(actor)),
              })
            : notice("info", t("Imports are disabled on this site. You can push an existing repository to a new one."))
        }
        ${
          config.migrations.enabled &&
          html`
            <h2>Import an archive</h2>
            ${formView(archive, { draft, submit: t("Start import"), fields: [owner, ...ARCHIVE] })}
          `
        }
      `,
    }
  },
})

const fieldsOf = (owner: Field, hasLargeFiles: boolean, mapsPeople: boolean): readonly Field[] => [
  {
    kind: "text",
    name: "addresses",
    label: t("Addresses"),
    rows: 6,
    required: true,
    isCode: true,
    hint: t("One address a line, at most 200; behind a space what the repository is to be called here."),
  },
  { kind: "menu", name: "service", label: t("Repository to import"), options: SERVICES },
  credentials,
  owner,
  { kind: "box", name: "private", label: t("Private"), hint: t("Only people with access can see it.") },
  {
    kind: "group",
    label: t("Also import"),
    fields: [
      { kind: "box", name: "wiki", label: t("Wiki") },
      ...(hasLargeFiles ? [{ kind: "box", name: "lfs", label: t("Large files (Git LFS)") } as const] : []),
      ...RECORDS.map(([name, label]) => ({ kind: "box", name, label }) as const),
      ...(mapsPeople ? [peopleField] : []),
    ],
  },
]

/** The server reads what stands before the file. */
const ARCHIVE: readonly Field[] = [
  { kind: "line", name: "repo_name", label: t("Name"), required: true, maxlength: 100 },
  {
    kind: "file",
    name: "archive",
    label: t("Archive"),
    accept: ".gz,.tgz",
    hint: t("A migration archive of GitHub or a project export of GitLab (.tar.gz)."),
  },
]

type Row = Awaited<ReturnType<typeof listImports>>["rows"][number]

const importTable = (rows: readonly Row[], now: number): Html =>
  table(
    t("Your imports"),
    [t("Repository"), t("From"), t("State"), t("Updated"), ""],
    rows.map((row) => importRow(row, now)),
  )

function importRow(row: Row, now: number): Html {
  const { owner_name: owner, repository_name: name } = row
  const record = presentImport(row, null)
  const at = { id: String(row.id) }
  const goesOn = record.state === "running" || record.state === "queued"
  const repository =
    owner !== null && name !== null ? html`<a href="${path(owner, name, "import")}">${owner}/${name}</a>` : row.name || row.remote_url
  return html`
    <tr>
      <th scope="row" translate="no">${repository}</th>
      <td class="break" translate="no">${row.remote_url || row.service}</td>
      <td>${stateOf(record)}${whyNot(row, now)}</td>
      <td>${time(row.updated_at, now)}</td>
      <td>
        ${goesOn && formButton(stopOne, at, html`Stop<span class="hidden-text"> ${row.name || name}</span>`)}
        ${
          (record.state === "stopped" || record.state === "failed") &&
          (owner !== null || row.repository_id === 0) &&
          row.remote_url !== "" &&
          formButton(startOne, at, html`Continue<span class="hidden-text"> ${row.name || name}</span>`)
        }
      </td>
    </tr>
  `
}

const whyNot = ({ error, waits_until }: Row, now: number): Content => html`
  ${error !== "" && html`<p class="small break">${error}</p>`}
  ${waits_until > 0 && html`<p class="small">Waits until ${time(waits_until, now)}</p>`}
`

/** What imports brought of people who have the verified addresses of this one. */
async function claimsView(db: Handle, me: Me["me"]): Promise<Content> {
  const { findOwnPeople } = await import("../../features/site/migration/writers/people-store.ts")
  const people = (await findOwnPeople(db, { userId: me.id, limit: 200 })).filter(
    ({ user_id, waiting }) => user_id === 0 || Number(waiting) > 0,
  )
  return (
    people.length > 0 &&
    html`
      <h2>Texts of yours</h2>
      <p class="muted">Imports have brought texts of people who have one of your verified addresses. You can become their author here.</p>
      <ul class="rows card">
        ${people.map(
          ({ id, login, host, waiting }) => html`
            <li>
              <div class="main"><span translate="no">${login} (${host})</span></div>
              <span class="muted">${Number(waiting)}</span>
              ${formButton(claim, { id: String(id) }, html`Take over<span class="hidden-text"> ${login} (${host})</span>`)}
            </li>
          `,
        )}
      </ul>
    `
  )
}

const several = form({
  id: "migration.several",
  address: "POST /repo/imports",
  does: named(migrationOperations, "userCreateImports"),
  on: imports,
  takes: [
    ...["service", "auth_username", "auth_password", "auth_token", "repo_owner", "private", "wiki", "lfs", "people"],
    ...RECORDS.map(([name]) => name),
  ],
  also: ["addresses"],
  body: (body, typed) => ({ ...withoutEmpty(body), addresses: (typed["addresses"]?.[0] ?? "").trim().split(/\r?\n/) }),
  done: t("The imports wait for their turn."),
  once: true,
})

const archive = form({
  id: "migration.archive",
  address: "POST /repo/imports/archive",
  does: named(sentArchiveOperations, "userImportArchive"),
  on: imports,
  also: ["repo_owner", "repo_name"],
  query: (typed) => ({ name: typed["repo_name"]?.[0] ?? "", repo_owner: typed["repo_owner"]?.[0] ?? "" }),
  done: t("The imports wait for their turn."),
})

const stopOne = form({
  id: "migration.stopOne",
  address: "POST /repo/imports/{id}/stop",
  does: named(migrationOperations, "userStopImport"),
  on: imports,
})

const startOne = form({
  id: "migration.startOne",
  address: "POST /repo/imports/{id}/start",
  does: named(migrationOperations, "userStartImport"),
  on: imports,
})

const claim = form({
  id: "migration.claim",
  address: "POST /repo/imports/people/{id}",
  does: named(migrationOperations, "userClaimImportedPerson"),
  on: imports,
  done: t("Their texts become yours in a moment."),
})

export const importListPages: readonly Page[] = [imports, several, archive, stopOne, startOne, claim]
