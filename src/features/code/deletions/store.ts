import { type Insertable, type Selectable, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { DeletionKind, DeletionsTable } from "../../../core/database/tables/undo.ts"
import type { Page } from "../../../core/operation.ts"

export type DeletionRow = Selectable<DeletionsTable>

/** A deletion without its rows. */
export type Deletion = Omit<DeletionRow, "content">

const COLUMNS = [
  "id",
  "kind",
  "owner_id",
  "repository_id",
  "issue_id",
  "subject_id",
  "number",
  "name",
  "author_id",
  "actor_id",
  "commit_id",
  "row_bytes",
  "file_bytes",
  "created_at",
] as const

export async function insertDeletion(tx: Transaction, row: Insertable<DeletionsTable>): Promise<number> {
  return (await tx.insertInto("deletions").values(row).returning("id").executeTakeFirstOrThrow()).id
}

export async function insertBranches(tx: Transaction, rows: readonly Insertable<DeletionsTable>[]): Promise<void> {
  for (const slice of slicesOf(rows)) await tx.insertInto("deletions").values(slice).execute()
}

/** Keeps files whose rows are deleted for as long as the deletion is kept. */
export async function keepFiles(tx: Transaction, deletionId: number, uuids: readonly string[]): Promise<void> {
  for (const slice of slicesOf(uuids))
    await tx
      .insertInto("kept_files")
      .values(slice.map((uuid) => ({ deletion_id: deletionId, uuid })))
      .execute()
}

/** Takes a deletion out, with its rows: none where someone else was first. */
export const takeDeletion = query("deletions.take", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("deletions").where("id", "=", p.id).returningAll(),
)

/** Whether what was deleted since then is kept. */
export const findKept = query("deletions.findKept", (db, p: Params<{ kind: DeletionKind; subjectId: number; since: number }>) =>
  db
    .selectFrom("deletions")
    .select("created_at")
    .where("created_at", ">=", p.since)
    .where("kind", "=", p.kind)
    .where("subject_id", "=", p.subjectId),
)

export const findContent = query("deletions.findContent", (db, p: Params<{ id: number }>) =>
  db.selectFrom("deletions").select("content").where("id", "=", p.id),
)

export const putContent = query("deletions.putContent", (db, p: Params<{ id: number; content: string }>) =>
  db.updateTable("deletions").set({ content: p.content }).where("id", "=", p.id),
)

export const findFilesOf = query("deletions.findFiles", (db, p: Params<{ id: number }>) =>
  db.selectFrom("kept_files").select("uuid").where("deletion_id", "=", p.id),
)

/** Whether a repository that nobody has is kept to be restored. */
export const findKeptRepository = query("deletions.findRepository", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("deletions")
    .select("id")
    .where("repository_id", "=", p.repositoryId)
    .where("kind", "=", sql.lit<DeletionKind>("repository")),
)

export const findKeptRepositoriesOf = query("deletions.findRepositoriesOf", (db, p: Params<{ ownerId: number }>) =>
  db.selectFrom("deletions").select("id").where("owner_id", "=", p.ownerId).where("kind", "=", sql.lit<DeletionKind>("repository")),
)

/** The commits that deleted branches named. */
export const findCommits = query("deletions.findCommits", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("deletions")
    .select("commit_id")
    .distinct()
    .where("repository_id", "=", p.repositoryId)
    .where("kind", "=", sql.lit<DeletionKind>("branch")),
)

/** What somebody deleted last of a kind, in a repository or of an owner. */
export const findLast = query("deletions.findLast", (db, p: Params<{ ownerId: number; actorId: number; kind: string; since: number }>) =>
  db
    .selectFrom("deletions")
    .select(COLUMNS)
    .where("owner_id", "=", p.ownerId)
    .where("actor_id", "=", p.actorId)
    .where(sql<string>`kind`, "=", p.kind)
    .where("created_at", ">=", p.since)
    .orderBy("id", "desc")
    .limit(1),
)

/** What an owner's deletions take, by who deleted, the most first. */
export const weighOwner = query("deletions.weigh", (db, p: Params<{ ownerId: number }>) =>
  db
    .selectFrom("deletions")
    .select(["actor_id", (eb) => eb.fn.sum<number>("row_bytes").as("rows"), (eb) => eb.fn.sum<number>("file_bytes").as("files")])
    .where("owner_id", "=", p.ownerId)
    .groupBy("actor_id"),
)

/** The oldest that somebody deleted of an owner's, other than the one of that id. */
export const findOldestBy = query("deletions.findOldest", (db, p: Params<{ ownerId: number; actorId: number; but: number }>) =>
  db
    .selectFrom("deletions")
    .select(COLUMNS)
    .where("owner_id", "=", p.ownerId)
    .where("actor_id", "=", p.actorId)
    .where("id", "<>", p.but)
    .orderBy("id")
    .limit(100),
)

export const findExpired = query("deletions.findExpired", (db, p: Params<{ before: number; limit: number }>) =>
  db.selectFrom("deletions").select(COLUMNS).where("created_at", "<", p.before).orderBy("created_at").limit(p.limit),
)

/** Which deletions a list has. */
export interface DeletionFilter {
  /** Those of this repository; of an owner, repositories and the labels of an organisation; or all. */
  readonly repositoryId?: number
  readonly ownerId?: number
  readonly kinds?: readonly DeletionKind[]
  /** Beside `kinds`, the comments that this person wrote and deleted themselves. */
  readonly commentsBy?: number | undefined
  /** Deleted then or later. */
  readonly since: number
}

/** A page of deletions, the newest first, and how many there are. */
export async function findDeletions(
  db: Handle,
  { repositoryId, ownerId, kinds, commentsBy, since }: DeletionFilter,
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly Deletion[]; readonly total: number }> {
  let found = db.selectFrom("deletions").where("created_at", ">=", since)
  if (repositoryId !== undefined) found = found.where("repository_id", "=", repositoryId).where("kind", "<>", "repository")
  if (ownerId !== undefined)
    found = found.where("owner_id", "=", ownerId).where((eb) => eb.or([eb("kind", "=", "repository"), eb("repository_id", "is", null)]))
  if (kinds !== undefined)
    found = found.where((eb) =>
      eb.or([
        kinds.length === 0 ? sql<boolean>`1 = 0` : eb("kind", "in", [...kinds]),
        ...(commentsBy === undefined
          ? []
          : [eb.and([eb("kind", "=", "comment"), eb("author_id", "=", commentsBy), eb("actor_id", "=", commentsBy)])]),
      ]),
    )
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.select(COLUMNS).orderBy("id", "desc").limit(limit).offset(offset).execute()
  return { rows, total }
}
