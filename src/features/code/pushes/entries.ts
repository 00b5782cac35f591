import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { findUnfinished, postponeJob, removeJob, replacePayload } from "../../../core/jobs/store.ts"
import { nullable } from "../../../core/record.ts"
import Type, { Check, type Static } from "../../../core/schema.ts"

/*
 * The journal of pushes: a job's row, committed before references move and deleted once everything derived from them is stored. If the process dies in
 * between, the job does the rest. The row itself is the lock: only one transaction can take it, together with its writes.
 */

/** The pull request that a push merges. */
export const PullMerge = Type.Object({
  pullId: Type.Integer(),
  issueId: Type.Integer(),
  /** The merge base of the head, which is the other parent of a merge commit, with this base; absent if unknown. */
  mergeBase: Type.Optional(Type.String()),
  /** Whether it was scheduled, and ran when the checks had succeeded. */
  automatic: Type.Boolean(),
})
export type PullMerge = Static<typeof PullMerge>

/** The release that a push of its tag publishes. */
export const TagRelease = Type.Object({
  /** The id of the draft that is published, or null if there was none. */
  id: nullable(Type.Integer()),
  tagName: Type.String(),
  target: Type.String(),
  title: Type.String(),
  note: Type.String(),
  isPrerelease: Type.Boolean(),
  publisherId: Type.Integer(),
})
export type TagRelease = Static<typeof TagRelease>

/** The trial of a merge queue that a push lands. */
export const Landing = Type.Object({ trialId: Type.Integer() })
export type Landing = Static<typeof Landing>

/** The announced changes of a push. */
export const Entry = Type.Object({
  repositoryId: Type.Integer(),
  pusherId: Type.Integer(),
  changes: Type.Array(Type.Object({ ref: Type.String(), oldId: nullable(Type.String()), newId: nullable(Type.String()) })),
  options: Type.Array(Type.String()),
  merge: Type.Optional(PullMerge),
  release: Type.Optional(TagRelease),
  landing: Type.Optional(Landing),
})
export type Entry = Static<typeof Entry>

/** Checks, in the transaction that announces a push, that it may proceed; what it throws aborts the push. */
export type Claim = (tx: Transaction, entryId: number) => Promise<void>

/** An entry after it was taken: the remaining work is to align HEAD with the default branch. */
const settled = (repositoryId: number): string => JSON.stringify({ repositoryId, pusherId: 0, changes: [], options: [] } satisfies Entry)

/** The job kind of journal entries. */
export const ENTRY_KIND = "push.settle"

/** Whether a push that publishes a release of this tag is in progress, or left to its job: the tag may exist already, but not the release. */
export async function isReleaseUnderWay(
  db: Handle,
  { repositoryId, tagName }: { readonly repositoryId: number; readonly tagName: string },
): Promise<boolean> {
  return (await findUnfinished(db, { kind: ENTRY_KIND })).some(({ payload }) => {
    const entry: unknown = JSON.parse(payload)
    return Check(Entry, entry) && entry.repositoryId === repositoryId && entry.release?.tagName === tagName
  })
}

/** Takes an entry: true for exactly one of several concurrent callers. */
export const takeEntry = async (tx: Transaction, id: number, repositoryId: number): Promise<boolean> =>
  (await replacePayload.changes(tx, { id, payload: settled(repositoryId) })) === 1

/** Removes a completed entry. */
export const removeEntry = async (tx: Transaction, id: number): Promise<void> => {
  await removeJob(tx, { id })
}

/** Takes an entry that nothing remains of: true for exactly one of several concurrent callers. */
export const takeWholeEntry = async (tx: Transaction, id: number): Promise<boolean> => (await removeJob.changes(tx, { id })) === 1

/** Postpones the job until `runAt`, because the push is still in progress. */
export const postponeEntry = async (tx: Transaction, id: number, runAt: Seconds): Promise<void> => {
  await postponeJob(tx, { id, runAt })
}
