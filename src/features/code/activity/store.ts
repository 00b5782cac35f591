import { type Params, query } from "../../../core/database/query.ts"

export const findStored = query("history.findContributions", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("repositories")
    .leftJoin("repository_contributions as counted", "counted.repository_id", "repositories.id")
    .leftJoin("branches", (join) =>
      join.onRef("branches.repository_id", "=", "repositories.id").onRef("branches.name", "=", "repositories.default_branch"),
    )
    .select([
      "repositories.storage",
      "repositories.object_format",
      "repositories.default_branch",
      "branches.commit_id as tip",
      "counted.commit_id",
      "counted.is_whole",
      "counted.authors",
    ])
    .where("repositories.id", "=", p.repositoryId),
)

export const putStored = query(
  "history.putContributions",
  (db, p: Params<{ repositoryId: number; commitId: string; isWhole: 0 | 1; authors: string; now: number }>) =>
    db
      .insertInto("repository_contributions")
      .values({ repository_id: p.repositoryId, commit_id: p.commitId, is_whole: p.isWhole, authors: p.authors, counted_at: p.now })
      .onConflict((conflict) =>
        conflict.column("repository_id").doUpdateSet((eb) => ({
          commit_id: eb.ref("excluded.commit_id"),
          is_whole: eb.ref("excluded.is_whole"),
          authors: eb.ref("excluded.authors"),
          counted_at: eb.ref("excluded.counted_at"),
        })),
      ),
)
