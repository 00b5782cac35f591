import { sql } from "kysely"
import type { Issue } from "../../../access/policies/issues.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
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
 * The issues that an issue depends on: those of its own repository first, then by repository, newest first. They include issues that the
 * caller may not read, which must be shown as placeholders: that the issue is blocked is no secret.
 */
export async function findDependencies(db: Handle, issue: Issue, page: Page): Promise<Found> {
  const total = (await countAll.first(db, { issueId: issue.id }))?.total ?? 0
  const rows = await findPage(db, { issueId: issue.id, repositoryId: issue.repository_id, limit: page.limit, offset: page.offset })
  return { rows, total }
}

/** The issues that depend on an issue and that the caller may read, in the same order. */
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
 * The number of open issues that an issue depends on, in any repository. Only checked where the issue's repository has dependencies
 * switched on (`enable_issue_dependencies`).
 */
export async function openDependencies(db: Handle, issueId: number): Promise<number> {
  return (await countOpen.first(db, { issueId }))?.total ?? 0
}

type Pair = Params<{ issueId: number; dependencyId: number }>

/** One row if the issue depends directly on the other. */
export const findDependency = query("dependencies.findPair", (db, p: Pair) =>
  db.selectFrom("issue_dependencies").select("issue_id").where("issue_id", "=", p.issueId).where("dependency_id", "=", p.dependencyId),
)

/** One row if the issue depends on the other, directly or transitively. */
export const findChain = query("dependencies.findChain", (db, p: Pair) =>
  db
    .withRecursive("awaited(id)", (made) =>
      made
        .selectFrom("issue_dependencies")
        .select("dependency_id as id")
        .where("issue_id", "=", p.issueId)
        // Without duplicates, so that it ends even if there should be a cycle.
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

export const insertDependency = (
  tx: Transaction,
  {
    issueId,
    dependencyId,
    userId,
    now,
  }: { readonly issueId: number; readonly dependencyId: number; readonly userId: number; readonly now: number },
) =>
  tx.insertInto("issue_dependencies").values({ issue_id: issueId, dependency_id: dependencyId, user_id: userId, created_at: now }).execute()

/** Gives no row where there is no such. */
export const deleteDependency = (tx: Transaction, { issueId, dependencyId }: { readonly issueId: number; readonly dependencyId: number }) =>
  tx
    .deleteFrom("issue_dependencies")
    .where("issue_id", "=", issueId)
    .where("dependency_id", "=", dependencyId)
    .returning("issue_id")
    .execute()

/** The issues that an issue depends on. */
export const findAllDependencies = (tx: Transaction, issueId: number) =>
  tx
    .selectFrom("issue_dependencies")
    .innerJoin("issues", "issues.id", "issue_dependencies.dependency_id")
    .selectAll("issues")
    .where("issue_dependencies.issue_id", "=", issueId)
    .orderBy("issues.id")
    .execute()

export const LOCK = 727_001

/** SQLite has only one writer at a time anyway. */
export const lockDependencies = query("dependencies.lock", (db) =>
  db.selectNoFrom(
    sql<unknown>`${portable<unknown>({ sqlite: sql`1`, postgres: sql`pg_advisory_xact_lock(${sql.lit(LOCK)})` })}`.as("locked"),
  ),
)
