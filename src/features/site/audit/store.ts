import type { Insertable, Selectable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { AuditEntriesTable } from "../../../core/database/tables/undo.ts"
import type { Page } from "../../../core/operation.ts"

export type AuditEntryRow = Selectable<AuditEntriesTable>

export async function insertEntries(tx: Transaction, rows: readonly Insertable<AuditEntriesTable>[]): Promise<readonly AuditEntryRow[]> {
  const all: AuditEntryRow[] = []
  for (const slice of slicesOf(rows)) all.push(...(await tx.insertInto("audit_entries").values(slice).returningAll().execute()))
  return all.toSorted((one, other) => one.id - other.id)
}

export interface EntryFilter {
  /** Login of who did it. */
  readonly actor?: string | undefined
  /** A kind of event, or the part before its dot. */
  readonly kind?: string | undefined
  /** Name of a repository. */
  readonly repository?: string | undefined
  /** Seconds. */
  readonly since?: number | undefined
  readonly before?: number | undefined
}

function filtered(db: Handle, organizationId: number, { actor, kind, repository, since, before }: EntryFilter) {
  let found = db.selectFrom("audit_entries").where("organization_id", "=", organizationId)
  if (actor) found = found.where("actor_name", "=", actor)
  if (kind)
    found = kind.includes(".") ? found.where("kind", "=", kind) : found.where("kind", ">", `${kind}.`).where("kind", "<", `${kind}/`)
  if (repository) found = found.where("repository_name", "=", repository)
  if (since !== undefined) found = found.where("created_at", ">=", since)
  if (before !== undefined) found = found.where("created_at", "<=", before)
  return found
}

/** A page of an organisation's entries, the newest first, and how many there are. */
export async function findEntries(
  db: Handle,
  organizationId: number,
  filter: EntryFilter,
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly AuditEntryRow[]; readonly total: number }> {
  const found = filtered(db, organizationId, filter)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** Entries after a position, the oldest first. */
export const findEntriesAfter = (
  db: Handle,
  organizationId: number,
  filter: EntryFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditEntryRow[]> => filtered(db, organizationId, filter).selectAll().where("id", ">", after).orderBy("id").limit(limit).execute()

/** The names of accounts and of repositories with their owners, by ids. */
export async function findNames(tx: Handle, userIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (userIds.length === 0) return new Map()
  const rows = await tx.selectFrom("users").select(["id", "name"]).where(inList("users.id", userIds)).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const findHomesOf = (tx: Handle, repositoryIds: readonly number[]) =>
  tx
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select(["repositories.id", "repositories.name", "repositories.owner_id", "users.kind"])
    .where(inList("repositories.id", repositoryIds))
    .execute()

export const findOrganizationIds = async (tx: Handle, ids: readonly number[]): Promise<ReadonlySet<number>> =>
  new Set(
    (await tx.selectFrom("users").select("id").where(inList("users.id", ids)).where("kind", "=", "organization").execute()).map(
      ({ id }) => id,
    ),
  )

/** The organisations that tokens were limited to, by whole or by some of their repositories. */
export async function findOrganizationsOfToken(tx: Handle, tokenId: number): Promise<readonly number[]> {
  const owners = await tx.selectFrom("access_token_owners").select("owner_id as id").where("token_id", "=", tokenId).execute()
  const repositories = await tx
    .selectFrom("access_token_repositories")
    .innerJoin("repositories", "repositories.id", "access_token_repositories.repository_id")
    .select("repositories.owner_id as id")
    .distinct()
    .where("token_id", "=", tokenId)
    .execute()
  return [...new Set([...owners, ...repositories].map(({ id }) => id))]
}

export const forgetEntries = query("audit.forgetEntries", (db, p: Params<{ before: number; limit: number }>) =>
  db
    .deleteFrom("audit_entries")
    .where("id", "in", db.selectFrom("audit_entries").select("id").where("created_at", "<", p.before).orderBy("created_at").limit(p.limit)),
)
