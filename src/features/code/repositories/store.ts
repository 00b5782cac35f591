import { type Insertable, sql, type Updateable } from "kysely"
import type { Owned, Repository } from "../../../access/permission.ts"
import { NOBODY_ID } from "../../../access/rules.ts"
import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { idQuery, type Params, query } from "../../../core/database/query.ts"
import type { RepositoriesTable } from "../../../core/database/tables/repositories.ts"
import { flag, type Seconds } from "../../../core/database/tables/types.ts"

export const findUsersByIds = idQuery(
  query("repositories.findUsersByIds", (db, p: Params<{ ids: readonly number[] }>) =>
    db.selectFrom("users").selectAll().where("id", "in", p.ids),
  ),
)

export const findRepositoriesByIds = idQuery(
  query("repositories.findByIds", (db, p: Params<{ ids: readonly number[] }>) =>
    db.selectFrom("repositories").selectAll().where("id", "in", p.ids),
  ),
)

export const findMirrors = query("repositories.findMirrors", (db, p: Params<{ repositoryIds: readonly number[] }>) =>
  db.selectFrom("mirrors").selectAll().where("repository_id", "in", p.repositoryIds),
)

export const findTransfers = query("repositories.findTransfers", (db, p: Params<{ repositoryIds: readonly number[] }>) =>
  db.selectFrom("repository_transfers").selectAll().where("repository_id", "in", p.repositoryIds),
)

/** The teams that a transfer names, by their ids. */
export function transferTeamIds({ team_ids }: { readonly team_ids: string }): readonly number[] {
  const read: unknown = JSON.parse(team_ids)
  return Array.isArray(read) ? read.map(Number) : []
}

export const findTeamsByIds = query("repositories.findTeamsByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("teams").selectAll().where("id", "in", p.ids),
)

/** Adds the owner to each repository, in the order given: one query. */
export async function withOwners(db: Handle, repositories: readonly Repository[]): Promise<readonly Owned[]> {
  const owners = await usersById(
    db,
    repositories.map((repository) => repository.owner_id),
  )
  return repositories.flatMap((repository) => {
    const owner = owners.get(repository.owner_id)
    return owner ? [{ repository, owner }] : []
  })
}

/** The users with these ids: at most one query, none for an empty list. */
export async function usersById(db: Handle, ids: readonly number[]): Promise<ReadonlyMap<number, User>> {
  const distinct = new Set(ids)
  if (distinct.size === 0) return new Map()
  const [only] = distinct
  const users =
    distinct.size === 1 && only !== undefined ? await findUserById(db, { id: only }) : await findUsersByIds(db, { ids: [...distinct] })
  return new Map(users.map((user) => [user.id, user]))
}

/** The fork that someone has of a repository. */
export const findForkOf = query("editor.findFork", (db, p: Params<{ ownerId: number; repositoryId: number }>) =>
  db
    .selectFrom("repositories")
    .select(["id", "name", "default_branch"])
    .where("owner_id", "=", p.ownerId)
    .where("fork_of_id", "=", p.repositoryId),
)

/** Whether the reader has a star on the repository, how they watch it, and to whom it is offered. One statement for all. */
export const findMarks = query("frame.findMarks", (db, p: Params<{ userId: number; repositoryId: number }>) =>
  db
    .selectFrom("users")
    .leftJoin("stars", (join) => join.onRef("stars.user_id", "=", "users.id").on("stars.repository_id", "=", p.repositoryId))
    .leftJoin("watches", (join) => join.onRef("watches.user_id", "=", "users.id").on("watches.repository_id", "=", p.repositoryId))
    .leftJoin("repository_transfers as offer", (join) => join.on("offer.repository_id", "=", p.repositoryId))
    .leftJoin("users as recipient", "recipient.id", "offer.recipient_id")
    .select([
      "stars.repository_id as starred",
      "watches.mode as watched",
      "recipient.id as recipient_id",
      "recipient.kind as recipient_kind",
    ])
    .where("users.id", "=", p.userId),
)

/** The repository that an owner made last. */
export const findNewestOwned = query("repositories.findNewestOwned", (db, p: Params<{ ownerId: number }>) =>
  db.selectFrom("repositories").select("id").where("owner_id", "=", p.ownerId).orderBy("id", "desc").limit(1),
)

/** Unless a push has stored others meanwhile. */
export const putLicenses = query("licenses.put", (db, p: Params<{ id: number; before: string; licenses: string }>) =>
  db.updateTable("repositories").set({ licenses: p.licenses }).where("id", "=", p.id).where("licenses", "=", p.before),
)

/** Stores the main language and the licences. */
export const putComposed = query("composition.describe", (db, p: Params<{ repositoryId: number; language: string; licenses: string }>) =>
  db.updateTable("repositories").set({ language: p.language, licenses: p.licenses }).where("id", "=", p.repositoryId),
)

/** Whether an owner has another fork of a repository than this one. */
export const hasOtherFork = async (db: Handle, baseId: number, owner: User, exceptId: number): Promise<boolean> =>
  (await db
    .selectFrom("repositories")
    .select("id")
    .where("fork_of_id", "=", baseId)
    .where("owner_id", "=", owner.id)
    .where("id", "!=", exceptId)
    .executeTakeFirst()) !== undefined

