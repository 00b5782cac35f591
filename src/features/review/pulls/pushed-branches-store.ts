import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

/** How many are given. */
const MOST = 3

/** The most branches that are looked at. */
const MOST_RECENT = 100

/**
 * Branches of a repository or of the user's own forks of it that the user was the last to push to, the newest push first: of the newest hundred those that differ from the default
 * branch, and have neither an open pull request into the repository nor one with the same commit.
 */
export const findPushed = query(
  "pulls.pushedBranches",
  (db, p: Params<{ userId: number; repositoryId: number; since: number; defaultBranch: string }>) => {
    const recent = db
      .selectFrom("branches")
      .innerJoin("repositories", "repositories.id", "branches.repository_id")
      .select(["branches.name", "branches.repository_id", "branches.commit_id", "branches.updated_at", "repositories.name as repository"])
      .where("branches.pusher_id", "=", p.userId)
      .where("branches.updated_at", ">=", p.since)
      .where((where) =>
        where.or([
          where.and([where("repositories.id", "=", p.repositoryId), where("branches.name", "!=", p.defaultBranch)]),
          where.and([where("repositories.fork_of_id", "=", p.repositoryId), where("repositories.owner_id", "=", p.userId)]),
        ]),
      )
      .orderBy("branches.updated_at", "desc")
      .orderBy("branches.repository_id")
      .orderBy("branches.name")
      .limit(sql.lit(MOST_RECENT))
    return db
      .selectFrom(recent.as("recent"))
      .select(["recent.name", "recent.repository_id", "recent.updated_at", "recent.repository"])
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom("branches as main")
              .select("main.name")
              .where("main.repository_id", "=", p.repositoryId)
              .where((main) => main("main.name", "in", [main.val(p.defaultBranch), main.ref("recent.name")]))
              .whereRef("main.commit_id", "=", "recent.commit_id")
              // A new fork has all branches of the repository.
              .where((main) =>
                main.or([main("main.name", "=", p.defaultBranch), main("main.repository_id", "!=", main.ref("recent.repository_id"))]),
              ),
          ),
        ),
      )
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom("pulls")
              .innerJoin("issues", "issues.id", "pulls.issue_id")
              .select("pulls.id")
              .where("pulls.repository_id", "=", p.repositoryId)
              .whereRef("pulls.head_repository_id", "=", "recent.repository_id")
              .whereRef("pulls.head_branch", "=", "recent.name")
              .where((pull) => pull.or([pull("issues.is_closed", "=", 0), pull("pulls.head_id", "=", pull.ref("recent.commit_id"))])),
          ),
        ),
      )
      .orderBy("recent.updated_at", "desc")
      .orderBy("recent.repository_id")
      .orderBy("recent.name")
      .limit(sql.lit(MOST))
  },
)
