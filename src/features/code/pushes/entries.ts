import { type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { nullable } from "../../../core/record.ts"
import Type, { Check, type Static } from "../../../core/schema.ts"

/*
 * The journal of pushes: a job's row, committed before references move and gone once everything that follows is true. When the process dies in
 * between, the job does what was left. The row itself is the lock: whoever takes it, in the transaction that writes what follows, is the only one.
 */

/** The pull request that a push merges. */
export const PullMerge = Type.Object({
  pullId: Type.Integer(),
  issueId: Type.Integer(),
  /** Where its head, which is the other parent of a merge commit, left this very base; left out where that isn't known. */
  mergeBase: Type.Optional(Type.String()),
  /** It was scheduled, and came about when its checks had succeeded. */
  automatic: Type.Boolean(),
})
export type PullMerge = Static<typeof PullMerge>

/** The release that a push of its tag publishes. */
export const TagRelease = Type.Object({
  /** The draft that it was, or null where there was none. */
  id: nullable(Type.Integer()),
  tagName: Type.String(),
  target: Type.String(),
  title: Type.String(),
  note: Type.String(),
  isPrerelease: Type.Boolean(),
  publisherId: Type.Integer(),
})
export type TagRelease = Static<typeof TagRelease>

/** What a push was about to change. */
export const Entry = Type.Object({
  repositoryId: Type.Integer(),
  pusherId: Type.Integer(),
  changes: Type.Array(Type.Object({ ref: Type.String(), oldId: nullable(Type.String()), newId: nullable(Type.String()) })),
  options: Type.Array(Type.String()),
  merge: Type.Optional(PullMerge),
  release: Type.Optional(TagRelease),
})
export type Entry = Static<typeof Entry>

/** What is left of an entry once it is taken: to look whether HEAD names the default branch. */
const settled = (repositoryId: number): string => JSON.stringify({ repositoryId, pusherId: 0, changes: [], options: [] } satisfies Entry)

const emptyRow = query("transport.emptyEntry", (db, p: Params<{ id: number; empty: string }>) =>
  db.updateTable("jobs").set({ payload: p.empty }).where("id", "=", p.id).where("payload", "!=", p.empty),
)

/** The kind of the jobs that entries are. */
export const ENTRY_KIND = "push.settle"

const findOpen = query("transport.findOpenEntries", (db) =>
  db
    .selectFrom("jobs")
    .select("payload")
    // Written out, as the index of unfinished jobs is only used for the very words that it was made with.
    .where(sql<SqlBool>`state in ('waiting', 'running')`)
    .where("kind", "=", ENTRY_KIND),
)

/** Whether a push that publishes a release of this tag is under way, or left to its job: the tag may be there by now, and the release is not yet. */
export async function isReleaseUnderWay(
  db: Handle,
  { repositoryId, tagName }: { readonly repositoryId: number; readonly tagName: string },
): Promise<boolean> {
  return (await findOpen(db)).some(({ payload }) => {
    const entry: unknown = JSON.parse(payload)
    return Check(Entry, entry) && entry.repositoryId === repositoryId && entry.release?.tagName === tagName
  })
}

const removeRow = query("transport.removeEntry", (db, p: Params<{ id: number }>) => db.deleteFrom("jobs").where("id", "=", p.id))

const postponeRow = query("transport.postponeEntry", (db, p: Params<{ id: number; runAt: Seconds }>) =>
  db.updateTable("jobs").set({ run_at: p.runAt }).where("id", "=", p.id).where("state", "=", "waiting"),
)

/** Takes an entry: true for one caller only, however many ask. */
export const takeEntry = async (tx: Transaction, id: number, repositoryId: number): Promise<boolean> =>
  (await emptyRow.changes(tx, { id, empty: settled(repositoryId) })) === 1

/** Removes an entry of which nothing is left to do. */
export const removeEntry = async (tx: Transaction, id: number): Promise<void> => {
  await removeRow(tx, { id })
}

/** Keeps the job from being run before `runAt`, because the push is still under way. */
export const postponeEntry = async (tx: Transaction, id: number, runAt: Seconds): Promise<void> => {
  await postponeRow(tx, { id, runAt })
}
