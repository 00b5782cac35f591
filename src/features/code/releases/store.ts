import { type Insertable, type Selectable, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ReleasesTable } from "../../../core/database/tables/releases.ts"
import { refuse } from "../../../core/errors.ts"
import type { Page } from "../../../core/operation.ts"
import { findTag, nextSequence } from "../tags/store.ts"

export type Release = Selectable<ReleasesTable>
export type NewRelease = Insertable<ReleasesTable>

/** Finds a release by repository and id, never by id alone. */
export const findRelease = query("releases.find", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.selectFrom("releases").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)

export const findReleaseById = query("releases.findById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("releases").selectAll().where("id", "=", p.id),
)

export const findReleasesByIds = query("releases.findByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("releases").selectAll().where("id", "in", p.ids),
)

export const findLatestRelease = query("releases.findLatest", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("releases")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where("is_draft", "=", sql.lit<0>(0))
    .where("is_prerelease", "=", sql.lit<0>(0))
    .orderBy("created_at", "desc")
    .orderBy("sequence", "desc")
    .orderBy("id", "desc")
    .limit(1),
)

export interface ReleaseFilter {
  readonly repositoryId: number
  /** Whether the caller sees drafts. */
  readonly drafts: boolean
  readonly draft: boolean | undefined
  readonly prerelease: boolean | undefined
}

const filtered = (db: Handle, { repositoryId, drafts, draft, prerelease }: ReleaseFilter) => {
  let rows = db.selectFrom("releases").where("repository_id", "=", repositoryId)
  if (!drafts) rows = rows.where("is_draft", "=", 0)
  if (draft !== undefined) rows = rows.where("is_draft", "=", draft ? 1 : 0)
  if (prerelease !== undefined) rows = rows.where("is_prerelease", "=", prerelease ? 1 : 0)
  return rows
}

/** A page of a repository's releases, newest first, and the total of all that match. */
export async function listReleases(db: Handle, filter: ReleaseFilter, { limit, offset }: Page) {
  const rows = await filtered(db, filter)
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("sequence", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute()
  const counted = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirst()
  return { rows, total: counted?.total ?? 0 }
}

/**
 * Stores a release of a repository that the caller has locked. It gets its tag's sequence number, so that releases of the same second are in the order of
 * their tags. Throws a unique violation if the tag has a release.
 */
export async function insertRelease(tx: Transaction, row: Omit<NewRelease, "sequence">): Promise<Release> {
  const tag = await findTag.first(tx, { repositoryId: row.repository_id, name: row.tag_name })
  const sequence = tag?.sequence ?? (await nextSequence(tx, row.repository_id))
  return tx
    .insertInto("releases")
    .values({ ...row, sequence })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Updates an existing release. Throws like `insertRelease`. */
export const updateRelease = (tx: Transaction, id: number, changes: Partial<NewRelease>): Promise<Release> =>
  tx.updateTable("releases").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

/** Locks the release until the transaction ends. Refuses `notFound` if it is gone. */
export async function lockRelease(tx: Transaction, id: number): Promise<void> {
  if (!(await lockRow(tx, "releases", id))) throw refuse.notFound()
}

export const findTargets = query("releases.findTargets", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("releases").select("target_commitish").where("repository_id", "=", p.repositoryId),
)

export async function deleteReleaseRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom("releases").where("id", "=", id).execute()
}

/** Makes somebody the publisher of releases that came from elsewhere. */
export const giveReleases = (tx: Transaction, ids: readonly number[], userId: number) =>
  tx.updateTable("releases").set({ publisher_id: userId }).where(inList("releases.id", ids)).execute()
