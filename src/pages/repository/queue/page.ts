import { Mode } from "../../../access/modes.ts"
import { onPulls } from "../../../access/policies/pulls.ts"
import { refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { queueOperations } from "../../../features/review/queue/operations.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty, notice, pager } from "../../../web/components.ts"
import { formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { repositoryPage } from "../frame.ts"

/** The merge queue of a branch: what is tested, what waits, and how the last ones ended. */

const queuePage: Page = page({
  id: "queue.show",
  address: "GET /{owner}/{repo}/queue/{branch}",
  access: onPulls,
  rows: 50,
  live: ({ repository }) => [{ repositoryId: repository.id, kinds: ["queue.", "commit.checked", "protection."] }],
  answer: async (call) => {
    const { services, path, page: rows, reader, permission, draft, repository } = call
    const { presentQueue } = await import("../../../features/review/queue/present.ts")
    const { entryRow, recentPart, trialPart } = await import("./view.ts")
    const { queue, total, ended } = await presentQueue(services, call, path.branch, rows)
    if (!queue.enabled && total === 0) throw refuse.notFound()
    const at = repositoryPath(call)
    return repositoryPage(call, {
      tab: "pulls",
      title: t("Merge queue of {branch}", { branch: queue.branch }),
      modules: ["live"],
      unlisted: true,
      body: html`
        <div class="bar">
          <h1>Merge queue of <a href="${at}/src/branch/${escapePath(queue.branch)}"><bdi>${queue.branch}</bdi></a></h1>
          <a class="button small" href="${at}/pulls">${icon("git-pull-request")}Pull requests</a>
        </div>
        <div id="queue-frozen" data-live>
          ${
            queue.frozen &&
            notice(
              "warn",
              html`
                <strong>The queue is frozen: nothing lands.</strong>
                ${queue.frozen_reason !== "" && html` <bdi>${queue.frozen_reason}</bdi>`}
                ${queue.frozen_by && html` <span class="muted">– ${queue.frozen_by.login}</span>`}
              `,
            )
          }
        </div>
        <section class="stack tight" id="queue-trial" aria-label="Tested now" data-live>${trialPart(at, queue)}</section>
        <section id="queue-entries" aria-label="Waiting" data-live>
          ${
            queue.entries.length === 0
              ? empty("git-merge", t("Nothing has lined up"), t("Pull requests line up with “Merge when ready” on their pages."))
              : html`<ul class="rows card">${queue.entries.map((entry) => entryRow(at, entry, services.now()))}</ul>`
          }
          ${pager(reader.url, rows, total)}
        </section>
        ${permission.mode >= Mode.admin && repository.is_archived === 0 && freezePart(call.path, draft, queue.frozen)}
        <section class="stack tight" id="queue-recent" aria-label="Recently" data-live>
          ${recentPart(at, ended, services.now())}
        </section>
      `,
    })
  },
})

const freezePart = (path: Readonly<Record<string, string>>, draft: Draft | undefined, isFrozen: boolean): Html | Content =>
  isFrozen
    ? formView(goOn, { path, draft, look: "plain", submit: html`${icon("play")}Let it go on`, fields: [] })
    : html`
      <details class="menu starts">
        <summary class="button small">${icon("stop")}Freeze</summary>
        ${formView(stop, {
          path,
          draft,
          look: "danger",
          submit: t("Freeze the queue"),
          fields: [
            {
              kind: "line",
              name: "frozen_reason",
              label: t("Reason"),
              hint: t("Shown to those who wait. Nothing lands until the queue goes on."),
              maxlength: 255,
            },
          ],
        })}
      </details>
    `

const edits = { does: named(queueOperations, "repoEditMergeQueue"), on: queuePage } as const

const stop = form({
  ...edits,
  id: "queue.freeze",
  address: "POST /{owner}/{repo}/queue/freeze/{branch}",
  takes: ["frozen_reason"],
  always: { frozen: true },
  done: t("The queue is frozen."),
})

const goOn = form({
  ...edits,
  id: "queue.unfreeze",
  address: "POST /{owner}/{repo}/queue/unfreeze/{branch}",
  always: { frozen: false },
  done: t("The queue goes on."),
})

export const queuePages: readonly Page[] = [queuePage, stop, goOn]
