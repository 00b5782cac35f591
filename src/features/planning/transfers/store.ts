import { sql } from "kysely"
import { permissionsOn } from "../../../access/permission.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import { grantedRepositories, readableRepositories } from "../../../access/visibility.ts"
import type { Actor, SignedIn } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { contains } from "../../../core/database/expressions.ts"
import { withOwners } from "../../code/repositories/store.ts"

/** The most repositories that are looked at, and that are offered. */
const MOST = 200
const OFFERED = 50

/**
 * Repositories to whose issues the caller may write, as `owner/name`, those that changed last first: of their own, and those that they were given access to.
 * With `q` only those with it in their name.
 */
export async function findTargets(db: Handle, actor: SignedIn, exceptId: number, q: string): Promise<readonly string[]> {
  const name = sql<string>`owner.name || '/' || repositories.name`
  const rows = await db
    .selectFrom("repositories")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("repositories")
    .where("repositories.id", "!=", exceptId)
    .where("repositories.is_archived", "=", 0)
    .where((eb) => eb.or([eb("repositories.owner_id", "=", actor.user.id), grantedRepositories(actor.user.id)]))
    .where(readableRepositories(actor, "repo.issues"))
    .$if(q !== "", (named) => named.where(contains(name, q)))
    .orderBy("repositories.updated_at", "desc")
    .orderBy("repositories.id", "desc")
    .limit(MOST)
    .execute()
  const owned = await withOwners(db, rows)
  const permissions = await permissionsOn(db, actor, owned)
  return owned
    .filter((home) => {
      const permission = permissions.get(home.repository.id)
      return permission !== undefined && writesKind({ ...home, permission }, { is_pull: 0 })
    })
    .slice(0, OFFERED)
    .map(({ owner, repository }) => `${owner.name}/${repository.name}`)
}

/** Where an issue was before, as far as the caller may read the issues there. */
export const findFormerPlaces = (db: Handle, actor: Actor, issueId: number) =>
  db
    .selectFrom("moved_issues")
    .innerJoin("repositories", "repositories.id", "moved_issues.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["moved_issues.number", "moved_issues.moved_at", "owner.name as owner", "repositories.name"])
    .where("moved_issues.issue_id", "=", issueId)
    .where(readableRepositories(actor, "repo.issues"))
    .execute()

/** Remembers the number that an issue had. */
export const insertMovedIssue = (
  tx: Transaction,
  {
    repositoryId,
    number,
    issueId,
    now,
  }: { readonly repositoryId: number; readonly number: number; readonly issueId: number; readonly now: number },
) => tx.insertInto("moved_issues").values({ repository_id: repositoryId, number, issue_id: issueId, moved_at: now }).execute()
