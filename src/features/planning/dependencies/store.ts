import { sql } from "kysely"
import type { Issue } from "../../../access/policies/issues.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"

interface Found {
  readonly rows: readonly Issue[]
  readonly total: number
}

type Of = Params<{ issueId: number; repositoryId: number; limit: number; offset: number }>

const findPage = query("dependencies.find", (db, p: Of) =>
  db
    .selectFrom("issue_dependencies")
    .innerJoin("issues", "issues.id", "issue_dependencies.dependency_id")
    .selectAll("issues")
    .where("issue_dependencies.issue_id", "=", p.issueId)
    .orderBy((eb) => eb.case().when("issues.repository_id", "=", p.repositoryId).then(0).else(eb.ref("issues.repository_id")).end())
    .orderBy("issues.created_at", "desc")
    .orderBy("issues.id", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

const countAll = query("dependencies.count", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("issue_dependencies")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("issue_id", "=", p.issueId),
)

/**
 * What an issue waits for: that of its own repository first, then by repository, the newest first. It holds also what the caller may not
 * see, which has to be shown as hidden: that something keeps the issue open is no secret.
 */
export async function findDependencies(db: Handle, issue: Issue, page: Page): Promise<Found> {
  const total = (await countAll.first(db, { issueId: issue.id }))?.total ?? 0
  const rows = await findPage(db, { issueId: issue.id, repositoryId: issue.repository_id, limit: page.limit, offset: page.offset })
  return { rows, total }
}

/** What waits for an issue, as far as the caller may see it, in the same order. */
export async function findBlocked(db: Handle, actor: Actor, issue: Issue, page: Page): Promise<Found> {
  const unit = sql<string>`case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end`
  const blocked = db
    .selectFrom("issue_dependencies")
    .innerJoin("issues", "issues.id", "issue_dependencies.issue_id")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .where("issue_dependencies.dependency_id", "=", issue.id)
    .where(readableRepositories(actor, unit))
  const { total } = await blocked.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await blocked
    .selectAll("issues")
    .orderBy((eb) => eb.case().when("issues.repository_id", "=", issue.repository_id).then(0).else(eb.ref("issues.repository_id")).end())
    .orderBy("issues.created_at", "desc")
    .orderBy("issues.id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

const countOpen = query("dependencies.countOpen", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("issue_dependencies")
    .innerJoin("issues", "issues.id", "issue_dependencies.dependency_id")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("issue_dependencies.issue_id", "=", p.issueId)
    .where("issues.is_closed", "=", 0),
)

/**
 * How many open issues an issue waits for, wherever they are. Whoever closes it asks, where the issue's repository has dependencies switched
 * on (`enable_issue_dependencies`).
 */
export async function openDependencies(db: Handle, issueId: number): Promise<number> {
  return (await countOpen.first(db, { issueId }))?.total ?? 0
}

type Pair = Params<{ issueId: number; dependencyId: number }>

/** One row if the issue waits for the other at first hand. */
export const findDependency = query("dependencies.findPair", (db, p: Pair) =>
  db.selectFrom("issue_dependencies").select("issue_id").where("issue_id", "=", p.issueId).where("dependency_id", "=", p.dependencyId),
)

/** One row if the issue waits for the other, at first hand or through others, however many. */
export const findChain = query("dependencies.findChain", (db, p: Pair) =>
  db
    .withRecursive("awaited(id)", (made) =>
      made
        .selectFrom("issue_dependencies")
        .select("dependency_id as id")
        .where("issue_id", "=", p.issueId)
        // Without doubles, so that it ends even if there should be a circle.
        .union(
          made
            .selectFrom("awaited")
            .innerJoin("issue_dependencies", "issue_dependencies.issue_id", "awaited.id")
            .select("issue_dependencies.dependency_id as id"),
        ),
    )
    .selectFrom("awaited")
    .select("id")
    .where("id", "=", p.dependencyId),
)
