import { type InsertObject, type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../database/database.ts"
import { forNoKeyUpdate } from "../database/lock.ts"
import { type Params, query } from "../database/query.ts"
import type { Flag, Seconds, Tables } from "../database/tables/index.ts"

export const findStored = query("storedRepositories.find", (db, p: Params<{ key: string }>) =>
  db.selectFrom("stored_repositories").selectAll().where("key", "=", p.key),
)

/** The same, and no other may change it until the transaction ends. */
export const lockStored = query("storedRepositories.lock", (db, p: Params<{ key: string }>) =>
  db.selectFrom("stored_repositories").selectAll().where("key", "=", p.key).modifyEnd(forNoKeyUpdate),
)

export const insertStored = query(
  "storedRepositories.insert",
  (
    db,
    p: Params<{
      key: string
      format: "sha1" | "sha256"
      head: string
      size: number
      packsCount: number
      now: Seconds
    }>,
  ) =>
    db
      .insertInto("stored_repositories")
      .values({
        key: p.key,
        object_format: p.format,
        head: p.head,
        refs_version: 1,
        removed_version: 0,
        packs_version: 1,
        gc_epoch: 1,
        size: p.size,
        packed_size: p.size,
        packs_count: p.packsCount,
        has_left_behind: 0,
        aside_since: 0,
        created_at: p.now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id"),
)

export const removeStored = query("storedRepositories.remove", (db, p: Params<{ key: string }>) =>
  db.deleteFrom("stored_repositories").where("key", "=", p.key),
)

export const putHead = query("storedRepositories.putHead", (db, p: Params<{ key: string; head: string }>) =>
  db.updateTable("stored_repositories").set({ head: p.head }).where("key", "=", p.key),
)

export const putVersions = query(
  "storedRepositories.putVersions",
  (
    db,
    p: Params<{
      id: number
      refs: number
      removed: number
      packs: number
      epoch: number
      size: number
      packedSize: number
      packsCount: number
      hasLeftBehind: Flag
      asideSince: Seconds
    }>,
  ) =>
    db
      .updateTable("stored_repositories")
      .set({
        refs_version: p.refs,
        removed_version: p.removed,
        packs_version: p.packs,
        gc_epoch: p.epoch,
        size: p.size,
        packed_size: p.packedSize,
        packs_count: p.packsCount,
        has_left_behind: p.hasLeftBehind,
        aside_since: p.asideSince,
      })
      .where("id", "=", p.id),
)

export const findReferences = query("repositoryRefs.find", (db, p: Params<{ repositoryId: number; after: number }>) =>
  db
    .selectFrom("repository_refs")
    .select(["name", "object_id"])
    .where("stored_repository_id", "=", p.repositoryId)
    .where("version", ">", p.after),
)

export const findNamed = query("repositoryRefs.findNamed", (db, p: Params<{ key: string; names: readonly string[] }>) =>
  db
    .selectFrom("stored_repositories")
    .innerJoin("repository_refs", "repository_refs.stored_repository_id", "stored_repositories.id")
    .select(["repository_refs.name", "repository_refs.object_id"])
    .where("stored_repositories.key", "=", p.key)
    .where("repository_refs.name", "in", p.names),
)

/** A reference whose name begins with one of these, as with a folder's. Names are ordered by their bytes; "0" follows "/". */
export async function findBelow(tx: Transaction, repositoryId: number, names: readonly string[]): Promise<string | undefined> {
  const ranges = sql.join(names.map((name) => sql`(${`${name}/`}, ${`${name}0`})`))
  const { rows } = await sql<{ readonly name: string }>`
    select repository_refs.name from (values ${ranges}) as folders
    inner join repository_refs on stored_repository_id = ${repositoryId} and name >= folders.column1 and name < folders.column2
    limit 1`.execute(tx)
  return rows[0]?.name
}

const putting = (db: Handle, rows: readonly InsertObject<Tables, "repository_refs">[]) =>
  db
    .insertInto("repository_refs")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["stored_repository_id", "name"])
        .doUpdateSet((eb) => ({ object_id: eb.ref("excluded.object_id"), version: eb.ref("excluded.version") })),
    )

const putReference = query(
  "repositoryRefs.put",
  (db, p: Params<{ repositoryId: number; name: string; objectId: string; version: number }>) =>
    putting(db, [{ stored_repository_id: p.repositoryId, name: p.name, object_id: p.objectId, version: p.version }]),
)

/** Most changes are of one reference, whose statement is prepared. */
export async function putReferences(
  tx: Transaction,
  repositoryId: number,
  references: readonly { readonly name: string; readonly objectId: string }[],
  version: number,
): Promise<void> {
  const [first, ...others] = references
  if (first === undefined) return
  if (others.length === 0) await putReference(tx, { repositoryId, ...first, version })
  else
    await putting(
      tx,
      references.map(({ name, objectId }) => ({ stored_repository_id: repositoryId, name, object_id: objectId, version })),
    ).execute()
}

export const removeReferences = query("repositoryRefs.remove", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.deleteFrom("repository_refs").where("stored_repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

/** A page of packs, the oldest first. */
export const findPacks = query(
  "repositoryPacks.find",
  (db, p: Params<{ repositoryId: number; after: number; afterId: number; limit: number }>) =>
    db
      .selectFrom("repository_packs")
      .innerJoin("packs", "packs.id", "repository_packs.pack_id")
      .select(["packs.id", "packs.file", "packs.size", "packs.content", "packs.files", "repository_packs.version"])
      .where("stored_repository_id", "=", p.repositoryId)
      .where((eb) =>
        eb.or([
          eb("repository_packs.version", ">", p.after),
          eb.and([eb("repository_packs.version", "=", p.after), eb("repository_packs.pack_id", ">", p.afterId)]),
        ]),
      )
      .orderBy("repository_packs.version")
      .orderBy("repository_packs.pack_id")
      .limit(p.limit),
)

export const insertPack = query(
  "packs.insert",
  (db, p: Params<{ file: string; size: number; content: Uint8Array | null; files: string; now: Seconds }>) =>
    db
      .insertInto("packs")
      .values({ file: p.file, size: p.size, content: p.content, files: p.files, created_at: p.now, unused_since: 0 })
      .returning("id"),
)

export const linkPack = query("repositoryPacks.link", (db, p: Params<{ repositoryId: number; packId: number; version: number }>) =>
  db.insertInto("repository_packs").values({ stored_repository_id: p.repositoryId, pack_id: p.packId, version: p.version }),
)

/** Gives a repository the packs of another one. */
export const linkPacksOf = query("repositoryPacks.linkAll", (db, p: Params<{ from: number; to: number }>) =>
  db
    .insertInto("repository_packs")
    .columns(["stored_repository_id", "pack_id", "version"])
    .expression((eb) =>
      eb
        .selectFrom("repository_packs")
        .select([sql<number>`${p.to}`.as("stored_repository_id"), "pack_id", sql<number>`1`.as("version")])
        .where("stored_repository_id", "=", p.from),
    ),
)

/** What packs after a version add up to. */
export const sumPacks = query("repositoryPacks.sum", (db, p: Params<{ repositoryId: number; after: number }>) =>
  db
    .selectFrom("repository_packs")
    .innerJoin("packs", "packs.id", "repository_packs.pack_id")
    .select((eb) => [eb.fn.coalesce(eb.fn.sum<number>("packs.size"), sql<number>`0`).as("size"), eb.fn.countAll<number>().as("count")])
    .where("stored_repository_id", "=", p.repositoryId)
    .where("repository_packs.version", ">", p.after),
)

export const unlinkPacks = query("repositoryPacks.unlink", (db, p: Params<{ repositoryId: number; upTo: number }>) =>
  db.deleteFrom("repository_packs").where("stored_repository_id", "=", p.repositoryId).where("version", "<=", p.upTo),
)

const isUnused = sql<SqlBool>`not exists (select 1 from repository_packs where repository_packs.pack_id = packs.id)`

/** Notes since when packs are of no repository. */
export const noteUnusedPacks = query("packs.noteUnused", (db, p: Params<{ now: Seconds }>) =>
  db.updateTable("packs").set({ unused_since: p.now }).where("unused_since", "=", 0).where(isUnused),
)

/** Forgets packs that have been of no repository since before a time. Packs are given only by a repository that has them, so that none comes back. */
export const forgetPacks = query("packs.forget", (db, p: Params<{ before: Seconds }>) =>
  db.deleteFrom("packs").where("unused_since", ">", 0).where("unused_since", "<", p.before).where(isUnused),
)

export const findPackFiles = query("packs.findFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("packs").select("file").where("file", "in", p.files),
)

export const countPacks = query("packs.count", (db) => db.selectFrom("packs").select((eb) => eb.fn.countAll<number>().as("count")))
