import { Mode } from "../../../access/modes.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import {
  countBefore,
  type Entry,
  findEntry,
  findOpenTrial,
  findQueue,
  type Queue,
  type Trial,
} from "../../../features/review/queue/store.ts"
import { repositoryPath } from "../../../web/address.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { number } from "../../../web/time.ts"
import type { MergeCall } from "./merge-call.ts"
import { lineUp, prioritise, withdraw } from "./queue-forms.ts"

/** What the box about merging says and does where the base has a merge queue. */

/** Where a pull request is in the queue of its base. */
export interface Queued {
  readonly queue: Queue
  readonly entry: Entry
  /** The trial that it is part of. */
  readonly trial: Trial | undefined
  /** How many come before it. */
  readonly before: number
}

export async function findQueued({ db, pull }: MergeCall): Promise<Queued | undefined> {
  const entry = await findEntry.first(db, { pullId: pull.id })
  const queue = entry && (await findQueue.first(db, { id: entry.queue_id }))
  if (!entry || !queue) return undefined
  const trial = entry.trial_id === 0 ? undefined : await findOpenTrial.first(db, { queueId: queue.id })
  const before = await countBefore.first(db, { queueId: queue.id, priority: entry.priority, id: entry.id })
  return { queue, entry, trial, before: before?.total ?? 0 }
}

export const queuePath = (call: MergeCall): string => `${repositoryPath(call)}/queue/${escapePath(call.pull.base_branch)}`

/** Where it is, in words. */
export function queueWords(call: MergeCall, queued: Queued | undefined): Content {
  const link = html`<a class="in-text" href="${queuePath(call)}">merge queue</a>`
  if (!queued) return html`The base branch has a ${link}: it is merged once its merge has been tested.`
  const { queue, trial, before } = queued
  const frozen =
    queue.is_frozen === 1 && html` The queue is frozen${queue.frozen_reason !== "" && html`: <bdi>${queue.frozen_reason}</bdi>`}.`
  if (!trial) return html`Waiting in the ${link}, with ${number(before)} before it.${frozen}`
  const commit = `${repositoryPath(call)}/commit/${trial.commit_id}`
  const id = html`<a class="in-text" href="${commit}"><code>${trial.commit_id.slice(0, 10)}</code></a>`
  if (trial.state === "building") return html`In the ${link}: its merge is being built.${frozen}`
  return trial.state === "testing"
    ? html`In the ${link}: its merge ${id} is being tested.${frozen}`
    : html`In the ${link}: its merge ${id} has passed.${frozen}`
}

/** Lining up, for who may merge. */
export const lineUpForm = ({ path, draft, pull, repository }: MergeCall): Html =>
  formView(lineUp, {
    path,
    draft,
    look: "primary",
    submit: html`${icon("git-merge")}Merge when ready`,
    fields: [
      { kind: "hidden", name: "head_commit_id", value: pull.head_id },
      {
        kind: "box",
        name: "delete_branch_after_merge",
        label: t("Delete branch after merging"),
        value: repository.default_delete_branch_after_merge === 1,
      },
    ],
  })

export const withdrawButton = ({ path, draft }: MergeCall): Html =>
  formButton(withdraw, path, html`${icon("x")}Take out of the queue`, {}, draft)

/** For administrators of the repository. */
export const priorityForm = ({ path, draft, permission }: MergeCall, { entry }: Queued): Content =>
  permission.mode >= Mode.admin &&
  html`
    <details>
      <summary class="small">Priority in the queue</summary>
      ${formView(prioritise, {
        path,
        draft,
        look: "plain",
        submit: t("Save"),
        fields: [
          {
            kind: "line",
            name: "priority",
            label: t("Priority"),
            type: "number",
            value: String(entry.priority),
            hint: t("Higher ones come first; 0 to begin with."),
          },
        ],
      })}
    </details>
  `
