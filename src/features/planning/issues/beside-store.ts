import { readableProjects } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** What is shown beside the conversation of an issue. */

/** The most participants that are shown. */
const MOST_PARTICIPANTS = 30

/** Those who wrote in a conversation, the author first. */
export const findParticipants = query("issues.findParticipants", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("users")
    .selectAll("users")
    .where("users.id", "in", (eb) =>
      eb
        .selectFrom("issues")
        .select("issues.author_id as id")
        .where("issues.id", "=", p.issueId)
        .union(
          eb
            .selectFrom("comments")
            .select("comments.author_id as id")
            .where("comments.issue_id", "=", p.issueId)
            .where("comments.kind", "in", ["comment", "code", "review"]),
        ),
    )
    .orderBy((eb) =>
      eb
        .case()
        .when("users.id", "=", eb.selectFrom("issues").select("issues.author_id").where("issues.id", "=", p.issueId))
        .then(0)
        .else(1)
        .end(),
    )
    .orderBy("users.id")
    .limit(MOST_PARTICIPANTS),
)

/** How long each person worked on an issue, in seconds, the longest first. */
export const findTimeSpent = query("issues.findTimeSpent", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("tracked_times")
    .leftJoin("users", "users.id", "tracked_times.user_id")
    .select(["users.name", (eb) => eb.fn.sum<number>("tracked_times.seconds").as("seconds")])
    .where("tracked_times.issue_id", "=", p.issueId)
    .where("tracked_times.is_deleted", "=", 0)
    .groupBy("users.name")
    .orderBy("seconds", "desc"),
)

/** The columns that an issue stands in, by project. */
export const findColumnsOfIssue = query("issues.findColumns", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("project_cards")
    .innerJoin("project_columns", "project_columns.id", "project_cards.column_id")
    .select(["project_cards.project_id", "project_columns.title"])
    .where("project_cards.issue_id", "=", p.issueId),
)

/** What a project is called, and whose it is. */
export interface ProjectName {
  readonly title: string
  readonly owner: string
  /** Null for a project of an account. */
  readonly repository: string | null
}

/** The titles of those of the projects, and whose they are, that the caller may read, by their ids. One query. */
export async function findProjectNames(db: Handle, actor: Actor, ids: readonly number[]): Promise<ReadonlyMap<number, ProjectName>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom("projects")
    .leftJoin("repositories", "repositories.id", "projects.repository_id")
    .innerJoin("users as owner", (join) =>
      join.on((eb) => eb("owner.id", "=", eb.fn.coalesce("projects.owner_id", "repositories.owner_id"))),
    )
    .select(["projects.id", "projects.title", "owner.name as owner", "repositories.name as repository"])
    .where(inList("projects.id", ids))
    .where((eb) =>
      eb(
        "projects.id",
        "in",
        db.selectFrom("projects").select("projects.id").where(inList("projects.id", ids)).where(readableProjects(actor)),
      ),
    )
    .execute()
  return new Map(rows.map(({ id, title, owner, repository }) => [id, { title, owner, repository }]))
}
