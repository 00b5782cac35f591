import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { findWorkflowFiles } from "../../../features/actions/definitions/files.ts"
import { disabledWorkflows } from "../../../features/actions/definitions/store.ts"
import { statesNamed } from "../../../features/actions/runs/status.ts"
import { findRuns } from "../../../features/actions/runs/store.ts"
import { findWorkflowAt } from "../../../features/actions/triggers/dispatch.ts"
import { findBranches } from "../../../features/code/branches/store.ts"
import { resolveRevision } from "../../../features/code/commits/revision.ts"
import { listTags } from "../../../features/code/tags/store.ts"
import { branchRef } from "../../../git/index.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { pager } from "../../../web/components.ts"
import { problem } from "../../../web/problem.ts"
import { repositoryPage } from "../frame.ts"
import { byHand, disableForm, dispatchForm, enableForm, switchButton } from "./by-hand.ts"
import { jobPages } from "./jobs.ts"
import { type ListedWorkflow, noRuns, runRows, runsFilter, STATUSES, type StatusWord, workflowBadge, workflowNav } from "./list-view.ts"
import { mayWrite, type OnActions, peopleOf, reads, runPages } from "./runs.ts"

/** The list of the runs of workflows. */

const isStatus = (word: string): word is StatusWord => Object.hasOwn(STATUSES, word)
const STATUS_WORDS = Object.keys(STATUSES).filter(isStatus)

/** The files of the default branch that are workflows. */
async function workflowsOf({ services, db, repository: row }: OnActions): Promise<readonly ListedWorkflow[]> {
  const { git } = services
  const revision = await resolveRevision(git, row, undefined)
  if (!revision) return []
  const files = await findWorkflowFiles(git, git.at(row.storage, row.object_format), revision.commit.tree)
  const disabled = await disabledWorkflows(db, row.id)
  return files.map(({ name }) => ({ file: name, isDisabled: disabled.has(name) }))
}

/** The most branches, and the most tags, that are offered. */
const MOST_OFFERED = 100

/** The form that runs a workflow by hand: where the default branch's file, or that of a branch that was asked for, can be. */
async function byHandOf(call: OnActions, workflow: string, asked: string | undefined, draft: Draft | undefined): Promise<Content> {
  const { services, db, repository, owner } = call
  const ref = asked || branchRef(repository.default_branch)
  const found = await findWorkflowAt(services, repository, ref, workflow)
  if (!asked && found?.workflow.events.has("workflow_dispatch") !== true) return undefined
  const first = { number: 1, limit: MOST_OFFERED, offset: 0 }
  const branches = await findBranches(db, repository.id, "", first)
  const tags = await listTags(db, repository.id, first)
  return byHand({
    path: { owner: owner.name, repo: repository.name, workflow_id: workflow },
    ref,
    isChosen: Boolean(asked),
    found,
    refs: [...branches.rows, ...tags.rows].map(({ name }) => name),
    draft,
  })
}

const runs: Page = page({
  id: "actions.runs",
  address: "GET /{owner}/{repo}/actions",
  access: reads,
  query: {
    workflow: Type.Optional(Type.String({ maxLength: 500 })),
    status: Type.Optional(oneOf(STATUS_WORDS)),
    branch: Type.Optional(Type.String({ maxLength: 255 })),
    actor: Type.Optional(Type.String({ maxLength: 255 })),
    event: Type.Optional(Type.String({ maxLength: 255 })),
    // The branch or tag whose file is run by hand.
    ref: Type.Optional(Type.String({ maxLength: 255 })),
  },
  live: ({ repository }) => [{ repositoryId: repository.id, kinds: ["run.", "workflow."] }],
  answer: async (call) => {
    const { services, db, repository, query: asked, page: rows, reader, draft } = call
    const { status, branch, actor, event } = asked
    const workflow = asked.workflow ?? draft?.path?.["workflow_id"]
    const at = repositoryPath(call)
    const here = withQuery(reader.url, { workflow })
    const found = await findRuns(
      db,
      { of: "repository", repositoryId: repository.id },
      { workflow, branch, actor, event, states: statesNamed(status) },
      rows,
    )
    const workflows = await workflowsOf(call)
    const personOf = await peopleOf(
      call,
      found.rows.map(({ actor_id }) => actor_id),
    )
    const listed = workflows.find(({ file }) => file === workflow)
    const isFiltered = Boolean((workflow && !listed) || status || branch || actor || event)
    const form =
      workflow && mayWrite(call) && listed?.isDisabled !== true
        ? await byHandOf(call, workflow, draft?.typed["ref"]?.[0] ?? asked.ref, draft)
        : undefined
    return repositoryPage(call, {
      tab: "actions",
      title: workflow ? `${workflow} · Actions` : t("Actions"),
      modules: ["live"],
      body: html`
        <div class="columns start">
          <aside>${workflowNav(withQuery(reader.url, {}), workflows, workflow || undefined)}</aside>
          <div class="stack">
            ${listHead(call, workflow, listed)}
            ${!form && problem(draft?.refusal)}${form}
            ${(found.total > 0 || isFiltered) && runsFilter(at, { ...asked, workflow })}
            <div class="stack" id="listed" data-live="later">
              ${
                found.rows.length > 0
                  ? runRows(
                      at,
                      found.rows.map((run) => ({ run, actor: personOf(run.actor_id) })),
                      services.now(),
                    )
                  : noRuns(at, { hasWorkflows: workflows.length > 0, isFiltered, isOne: listed !== undefined })
              }
            </div>
            ${pager(here, rows, found.total)}
          </div>
        </div>
      `,
    })
  },
})

/** What the list is of, with the badge and the switch of a workflow. */
function listHead(
  call: OnActions & { readonly draft: Draft | undefined },
  workflow: string | undefined,
  listed: ListedWorkflow | undefined,
): Html {
  const { owner, repository, draft } = call
  return html`
    <div class="bar">
      <h1>${workflow ? html`<bdi>${workflow}</bdi>` : t("Actions")}</h1>
      ${workflow && html`<span class="end">${workflowBadge(repositoryPath(call), workflow)}</span>`}
      ${
        workflow &&
        listed &&
        mayWrite(call) &&
        switchButton({ owner: owner.name, repo: repository.name, workflow_id: workflow }, listed.isDisabled, draft)
      }
    </div>
  `
}

export const actionPages: readonly Page[] = [
  runs,
  dispatchForm.on(runs),
  disableForm.on(runs),
  enableForm.on(runs),
  ...runPages,
  ...jobPages,
]
