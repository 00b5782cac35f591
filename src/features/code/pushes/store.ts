import type { InsertObject, Selectable } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { BranchesTable } from "../../../core/database/tables/repositories.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"

/** A repository with its owner's name. */
export const findRepository = query("transport.findRepository", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("repositories")
    .select("owner.name as owner_name")
    .where("repositories.id", "=", p.id),
)

export const findOwner = query("transport.findOwner", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .selectAll("users")
    .where("repositories.id", "=", p.repositoryId),
)

export const putRows = (db: Handle, rows: readonly InsertObject<Tables, "branches">[]) =>
  db
    .insertInto("branches")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["repository_id", "name"]).doUpdateSet((eb) => ({
        commit_id: eb.ref("excluded.commit_id"),
        is_told: eb.ref("excluded.is_told"),
        commit_message: eb.ref("excluded.commit_message"),
        author_name: eb.ref("excluded.author_name"),
        author_email: eb.ref("excluded.author_email"),
        authored_at: eb.ref("excluded.authored_at"),
        author_offset: eb.ref("excluded.author_offset"),
        committer_name: eb.ref("excluded.committer_name"),
        committer_email: eb.ref("excluded.committer_email"),
        committed_at: eb.ref("excluded.committed_at"),
        pusher_id: eb.ref("excluded.pusher_id"),
        updated_at: eb.ref("excluded.updated_at"),
      })),
    )

export type BranchRow = Omit<Selectable<BranchesTable>, "id">

/** One of them: prepared, since most pushes are of one branch. */
export const putRow = query("transport.putBranch", (db, p: Params<BranchRow>) =>
  putRows(db, [
    {
      repository_id: p.repository_id,
      name: p.name,
      commit_id: p.commit_id,
      is_told: p.is_told,
      commit_message: p.commit_message,
      author_name: p.author_name,
      author_email: p.author_email,
      authored_at: p.authored_at,
      author_offset: p.author_offset,
      committer_name: p.committer_name,
      committer_email: p.committer_email,
      committed_at: p.committed_at,
      pusher_id: p.pusher_id,
      updated_at: p.updated_at,
    },
  ]),
)

export const removeBranches = query("transport.removeBranches", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.deleteFrom("branches").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

export const findBranchNames = query("transport.findBranchNames", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.selectFrom("branches").select("name").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

/** The head branches of open pull requests whose author allows edits by maintainers of the base, with the author. */
export const findMaintainable = query("branches.findMaintainable", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .innerJoin("users", "users.id", "issues.author_id")
    .selectAll("users")
    .select(["pulls.repository_id as base_id", "pulls.head_branch"])
    .where("pulls.head_repository_id", "=", p.repositoryId)
    .where("pulls.allow_maintainer_edit", "=", 1)
    .where("issues.is_closed", "=", 0),
)

export const putTurn = query(
  "transport.takeTurn",
  (db, p: Params<{ repositoryId: number; branch: string; holder: string; now: Seconds; endsAt: Seconds }>) =>
    db
      .insertInto("branch_turns")
      .values({ repository_id: p.repositoryId, branch: p.branch, holder: p.holder, ends_at: p.endsAt })
      .onConflict((conflict) =>
        conflict
          .columns(["repository_id", "branch"])
          .doUpdateSet((eb) => ({ holder: eb.ref("excluded.holder"), ends_at: eb.ref("excluded.ends_at") }))
          .where("branch_turns.ends_at", "<=", p.now),
      ),
)

export const removeTurn = query("transport.releaseTurn", (db, p: Params<{ repositoryId: number; branch: string; holder: string }>) =>
  db.deleteFrom("branch_turns").where("repository_id", "=", p.repositoryId).where("branch", "=", p.branch).where("holder", "=", p.holder),
)

export const findTurns = query("transport.findTurns", (db, p: Params<{ repositoryId: number; now: Seconds }>) =>
  db.selectFrom("branch_turns").select(["branch", "holder"]).where("repository_id", "=", p.repositoryId).where("ends_at", ">", p.now),
)
