import type { Insertable, Selectable, Updateable } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { contains, inList } from "../../../core/database/expressions.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { MilestonesTable } from "../../../core/database/tables/issues.ts"
import { type Page as ListPage, type Page, pathNumber } from "../../../core/operation.ts"
import { concerning } from "../../code/repositories/search-store.ts"
import type { Found } from "../../people/users/store.ts"

export type Milestone = Selectable<MilestonesTable>

export interface MilestoneFilter {
  readonly state: "open" | "closed" | "all"
  /** A part of the title, case-insensitive; empty matches all. */
  readonly title: string
}

/**
 * A page of a repository's milestones that match the filter, and their total number: those without a due date first, then by due date, then
 * by title.
 */
export async function findMilestones(
  db: Handle,
  repositoryId: number,
  { state, title }: MilestoneFilter,
  page: Page,
): Promise<Found<Milestone>> {
  const milestones = db
    .selectFrom("milestones")
    .where("repository_id", "=", repositoryId)
    .$if(state !== "all", (found) => found.where("is_closed", "=", state === "closed" ? 1 : 0))
    .$if(title !== "", (found) => found.where((eb) => contains(eb.ref("milestones.title"), title)))
  const { total } = await milestones.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await milestones.selectAll().orderBy("due_at").orderBy("title").orderBy("id").limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

const selectById = (db: Handle, p: Params<{ repositoryId: number; id: number }>) =>
  db.selectFrom("milestones").selectAll().where("id", "=", p.id).where("repository_id", "=", p.repositoryId)
const selectByTitle = (db: Handle, p: Params<{ repositoryId: number; title: string }>) =>
  db.selectFrom("milestones").selectAll().where("repository_id", "=", p.repositoryId).where("title", "=", p.title).orderBy("id").limit(1)

const findById = query("milestones.findById", selectById)
const findByTitle = query("milestones.findByTitle", selectByTitle)
const lockById = query("milestones.lockById", (db, p: Params<{ repositoryId: number; id: number }>) =>
  selectById(db, p).modifyEnd(forNoKeyUpdate),
)
const lockByTitle = query("milestones.lockByTitle", (db, p: Params<{ repositoryId: number; title: string }>) =>
  selectByTitle(db, p).modifyEnd(forNoKeyUpdate),
)

/** A repository's milestone by its id, or else by its title, case-sensitive; of several with one title the oldest. */
export async function findMilestone(db: Handle, repositoryId: number, idOrTitle: string): Promise<Milestone | undefined> {
  const id = pathNumber(idOrTitle)
  const found = id === 0 ? undefined : await findById.first(db, { repositoryId, id })
  return found ?? findByTitle.first(db, { repositoryId, title: idOrTitle })
}

/** The same, locked. */
export async function lockMilestone(tx: Transaction, repositoryId: number, idOrTitle: string): Promise<Milestone | undefined> {
  const id = pathNumber(idOrTitle)
  const found = id === 0 ? undefined : await lockById.first(tx, { repositoryId, id })
  return found ?? lockByTitle.first(tx, { repositoryId, title: idOrTitle })
}

/** A repository's milestone by its id. */
export const findMilestoneById = findById

/** Milestones by their ids. */
export const findMilestonesByIds = query("milestones.findByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("milestones").selectAll().where("id", "in", p.ids),
)

/** The milestones of repositories that concern the reader, as far as they may read their issues or pull requests. */
export async function findEverywhere(
  db: Handle,
  { actor, me }: { readonly actor: Actor; readonly me: Pick<User, "id"> },
  { state, title }: { readonly state: "open" | "closed" | "all"; readonly title: string },
  { limit, offset }: ListPage,
) {
  const found = db
    .selectFrom("milestones")
    .innerJoin("repositories", "repositories.id", "milestones.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .where(concerning(me.id))
    .where((eb) => eb.or([readableRepositories(actor, "repo.issues"), readableRepositories(actor, "repo.pulls")]))
    .where("repositories.is_archived", "=", 0)
    .$if(state !== "all", (some) => some.where("milestones.is_closed", "=", state === "closed" ? 1 : 0))
    .$if(title !== "", (some) => some.where((eb) => contains(eb.ref("milestones.title"), title)))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll("milestones")
    .select(["owner.name as owner_name", "repositories.name as repository_name"])
    // Those without a date come last.
    .orderBy((eb) => eb.case().when("milestones.due_at", "=", 0).then(1).else(0).end())
    .orderBy("milestones.due_at")
    .orderBy("milestones.id")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

/** The milestones of a repository with one of these titles, or ids. */
export const findMilestonesNamed = (
  db: Handle,
  { repositoryId, titles, ids }: { readonly repositoryId: number; readonly titles: readonly string[]; readonly ids: readonly number[] },
) =>
  db
    .selectFrom("milestones")
    .select(["id", "title"])
    .where("repository_id", "=", repositoryId)
    .where((eb) => eb.or([inList("milestones.title", titles), inList("milestones.id", ids)]))
    .execute()

export const countIssues = query("milestones.countIssues", (db, p: Params<{ ids: readonly number[]; now: number }>) =>
  db
    .updateTable("milestones")
    .set((eb) => {
      const counted = (isClosed: Flag) =>
        eb
          .selectFrom("issues")
          .select((count) => count.fn.countAll<number>().as("total"))
          .whereRef("issues.milestone_id", "=", "milestones.id")
          .where("issues.is_closed", "=", isClosed)
      return { open_issues_count: counted(0), closed_issues_count: counted(1), updated_at: p.now }
    })
    .where("id", "in", p.ids),
)

export const insertMilestone = (tx: Transaction, row: Insertable<Tables["milestones"]>) =>
  tx.insertInto("milestones").values(row).returningAll().executeTakeFirstOrThrow()

export const updateMilestone = (tx: Transaction, id: number, changes: Updateable<Tables["milestones"]>) =>
  tx.updateTable("milestones").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

export const deleteMilestoneById = (tx: Transaction, id: number) => tx.deleteFrom("milestones").where("id", "=", id).execute()
