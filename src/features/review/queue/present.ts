import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { readWords } from "../../../core/language/stored.ts"
import type { Page } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { queueStyle } from "../../code/protections/present.ts"
import { findProtection } from "../../code/protections/rules.ts"
import { usersById } from "../../code/repositories/store.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { findQueueOf } from "./listener-store.ts"
import { numbersOf } from "./numbers.ts"
import { type MergeQueue, type MergeQueueEntry, type MergeQueueTrial, TRIAL_STATES } from "./records.ts"
import { countBefore, type Entry, findEndedTrials, findOpenTrial, listEntries, type Trial } from "./store.ts"
import { trialRef } from "./trials.ts"
import { judge } from "./verdict.ts"

const RECENT = 20

/** The queue of a branch, with a page of its entries and how many there are, and the trials that ended last; also of one where nothing has lined up yet. */
export async function presentQueue(
  services: Services,
  on: OnRepository,
  branch: string,
  page: Page,
): Promise<{ readonly queue: MergeQueue; readonly total: number; readonly ended: readonly Trial[] }> {
  const { database, site } = services
  const db = database.read
  const { repository } = on
  const rule = await findProtection(db, repository.id, branch)
  const row = await findQueueOf.first(db, { repositoryId: repository.id, branch })
  const trial = row && (await findOpenTrial.first(db, { queueId: row.id }))
  const { rows, total } = row ? await listEntries(db, row.id, page) : { rows: [], total: 0 }
  const ended = row ? await findEndedTrials(db, { queueId: row.id, limit: RECENT }) : []
  const verdict = trial && rule ? await judge(services, on, rule, trial) : undefined
  const people = await usersById(db, [...rows.map(({ user_id }) => user_id), row?.frozen_by_id ?? 0])
  const person = (id: number) => presentUser(site, people.get(id) ?? standIn(id))
  const isFrozen = row?.is_frozen === 1
  return {
    total,
    ended,
    queue: {
      branch,
      enabled: rule?.enable_merge_queue === 1,
      frozen: isFrozen,
      frozen_reason: row?.frozen_reason ?? "",
      frozen_by: isFrozen ? person(row.frozen_by_id) : null,
      frozen_at: isFrozen ? rfc3339(row.frozen_at) : null,
      batch_size: rule?.merge_queue_batch_size ?? 0,
      merge_style: rule ? queueStyle(rule) : "merge",
      check_minutes: rule?.merge_queue_check_minutes ?? 0,
      trial: trial ? presentTrial(trial) : null,
      entries: rows.map((entry, index) => ({
        number: entry.number,
        title: entry.title,
        head_sha: entry.head_id,
        user: person(entry.user_id),
        priority: entry.priority,
        position: page.offset + index + 1,
        is_tested: entry.trial_id !== 0,
        queued_at: rfc3339(entry.created_at),
      })),
      waiting_for: verdict?.kind === "waiting" ? [...verdict.lacking] : [],
      recent_trials: ended.map(presentTrial),
    },
  }
}

export const presentTrial = (trial: Trial): MergeQueueTrial => ({
  id: trial.id,
  state: TRIAL_STATES.find((state) => state === trial.state) ?? "dropped",
  reason: String(readWords(trial.reason)),
  ref: trialRef(trial),
  base_sha: trial.base_id,
  head_sha: trial.commit_id,
  pull_requests: [...numbersOf(trial)],
  created_at: rfc3339(trial.created_at),
  ended_at: trial.ended_at === 0 ? null : rfc3339(trial.ended_at),
})

/** One entry. */
export async function presentEntry(
  db: Handle,
  { site }: Pick<Services, "site">,
  { number, title }: { readonly number: number; readonly title: string },
  entry: Entry,
): Promise<MergeQueueEntry> {
  const people = await usersById(db, [entry.user_id])
  const before = await countBefore.first(db, { queueId: entry.queue_id, priority: entry.priority, id: entry.id })
  return {
    number,
    title,
    head_sha: entry.head_id,
    user: presentUser(site, people.get(entry.user_id) ?? standIn(entry.user_id)),
    priority: entry.priority,
    position: (before?.total ?? 0) + 1,
    is_tested: entry.trial_id !== 0,
    queued_at: rfc3339(entry.created_at),
  }
}
