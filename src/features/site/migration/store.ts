import type { Updateable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Tables } from "../../../core/database/tables.ts"

/** The milestones of a repository, by their titles. */
export const findMilestones = (db: Handle, repositoryId: number) =>
  db.selectFrom("milestones").select(["id", "title"]).where("repository_id", "=", repositoryId).execute()

/** The labels of a repository, by their names. */
export const findLabels = (db: Handle, repositoryId: number) =>
  db.selectFrom("labels").select(["id", "name"]).where("repository_id", "=", repositoryId).execute()

/** Those of the numbers that issues of a repository have. */
export const findTakenNumbers = (db: Handle, repositoryId: number, numbers: readonly number[]) =>
  db.selectFrom("issues").select("number").where("repository_id", "=", repositoryId).where(inList("issues.number", numbers)).execute()

/** The issues of these numbers that came from elsewhere: those that were created here meanwhile are left alone. */
export const findImportedIssues = (db: Handle, repositoryId: number, numbers: readonly number[]) =>
  db
    .selectFrom("issues")
    .select(["id", "number"])
    .where("repository_id", "=", repositoryId)
    .where(inList("issues.number", numbers))
    .where("original_author", "!=", "")
    .execute()

export const findReleases = (db: Handle, repositoryId: number) =>
  db.selectFrom("releases").select(["id", "tag_name"]).where("repository_id", "=", repositoryId).execute()

export const findTagNames = (db: Handle, repositoryId: number) =>
  db.selectFrom("tags").select("name").where("repository_id", "=", repositoryId).execute()

/** The nth pull request that came from elsewhere, from 1. */
export const findNthImportedPull = (db: Handle, repositoryId: number, nth: number) =>
  db
    .selectFrom("issues")
    .select(["id", "number"])
    .where("repository_id", "=", repositoryId)
    .where("is_pull", "=", 1)
    .where("original_author", "!=", "")
    .orderBy("number")
    .limit(1)
    .offset(nth - 1)
    .executeTakeFirst()

export const findReleasesOfTags = (db: Handle, repositoryId: number, tags: readonly string[]) =>
  db
    .selectFrom("releases")
    .select(["id", "tag_name"])
    .where("repository_id", "=", repositoryId)
    .where(inList("releases.tag_name", tags))
    .execute()

/** The row of a repository whose code has come. */
export const settleImported = (tx: Transaction, repositoryId: number, changes: Updateable<Tables["repositories"]>) =>
  tx.updateTable("repositories").set(changes).where("id", "=", repositoryId).execute()
