import { onRepositoryAsAdministrator } from "../../access/policies/repositories.ts"
import { isSiteAdministrator } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { attribute, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { lifecycleOperations } from "../../features/code/lifecycle/operations.ts"
import type { RepositoryImport } from "../../features/code/mirrors/records.ts"
import { findMirror } from "../../features/code/mirrors/store.ts"
import { findImportOf, listFaults } from "../../features/site/migration/imports-store.ts"
import { migrationOperations } from "../../features/site/migration/operations.ts"
import { presentImport } from "../../features/site/migration/progress.ts"
import { path, repositoryPath, withQuery } from "../../web/address.ts"
import { pager } from "../../web/components.ts"
import { formButton, formView, type unfold } from "../../web/form.ts"
import { repositoryPage } from "../repository/frame.ts"
import { credentials, importState, peopleField, stepName, stepRow, withoutEmpty } from "./import-view.ts"

const progress: Page = page({
  id: "migration.progress",
  address: "GET /{owner}/{repo}/import",
  access: onRepositoryAsAdministrator,
  rows: 50,
  answer: async (call) => {
    const { db, owner, repository, draft, actor, services } = call
    const row = await findImportOf.first(db, { repositoryId: repository.id })
    if (!row) throw refuse.notFound()
    const record = presentImport(row, `${owner.name}/${repository.name}`)
    const faults = await listFaults(db, row.id, call.page)
    const isRunning = record.state === "running"
    const at = `${repositoryPath(call)}/import`
    const isMirror = (await findMirror.first(db, { repositoryId: repository.id })) !== undefined
    return repositoryPage(call, {
      tab: "code",
      title: t("Import"),
      unlisted: true,
      modules: ["again"],
      body: html`
        <h1>Import</h1>
        <p class="muted break">From ${record.clone_addr}</p>
        <section class="stack" id="import" aria-live="polite" ${attribute("data-again", isRunning ? 2 : undefined)}>
          ${importState(row, record, services.now())}
          <div class="scrolls">
            <table class="data">
              <thead>
                <tr>
                  <th>Part</th>
                  <th>State</th>
                  <th class="number">Count</th>
                </tr>
              </thead>
              <tbody>${record.steps.map(stepRow)}</tbody>
            </table>
          </div>
          ${faultsView(at, call.page, faults)}
          <div class="bar">
            ${
              isRunning
                ? html`${formButton(stop, call.path, t("Stop"))}<a class="button" href="${at}">Reload</a>`
                : html`<a class="button primary" href="${repositoryPath(call)}">Go to repository</a>`
            }
          </div>
          ${!isRunning && !isMirror && startView(call, record.state, isSiteAdministrator(actor))}
          ${
            record.state === "failed" &&
            html`
              <h2>Start over</h2>
              ${formView(giveUp, {
                path: call.path,
                draft,
                look: "danger",
                submit: t("Delete and start over"),
                confirm: `${owner.name}/${repository.name}`,
                fields: [{ kind: "hidden", name: "clone_addr", value: record.clone_addr }],
              })}
            `
          }
        </section>
      `,
    })
  },
})

type Faults = Awaited<ReturnType<typeof listFaults>>

const faultsView = (at: string, list: Parameters<typeof pager>[1], { rows, total }: Faults): Html | false =>
  total > 0 &&
  html`
    <h2>Not imported (${total})</h2>
    <ul class="rows card">
      ${rows.map(
        ({ kind, source_key, message }) =>
          html`
            <li>
              <div class="main">
                <span class="break">${stepName(kind)} <span translate="no">${source_key}</span>: ${message}</span>
              </div>
            </li>
          `,
      )}
    </ul>
    ${pager(at, list, total)}
  `

type Call = Pick<Parameters<Page["open"]>[0], "path"> & { readonly draft: Parameters<typeof unfold>[1] }

/** Continues it where it is, or repeats it once it is done. */
function startView({ path: at, draft }: Call, state: RepositoryImport["state"], isAdministrator: boolean): Html {
  const isDone = state === "done"
  return html`
    <h2>${isDone ? t("Import what is new") : t("Continue")}</h2>
    <p class="muted">
      ${
        isDone
          ? t("What is new or has changed there since is imported too. What was changed here stays.")
          : t("The import goes on where it ended.")
      }
    </p>
    ${formView(start, {
      path: at,
      draft,
      submit: isDone ? t("Import what is new") : t("Continue"),
      look: "plain",
      fields: [credentials, ...(isAdministrator ? [peopleField] : [])],
    })}
  `
}

const stop = form({
  id: "migration.stop",
  address: "POST /{owner}/{repo}/import/stop",
  does: named(migrationOperations, "repoStopImport"),
  on: progress,
})

const start = form({
  id: "migration.start",
  address: "POST /{owner}/{repo}/import/start",
  does: named(migrationOperations, "repoStartImport"),
  on: progress,
  takes: ["auth_username", "auth_password", "auth_token", "people"],
  body: withoutEmpty,
})

const giveUp = form({
  id: "migration.giveUp",
  address: "POST /{owner}/{repo}/import/delete",
  does: named(lifecycleOperations, "repoDelete"),
  on: progress,
  also: ["clone_addr"],
  confirms: ({ owner, repo }) => `${owner}/${repo}`,
  done: t("Repository deleted."),
  to: ({ path: { owner, repo }, field }) => withQuery(path("repo", "migrate"), { clone_addr: field("clone_addr"), owner, name: repo }),
})

export const importPages: readonly Page[] = [progress, stop, start, giveUp]
