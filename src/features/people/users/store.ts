import { type Expression, expressionBuilder, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely"
import { NOBODY_ID } from "../../../access/rules.ts"
import { visibleOrganizations } from "../../../access/visibility.ts"
import { type Actor, isPublicOnly, isSiteAdministrator, type User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { contains, containsLower, inList } from "../../../core/database/expressions.ts"
import { forNoKeyUpdate, lockRow, lockRows } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds, Tables } from "../../../core/database/tables/index.ts"
import type { Visibility } from "../../../core/database/tables/people.ts"
import { refuse } from "../../../core/errors.ts"

// --- reads by key ----------------------------------------------------------------------------------------------------------------

export const countOtherAdministrators = query("users.countOtherAdministrators", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("kind", "=", "person")
    .where("is_admin", "=", 1)
    .where("is_active", "=", 1)
    .where("prohibit_login", "=", 0)
    .where("id", "!=", p.id),
)

// --- lists -----------------------------------------------------------------------------------------------------------------------

/** A page of a list, and the length of the whole list. */
export interface Found<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

export interface Window {
  readonly limit: number
  readonly offset: number
}

type Condition = Expression<SqlBool>

/** Name and full name, in any letter case, and the address where `address` allows it. An empty keyword finds everything. */
function matchesKeyword(keyword: string, address: Condition | undefined): Condition {
  const eb = expressionBuilder<Tables, "users">()
  if (keyword === "") return eb.lit(true)
  const named = [containsLower(eb.ref("users.lower_name"), keyword.toLowerCase()), contains(eb.ref("users.full_name"), keyword)]
  return eb.or(address ? [...named, eb.and([address, contains(eb.ref("users.email"), keyword)])] : named)
}

/** Whose address the caller may see, and so search by. */
function knownAddress(actor: Actor): Condition | undefined {
  if (actor.kind === "anonymous") return undefined
  const eb = expressionBuilder<Tables, "users">()
  return isSiteAdministrator(actor) ? eb.lit(true) : eb.or([eb("users.hide_email", "=", 0), eb("users.id", "=", actor.user.id)])
}

/** The users that a search by the caller finds: a restricted user finds only themselves. */
function searchable(actor: Actor): Condition {
  const eb = expressionBuilder<Tables, "users">()
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return eb("users.visibility", "=", "public")
  if (isSiteAdministrator(actor)) return eb.lit(true)
  const self = eb("users.id", "=", actor.user.id)
  return actor.user.is_restricted === 1 ? self : eb.or([eb("users.visibility", "in", ["public", "limited"]), self])
}

type People = SelectQueryBuilder<Tables, "users", object>

/**
 * How many of the accounts that meet a condition are hidden from the caller, for lists that are long: their lengths are stored, and few accounts are hidden from anyone. `shown` is a condition
 * that whoever is public meets.
 */
export const hiddenAmong = (condition: Condition, shown: Condition): RawBuilder<number> =>
  sql<number>`(select count(*) from users where users.visibility in ('limited', 'private') and ${condition} and not ${shown})`

const window = async (people: People, order: (people: People) => People, { limit, offset }: Window): Promise<Found<User>> => {
  const counted = await people.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await order(people).orderBy("users.id").selectAll("users").limit(limit).offset(offset).execute()
  return { rows, total: counted.total }
}

/** Users that the caller may find, by name. `id` restricts the search to one. */
export function searchPeople(
  db: Handle,
  actor: Actor,
  { keyword, id }: { readonly keyword: string; readonly id: number },
  page: Window,
): Promise<Found<User>> {
  const people: People = db
    .selectFrom("users")
    .where("users.kind", "=", "person")
    .where(searchable(actor))
    .where(matchesKeyword(keyword, knownAddress(actor)))
  return window(id === 0 ? people : people.where("users.id", "=", id), (found) => found.orderBy("users.lower_name"), page)
}

/** The orders in which accounts are explored. */
export const ACCOUNT_ORDERS = {
  alphabetically: ["users.lower_name", "asc"],
  reversealphabetically: ["users.lower_name", "desc"],
  newest: ["users.created_at", "desc"],
  oldest: ["users.created_at", "asc"],
  recentupdate: ["users.updated_at", "desc"],
  leastupdate: ["users.updated_at", "asc"],
} as const
export type AccountOrder = keyof typeof ACCOUNT_ORDERS

export interface ExploreFilter {
  readonly kind: User["kind"]
  readonly keyword: string
  readonly order: AccountOrder
}

/** The people whom a search by the caller finds, of those who may sign in, or the organisations that the caller may see. */
export function exploreAccounts(db: Handle, actor: Actor, { kind, keyword, order }: ExploreFilter, page: Window): Promise<Found<User>> {
  const accounts: People = db
    .selectFrom("users")
    .where("users.kind", "=", kind)
    .where(matchesKeyword(keyword, undefined))
    .where(kind === "person" ? searchable(actor) : visibleOrganizations(actor))
  const found = kind === "person" ? accounts.where("users.is_active", "=", 1).where("users.prohibit_login", "=", 0) : accounts
  const [column, direction] = ACCOUNT_ORDERS[order]
  return window(found, (rows) => rows.orderBy(column, direction), page)
}

export interface PeopleFilter {
  readonly keyword?: string | undefined
  readonly loginName?: string | undefined
  readonly sourceId?: number | undefined
  readonly visibility?: Visibility | undefined
  readonly isActive?: boolean | undefined
  readonly isAdmin?: boolean | undefined
  readonly isRestricted?: boolean | undefined
  readonly prohibitLogin?: boolean | undefined
  readonly hasTwoFactor?: boolean | undefined
  /** Whether they have signed in at least once. */
  readonly hasSignedIn?: boolean | undefined
  readonly sort?: "name" | "created" | "updated" | "id" | undefined
  readonly order?: "asc" | "desc" | undefined
}

const SORT_COLUMNS = { name: "users.lower_name", created: "users.created_at", updated: "users.updated_at", id: "users.id" } as const

/** All users, for site administrators. */
export function listPeople(db: Handle, filter: PeopleFilter, page: Window): Promise<Found<User>> {
  let people: People = db.selectFrom("users").where("users.kind", "=", "person")
  const flags = [
    ["users.is_active", filter.isActive],
    ["users.is_admin", filter.isAdmin],
    ["users.is_restricted", filter.isRestricted],
    ["users.prohibit_login", filter.prohibitLogin],
  ] as const
  for (const [column, wanted] of flags) if (wanted !== undefined) people = people.where(column, "=", wanted ? 1 : 0)
  if (filter.keyword) people = people.where(matchesKeyword(filter.keyword, expressionBuilder<Tables, "users">().lit(true)))
  if (filter.loginName) people = people.where("users.login_name", "=", filter.loginName)
  if (filter.sourceId !== undefined) people = people.where("users.source_id", "=", filter.sourceId)
  if (filter.visibility) people = people.where("users.visibility", "=", filter.visibility)
  if (filter.hasSignedIn !== undefined) people = people.where("users.last_login_at", filter.hasSignedIn ? ">" : "=", 0)
  if (filter.hasTwoFactor !== undefined) {
    const { hasTwoFactor } = filter
    people = people.where((eb) => {
      const enrolled = eb.exists(
        eb.selectFrom("two_factors").select("two_factors.user_id").whereRef("two_factors.user_id", "=", "users.id"),
      )
      return hasTwoFactor ? enrolled : eb.not(enrolled)
    })
  }
  return window(people, (found) => found.orderBy(SORT_COLUMNS[filter.sort ?? "name"], filter.order ?? "asc"), page)
}

// --- locks and counters -----------------------------------------------------------------------------------------------------------

/** The current row of the user, locked until the transaction ends. Refuses `notFound` where it was deleted meanwhile. */
export async function lockUser(tx: Transaction, id: number): Promise<User> {
  const user = await lockRow(tx, "users", id)
  if (!user) throw refuse.notFound()
  return user
}

/** Locks the rows of all site administrators. */
export async function lockAdministrators(tx: Transaction): Promise<void> {
  await tx.selectFrom("users").select("id").where("is_admin", "=", 1).orderBy("id").modifyEnd(forNoKeyUpdate).execute()
}

/** Recounts followers_count and following_count of these users from `follows`. */
export async function recountFollows(tx: Transaction, ids: readonly number[]): Promise<void> {
  await lockRows(tx, "users", ids)
  await tx
    .updateTable("users")
    .set((eb) => ({
      followers_count: eb
        .selectFrom("follows")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("followed_id", "=", "users.id"),
      following_count: eb
        .selectFrom("follows")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("follower_id", "=", "users.id"),
    }))
    .where(inList("users.id", ids))
    .execute()
}

/** Voids the user's remembered sign-ins in every process, after a change of the credentials that they were checked against. */
export async function forgetSignIns(tx: Transaction, userId: number): Promise<void> {
  await tx
    .updateTable("users")
    .set((eb) => ({ credentials_version: eb("credentials_version", "+", 1) }))
    .where("id", "=", userId)
    .execute()
}

/** Signs a person out of all browsers. */
export const deleteSessionsOf = query("users.deleteSessionsOf", (db, p: Params<{ userId: number }>) =>
  db.deleteFrom("sessions").where("user_id", "=", p.userId),
)

/** Changes nothing where the credentials were changed meanwhile. */
export const noteSignIn = (
  tx: Transaction,
  { now, userId, version }: { readonly now: number; readonly userId: number; readonly version: number },
) =>
  tx.updateTable("users").set({ last_login_at: now }).where("id", "=", userId).where("credentials_version", "=", version).executeTakeFirst()

export const findFirstAdministrator = (db: Handle) =>
  db.selectFrom("users").selectAll().where("is_admin", "=", 1).orderBy("id").limit(1).executeTakeFirst()

/** Makes the account that owns what remains of deleted repositories, unless it is there. */
export async function ensureNobody(tx: Transaction, now: Seconds): Promise<void> {
  await tx
    .insertInto("users")
    .values({
      id: NOBODY_ID,
      kind: "nobody",
      name: "(nobody)",
      lower_name: "(nobody)",
      visibility: "private",
      prohibit_login: 1,
      is_active: 0,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The same password under another hash: no sign-in ends by it. */
export const renewHash = query("users.renewHash", (db, p: Params<{ id: number; before: string; made: string }>) =>
  db.updateTable("users").set({ password_hash: p.made }).where("id", "=", p.id).where("password_hash", "=", p.before),
)
