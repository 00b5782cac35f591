import { type Selectable, sql } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { contains } from "../../../core/database/expressions.ts"
import { nearerWindow } from "../../../core/database/nearer-window.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { BranchesTable } from "../../../core/database/tables/repositories.ts"
import type { Page } from "../../../core/operation.ts"

export type BranchRow = Selectable<BranchesTable>

export const findBranch = query("branches.find", (db, p: Params<{ repositoryId: number; name: string }>) =>
  db.selectFrom("branches").selectAll().where("repository_id", "=", p.repositoryId).where("name", "=", p.name),
)

const findPage = query("branches.findPage", (db, p: Params<{ repositoryId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("branches")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .orderBy("committed_at", "desc")
    .orderBy("name")
    .limit(p.limit)
    .offset(p.offset),
)

/** The same from the end of the list, in its opposite order: a late page is found without passing over all before it. */
const findLast = query("branches.findLast", (db, p: Params<{ repositoryId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("branches")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .orderBy("committed_at")
    .orderBy("name", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

const countAll = query("branches.countAll", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("branch_totals").select("total").where("repository_id", "=", p.repositoryId),
)

type Search = Params<{ repositoryId: number; text: string; limit: number; offset: number }>

const searchPage = query("branches.searchPage", (db, p: Search) =>
  db
    .selectFrom("branches")
    .selectAll()
    .where("repository_id", "=", p.repositoryId)
    .where(contains(sql.ref("name"), p.text))
    .orderBy("committed_at", "desc")
    .orderBy("name")
    .limit(p.limit)
    .offset(p.offset),
)

const countFound = query("branches.countFound", (db, p: Params<{ repositoryId: number; text: string }>) =>
  db
    .selectFrom("branches")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where(contains(sql.ref("name"), p.text)),
)

/** A repository's branches whose names contain the text, ignoring case: newest commits first, then by name. */
export async function findBranches(
  db: Handle,
  repositoryId: number,
  text: string,
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly BranchRow[]; readonly total: number }> {
  if (text !== "") {
    const rows = await searchPage(db, { repositoryId, text, limit, offset })
    return { rows, total: (await countFound.first(db, { repositoryId, text }))?.total ?? 0 }
  }
  const total = (await countAll.first(db, { repositoryId }))?.total ?? 0
  const { isReversed, ...window } = nearerWindow({ limit, offset }, total)
  const rows = isReversed ? (await findLast(db, { repositoryId, ...window })).toReversed() : await findPage(db, { repositoryId, ...window })
  return { rows, total }
}

/** A branch that conflicts with a name: the same name, one of its parent directories, or a name below it. */
export const findInTheWay = query(
  "branches.findInTheWay",
  (db, p: Params<{ repositoryId: number; names: readonly string[]; from: string; before: string }>) =>
    db
      .selectFrom("branches")
      .select("name")
      .where("repository_id", "=", p.repositoryId)
      .where((eb) => eb.or([eb("name", "in", p.names), eb.and([eb("name", ">", p.from), eb("name", "<", p.before)])]))
      .limit(1),
)

/** Redirects a branch's old name to its new one. */
export const putRedirect = query(
  "branches.putRedirect",
  (db, p: Params<{ repositoryId: number; name: string; newName: string; now: number }>) =>
    db
      .insertInto("branch_redirects")
      .values({ repository_id: p.repositoryId, name: p.name, new_name: p.newName, created_at: p.now })
      .onConflict((conflict) =>
        conflict
          .columns(["repository_id", "name"])
          .doUpdateSet((eb) => ({ new_name: eb.ref("excluded.new_name"), created_at: eb.ref("excluded.created_at") })),
      ),
)

/** Points existing redirects straight to the newest name. */
export const followRedirects = query("branches.followRedirects", (db, p: Params<{ repositoryId: number; name: string; newName: string }>) =>
  db
    .updateTable("branch_redirects")
    .set({ new_name: p.newName })
    .where("repository_id", "=", p.repositoryId)
    .where("new_name", "=", p.name),
)

export const removeRedirect = query("branches.removeRedirect", (db, p: Params<{ repositoryId: number; name: string }>) =>
  db.deleteFrom("branch_redirects").where("repository_id", "=", p.repositoryId).where("name", "=", p.name),
)

/** The longest of these names that a branch or tag has. */
export const findBranchAmong = query("browse.findBranchAmong", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.selectFrom("branches").select("name").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

export const findAllBranchNames = query("missing.findBranchNames", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("branches").select("name").where("repository_id", "=", p.repositoryId),
)
