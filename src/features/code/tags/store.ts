import { sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { contains } from "../../../core/database/expressions.ts"
import { nearerWindow } from "../../../core/database/nearer-window.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"
import type { NamedTag } from "./facts.ts"

export const findTag = query("tags.find", (db, p: Params<{ repositoryId: number; name: string }>) =>
  db.selectFrom("tags").selectAll().where("repository_id", "=", p.repositoryId).where("name", "=", p.name),
)

/** A tag that conflicts with a name: one of its parent directories, or a name below it. */
export const findTagInTheWay = query(
  "tags.findInTheWay",
  (db, p: Params<{ repositoryId: number; above: readonly string[]; from: string; before: string }>) =>
    db
      .selectFrom("tags")
      .select("name")
      .where("repository_id", "=", p.repositoryId)
      .where((eb) => eb.or([eb("name", "in", p.above), eb.and([eb("name", ">", p.from), eb("name", "<", p.before)])]))
      .limit(1),
)

const listPage = query("tags.list", (db, p: Params<{ repositoryId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("tags")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .orderBy("tagged_at", "desc")
    .orderBy("name")
    .limit(p.limit)
    .offset(p.offset),
)

/** The same from the end of the list, in its opposite order: a late page is found without passing over all before it. */
const listLast = query("tags.listLast", (db, p: Params<{ repositoryId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("tags")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .orderBy("tagged_at")
    .orderBy("name", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

const countAll = query("tags.count", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("tag_totals").select("total").where("repository_id", "=", p.repositoryId),
)

const searchPage = query("tags.searchPage", (db, p: Params<{ repositoryId: number; text: string; limit: number; offset: number }>) =>
  db
    .selectFrom("tags")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where(contains(sql.ref("name"), p.text))
    .orderBy("tagged_at", "desc")
    .orderBy("name")
    .limit(p.limit)
    .offset(p.offset),
)

const countFound = query("tags.countFound", (db, p: Params<{ repositoryId: number; text: string }>) =>
  db
    .selectFrom("tags")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where(contains(sql.ref("name"), p.text)),
)

/** A page of a repository's tags whose names contain the text, ignoring case, newest first, and their total. */
export async function listTags(db: Handle, repositoryId: number, { limit, offset }: Page, text = "") {
  if (text !== "") {
    const rows = await searchPage(db, { repositoryId, text, limit, offset })
    return { rows, total: (await countFound.first(db, { repositoryId, text }))?.total ?? 0 }
  }
  const total = (await countAll.first(db, { repositoryId }))?.total ?? 0
  const { isReversed, ...window } = nearerWindow({ limit, offset }, total)
  const rows = isReversed ? (await listLast(db, { repositoryId, ...window })).toReversed() : await listPage(db, { repositoryId, ...window })
  return { rows, total }
}

/** The stored objects of the tags with these names. */
export const findTagObjects = query("tags.findObjects", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.selectFrom("tags").select(["name", "object_id"]).where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

/** The stored properties of all tags of a repository. */
export const findAllTags = query("tags.findAll", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("tags")
    .select(["name", "object_id", "target_id", "message", "tagged_at"])
    .where("repository_id", "=", p.repositoryId)
    .orderBy("name"),
)

export const removeTags = query("tags.remove", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.deleteFrom("tags").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

const findLastSequence = query("tags.findLastSequence", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("tags")
    .select((eb) => eb.fn.max("sequence").as("last"))
    .where("repository_id", "=", p.repositoryId)
    .unionAll(
      db
        .selectFrom("releases")
        .select((eb) => eb.fn.max("sequence").as("last"))
        .where("repository_id", "=", p.repositoryId),
    ),
)

/** The next sequence number for a tag or release of a repository, which the caller has locked. */
export async function nextSequence(tx: Transaction, repositoryId: number): Promise<number> {
  const rows = await findLastSequence(tx, { repositoryId })
  return 1 + Math.max(0, ...rows.map(({ last }) => last ?? 0))
}

/** Rows per statement. */
const BATCH = 64

/** Inserts or updates tags of a repository that the caller has locked. */
export async function putTags(tx: Transaction, repositoryId: number, tags: readonly NamedTag[]): Promise<void> {
  if (tags.length === 0) return
  const first = await nextSequence(tx, repositoryId)
  for (let start = 0; start < tags.length; start += BATCH)
    await tx
      .insertInto("tags")
      .values(
        tags.slice(start, start + BATCH).map(({ name, object_id, target_id, message, tagged_at }, index) => ({
          repository_id: repositoryId,
          name,
          object_id,
          target_id,
          message,
          tagged_at,
          sequence: first + start + index,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["repository_id", "name"]).doUpdateSet((eb) => ({
          object_id: eb.ref("excluded.object_id"),
          target_id: eb.ref("excluded.target_id"),
          message: eb.ref("excluded.message"),
          tagged_at: eb.ref("excluded.tagged_at"),
        })),
      )
      .execute()
}

export const findTagAmong = query("browse.findTagAmong", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.selectFrom("tags").select("name").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)