/** How visible a repository and its owner are. */
export const findParent = (db: Handle, id: number) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select(["repositories.is_private", "users.visibility"])
    .where("repositories.id", "=", id)
    .executeTakeFirst()

/** The forks of these repositories, with how visible they and their owners are. */
export const forksOf = (tx: Transaction, ids: readonly number[]) =>
  tx
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select(["repositories.id", "repositories.is_private", "repositories.fork_of_id", "users.visibility"])
    .where(inList("repositories.fork_of_id", ids))
    .execute()

export async function setPrivate(tx: Transaction, ids: readonly number[], isPrivate: boolean): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable("repositories")
    .set({ is_private: flag(isPrivate) })
    .where(inList("repositories.id", ids))
    .execute()
}

/** Updates the repository's time of change, which also locks out other pushes until the transaction ends. */
export const touchRepository = query("transport.touchRepository", (db, p: Params<{ id: number; now: number }>) =>
  db.updateTable("repositories").set({ updated_at: p.now }).where("id", "=", p.id).returningAll(),
)

/** Stores the effects of a push on its repository's row. */
export const settleRepository = query(
  "transport.settleRepository",
  (db, p: Params<{ id: number; defaultBranch: string; base: number; added: number }>) =>
    db
      .updateTable("repositories")
      .set((eb) => ({
        default_branch: p.defaultBranch,
        is_empty: sql<0 | 1>`case when branches_count = 0 then 1 else 0 end`,
        // Added to the stored size unless it was measured: other pushes may have increased it meanwhile.
        git_size: sql<number>`git_size * ${p.base} + ${p.added}`,
        updated_at: eb.ref("updated_at"),
      }))
      .where("id", "=", p.id)
      .returningAll(),
)

export const findByStorage = query("lfs.findByStorage", (db, p: Params<{ storages: readonly string[] }>) =>
  db.selectFrom("repositories").select(["id", "storage"]).where("storage", "in", p.storages),
)

export const countRepositories = query("repositories.count", (db) =>
  db.selectFrom("repositories").select((eb) => eb.fn.countAll<number>().as("count")),
)

// --- changes ----------------------------------------------------------------------------------------------------------------------

/** Changes these columns of a repository's row. */
export async function updateRepository(tx: Transaction, id: number, changes: Updateable<RepositoriesTable>): Promise<void> {
  await tx.updateTable("repositories").set(changes).where("id", "=", id).execute()
}

/** Inserts a repository's row and returns its id. */
export async function insertRepository(tx: Transaction, row: Insertable<RepositoriesTable>): Promise<number> {
  const { id } = await tx.insertInto("repositories").values(row).returning("id").executeTakeFirstOrThrow()
  return id
}

/** Whether an error says that the owner of a repository has another one of that name. */
export const isNameTaken = (error: unknown): boolean => isUniqueViolation(error, ["repositories.owner_id", "repositories.lower_name"])

/** Gives a repository another picture; returns whether it had another one. */
export async function setAvatar(tx: Transaction, id: number, avatar: string, now: Seconds): Promise<boolean> {
  const changed = await tx
    .updateTable("repositories")
    .set({ avatar, updated_at: now })
    .where("id", "=", id)
    .where("avatar", "!=", avatar)
    .returning("id")
    .execute()
  return changed.length > 0
}

/** The first repository of an owner, up to this id. */
export const findFirstOwned = (db: Handle, ownerId: number, upTo: number): Promise<Repository | undefined> =>
  db
    .selectFrom("repositories")
    .selectAll()
    .where("owner_id", "=", ownerId)
    .where("id", "<=", upTo)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst()

/** The ids of an owner's repositories, for conditions. */
export const idsOwnedBy = (db: Handle, ownerId: number) => db.selectFrom("repositories").select("id").where("owner_id", "=", ownerId)

/** Makes forks of a repository, and what was generated from it, independent. */
export async function freeOffspring(tx: Transaction, id: number): Promise<void> {
  await tx.updateTable("repositories").set({ fork_of_id: null }).where("fork_of_id", "=", id).execute()
  await tx.updateTable("repositories").set({ template_id: null }).where("template_id", "=", id).execute()
}

/** Gives a repository to no one, under a name that is not known, and without units. */
export async function giveRowToNobody(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable("repositories")
    .set((eb) => ({
      owner_id: NOBODY_ID,
      name: eb.ref("storage"),
      lower_name: eb.ref("storage"),
      description: "",
      website: "",
      topics: "[]",
      stars_count: 0,
      watchers_count: 0,
      forks_count: 0,
      is_private: 1,
      is_archived: 1,
      is_mirror: 0,
      is_template: 0,
      fork_of_id: null,
      template_id: null,
      shares_workflows: 0,
      has_code: 0,
      has_issues: 0,
      has_pull_requests: 0,
      has_releases: 0,
      has_wiki: 0,
      has_projects: 0,
      has_packages: 0,
      has_actions: 0,
    }))
    .where("id", "=", id)
    .execute()
}

/** Deletes a repository's row with what belongs to it; returns what its files are named after. */
export const deleteRepositoryRow = (tx: Transaction, id: number) =>
  tx.deleteFrom("repositories").where("id", "=", id).returning(["storage", "object_format", "avatar"]).executeTakeFirst()
