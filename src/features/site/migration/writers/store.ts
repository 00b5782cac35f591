import type { Handle } from "../../../../core/database/database.ts"
import { inList } from "../../../../core/database/expressions.ts"

/** The milestones of a repository, by their titles. */
export const findMilestones = (db: Handle, repositoryId: number) =>
  db.selectFrom("milestones").select(["id", "title"]).where("repository_id", "=", repositoryId).execute()

/** The labels of a repository, by their names. */
export const findLabels = (db: Handle, repositoryId: number) =>
  db.selectFrom("labels").select(["id", "name"]).where("repository_id", "=", repositoryId).execute()

/** Those of the numbers that issues of a repository have, or that are kept for pull requests whose commits are not here yet. */
export async function findTakenNumbers(db: Handle, repositoryId: number, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom("issues")
    .select("number")
    .where("repository_id", "=", repositoryId)
    .where(inList("issues.number", numbers))
    .union(
      db
        .selectFrom("imported_items")
        .select("local_id as number")
        .where("repository_id", "=", repositoryId)
        .where("kind", "=", "pull_numbers")
        .where(inList("imported_items.local_id", numbers)),
    )
    .execute()
  return new Set(rows.map(({ number }) => number))
}

/** The issues and pull requests of these keys that came from elsewhere: those that were created here meanwhile are left alone. */
export const findImportedIssues = (db: Handle, repositoryId: number, keys: readonly string[]) =>
  db
    .selectFrom("imported_items")
    .innerJoin("issues", "issues.id", "imported_items.local_id")
    .select(["issues.id", "imported_items.kind", "imported_items.source_key"])
    .where("issues.repository_id", "=", repositoryId)
    .where("imported_items.repository_id", "=", repositoryId)
    .where("imported_items.kind", "in", ["issues", "pull_requests"])
    .where(inList("imported_items.source_key", keys))
    .execute()

export const findReleases = (db: Handle, repositoryId: number) =>
  db.selectFrom("releases").select(["id", "tag_name"]).where("repository_id", "=", repositoryId).execute()

export const findTagNames = (db: Handle, repositoryId: number) =>
  db.selectFrom("tags").select("name").where("repository_id", "=", repositoryId).execute()

export const findReleasesOfTags = (db: Handle, repositoryId: number, tags: readonly string[]) =>
  db
    .selectFrom("releases")
    .select(["id", "tag_name"])
    .where("repository_id", "=", repositoryId)
    .where(inList("releases.tag_name", tags))
    .execute()

/** Whether there is such a project still. */
export const isProject = async (db: Handle, id: number): Promise<boolean> =>
  (await db.selectFrom("projects").select("id").where("id", "=", id).execute()).length > 0
