import { type Expression, type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely"
import { countVisible } from "../../../access/count-store.ts"
import { Mode } from "../../../access/modes.ts"
import type { Repository } from "../../../access/permission.ts"
import { listedUsers, publicRepositories, reachOf, visibleRepositories, visibleTeams } from "../../../access/visibility.ts"
import { type Actor, actorId, isSiteAdministrator, type SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { contains, containsLower, isOneOf } from "../../../core/database/expressions.ts"
import { nearerWindow } from "../../../core/database/nearer-window.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { Found, Window } from "../../people/users/store.ts"
import { findRepositoriesByIds } from "./store.ts"

export type Condition = Expression<SqlBool>
type Repositories = SelectQueryBuilder<Tables, "repositories", object>
type Builder = ExpressionBuilder<Tables, "repositories">

const eb = (): Builder => expressionBuilder<Tables, "repositories">()

// --- orders -----------------------------------------------------------------------------------------------------------------------

export const SORTS = ["alpha", "created", "updated", "size", "git_size", "lfs_size", "id", "stars", "forks"] as const
export type Sort = (typeof SORTS)[number]
export type Direction = "asc" | "desc"

const ownerName = sql<string>`(select lower_name from users where users.id = repositories.owner_id)`

const COLUMNS = {
  alpha: [ownerName, sql.ref("repositories.lower_name")],
  created: [sql.ref("repositories.created_at")],
  updated: [sql.ref("repositories.updated_at")],
  size: [sql`(repositories.git_size + repositories.lfs_size)`],
  git_size: [sql.ref("repositories.git_size")],
  lfs_size: [sql.ref("repositories.lfs_size")],
  id: [],
  stars: [sql.ref("repositories.stars_count")],
  forks: [sql.ref("repositories.forks_count")],
} as const satisfies Readonly<Record<Sort, readonly Expression<unknown>[]>>

export type Order =
  | { readonly by: Sort; readonly direction: Direction }
  | { readonly by: "name"; readonly firstOwnerId?: number | undefined }

function ordered(repositories: Repositories, order: Order, isReversed: boolean): Repositories {
  const of = (direction: Direction): Direction => ((direction === "asc") === isReversed ? "desc" : "asc")
  if (order.by === "name") {
    const { firstOwnerId } = order
    const first = firstOwnerId
      ? repositories.orderBy((b) => b.case().when("repositories.owner_id", "=", firstOwnerId).then(0).else(1).end(), of("asc"))
      : repositories
    return first.orderBy("repositories.lower_name", of("asc")).orderBy("repositories.id", of("asc"))
  }
  // Ties are in the order of ids, reversed if sorting by id in descending order.
  const sorted = COLUMNS[order.by].reduce<Repositories>((sorting, column) => sorting.orderBy(column, of(order.direction)), repositories)
  return sorted.orderBy("repositories.id", of(order.by === "id" ? order.direction : "asc"))
}

/** A page of the repositories that are visible to the caller and match all conditions. */
export async function listRepositories(
  db: Handle,
  actor: Actor,
  { where, order }: { readonly where: readonly Condition[]; readonly order: Order },
  { limit, offset }: Window,
): Promise<Found<Repository>> {
  // What selects few is asked before what any row has to be judged by.
  const found = where
    .reduce<Repositories>((repositories, condition) => repositories.where(condition), db.selectFrom("repositories"))
    .where(visibleRepositories(actor))
  const total = where.length === 0 ? await countVisible(db, actor) : await countRows(found)
  // An empty page needs no query.
  if (total <= offset) return { rows: [], total }
  // Only ids are sorted: carrying sixty columns through the sort costs more than reading the page's rows afterwards.
  const { isReversed, ...window } = nearerWindow({ limit, offset }, total)
  const page = await ordered(found, order, isReversed).select("repositories.id").limit(window.limit).offset(window.offset).execute()
  const ids = page.map(({ id }) => id)
  if (isReversed) ids.reverse()
  const rows = new Map((await findRepositoriesByIds(db, { ids })).map((row) => [row.id, row]))
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), total }
}

const countRows = async (found: Repositories): Promise<number> =>
  (await found.select((b) => b.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total

/** The most languages that a list offers. */
const MOST_LANGUAGES = 30

/** The main languages of these repositories, those of most first. */
export async function mainLanguages(db: Handle, actor: Actor, where: readonly Condition[]): Promise<readonly string[]> {
  const reach = where.length === 0 ? reachOf(actor) : undefined
  const visible = db.selectFrom("repositories").where(visibleRepositories(actor))
  const found =
    reach === undefined || reach.except
      ? where.reduce<Repositories>((repositories, condition) => repositories.where(condition), visible)
      : reach.others
        ? visible.where(reach.others).where("repositories.openness", ">", reach.openness)
        : undefined
  const counted = found
    ?.select(["repositories.language", (b) => b.fn.countAll<number>().as("total")])
    .where("repositories.language", "!=", "")
    .groupBy("repositories.language")
  const stored = db.selectFrom("repository_totals").select(["language", "total"]).where("language", "!=", "").where("total", ">", 0)
  const open = reach && !reach.except ? stored.where("openness", "<=", reach.openness) : undefined
  const all = open && counted ? open.unionAll(counted) : (open ?? counted)
  if (!all) return []
  const rows = await db
    .selectFrom(all.as("languages"))
    .select("language")
    .groupBy("language")
    .orderBy((b) => b.fn.sum("total"), "desc")
    .orderBy("language")
    .limit(MOST_LANGUAGES)
    .execute()
  return rows.map(({ language }) => language)
}

// --- conditions -------------------------------------------------------------------------------------------------------------------

export const ownedBy = (ownerId: number): Condition => eb()("repositories.owner_id", "=", ownerId)

/** With this main language, in any letter case. */
export const writtenIn = (language: string): Condition => isOneOf(sql.ref("repositories.language"), [language])

export const forkOf = (repositoryId: number): Condition => eb()("repositories.fork_of_id", "=", repositoryId)

// Written from the user's side: each user concerns few of all repositories.
export const starredBy = (userId: number): Condition =>
  eb()("repositories.id", "in", eb().selectFrom("stars").select("stars.repository_id").where("stars.user_id", "=", userId))

/** Those of which someone chose what they are told. */
export const followedBy = (userId: number): Condition =>
  sql<SqlBool>`repositories.id in (select repository_id from watches where user_id = ${userId} and mode != 'declined'
    union select repository_id from notification_levels where user_id = ${userId})`

export const watchedBy = (userId: number): Condition =>
  eb()(
    "repositories.id",
    "in",
    eb()
      .selectFrom("watches")
      .select("watches.repository_id")
      .where("watches.user_id", "=", userId)
      .where("watches.mode", "!=", "declined"),
  )

export const ofTeam = (teamId: number): Condition =>
  eb().exists(
    eb()
      .selectFrom("team_repositories")
      .select("team_repositories.team_id")
      .whereRef("team_repositories.repository_id", "=", "repositories.id")
      .where("team_repositories.team_id", "=", teamId),
  )

/**
 * The repositories that a user works on: as a collaborator, through a team, or because no one but the members of its private organisation sees it, though
 * it isn't private itself. What others have in public organisations of the user is not among them. Without `withHidden`, organisations with hidden
 * memberships are left out. Written from the user's side, as few of all repositories concern one user: SQLite keeps the order of a cross join.
 */
function worksOn(userId: number, withHidden: boolean): Condition {
  const granted = sql<SqlBool>`repositories.id in (
    select repository_id from collaborations where user_id = ${userId}
    union
    select team_repositories.repository_id from team_members
    join teams on teams.id = team_members.team_id
    join team_repositories on team_repositories.team_id = teams.id
    where team_members.user_id = ${userId} and (teams.mode >= ${Mode.admin}
      or exists (select 1 from team_units where team_units.team_id = teams.id and team_units.mode > ${Mode.none}))
    union
    select open.id from organization_members
    cross join users as organization
    cross join repositories as open
    where organization_members.user_id = ${userId} and organization.id = organization_members.organization_id
      and organization.visibility = 'private' and open.owner_id = organization.id and open.is_private = 0)`
  const shown = sql<SqlBool>`not exists (
    select 1 from organization_members
    where organization_members.organization_id = repositories.owner_id and organization_members.user_id = ${userId}
      and organization_members.is_public = 0)`
  return withHidden ? granted : eb().and([granted, shown])
}

/** The repositories that a user owns or works on. */
export const concerning = (userId: number, withHidden = true): Condition => eb().or([ownedBy(userId), worksOn(userId, withHidden)])

/** Whether the caller may see the user or organisation, independent of the repositories. */
const listed = (actor: Actor, userId: number): Condition =>
  eb().exists(eb().selectFrom("users").select("users.id").where("users.id", "=", userId).where(listedUsers(actor)))

export interface Keyword {
  /** Comma-separated words, one of which must match. */
  readonly text: string
  readonly topicsOnly: boolean
  readonly inDescriptions: boolean
}

/** Matches names and topics, ignoring case, and descriptions if requested; `owner/name` matches both. With `topicsOnly`, a whole topic. */
export function matching({ text, topicsOnly, inDescriptions }: Keyword): Condition {
  const words = text.split(",")
  // From the side of the topics, which are few. SQLite keeps the order of a cross join.
  const byTopic = eb()(
    "repositories.id",
    "in",
    eb()
      .selectFrom("topics")
      .crossJoin("repository_topics")
      .select("repository_topics.repository_id")
      .whereRef("repository_topics.topic_id", "=", "topics.id")
      .where((t) =>
        t.or(
          words.map((word) =>
            topicsOnly ? t("topics.name", "=", word.toLowerCase()) : containsLower(t.ref("topics.name"), word.toLowerCase()),
          ),
        ),
      ),
  )
  if (topicsOnly) return byTopic
  return eb().or([
    ...words.map(byName),
    byTopic,
    ...(inDescriptions ? words.map((word) => contains(eb().ref("repositories.description"), word)) : []),
  ])
}

function byName(word: string): Condition {
  const lower = word.toLowerCase()
  const named = containsLower(eb().ref("repositories.lower_name"), lower)
  const [owner = "", name, ...rest] = lower.split("/")
  if (name === undefined || rest.length > 0) return named
  return eb().and([containsLower(ownerName, owner), containsLower(eb().ref("repositories.lower_name"), name)])
}

export const MODES = ["fork", "source", "mirror", "collaborative"] as const

export interface Search {
  readonly keyword?: Keyword | undefined
  /** The owner's id; includes repositories that they work on unless `exclusive`. */
  readonly uid?: number | undefined
  readonly exclusive: boolean
  readonly mode?: (typeof MODES)[number] | undefined
  readonly teamId?: number | undefined
  readonly starredBy?: number | undefined
  /** False leaves out everything that isn't public. */
  readonly withHidden: boolean
  readonly isPrivate?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly isArchived?: boolean | undefined
}

/** The conditions of a search. Hidden users, teams and memberships match nothing. */
export function conditionsOf(actor: Actor, search: Search): readonly Condition[] {
  const { keyword, uid, teamId, mode } = search
  const is = (column: "is_private" | "is_template" | "is_archived" | "is_mirror", wanted: boolean | undefined): readonly Condition[] =>
    wanted === undefined ? [] : [eb()(`repositories.${column}`, "=", wanted ? 1 : 0)]
  const isFork = eb()("repositories.fork_of_id", "is not", null)
  const modes: Readonly<Record<(typeof MODES)[number], readonly Condition[]>> = {
    fork: [isFork],
    source: [eb().not(isFork), ...is("is_mirror", false)],
    mirror: is("is_mirror", true),
    collaborative: is("is_mirror", false),
  }
  return [
    ...(keyword && keyword.text !== "" ? [matching(keyword)] : []),
    ...(uid ? [ofUser(actor, uid, search)] : []),
    ...(teamId ? [ofTeam(teamId), actor.kind === "anonymous" ? eb().lit(false) : teamListed(actor, teamId)] : []),
    ...(search.starredBy ? [starredBy(search.starredBy), listed(actor, search.starredBy)] : []),
    ...(search.withHidden ? [] : [publicRepositories()]),
    ...is("is_private", search.isPrivate),
    ...is("is_template", search.isTemplate),
    ...is("is_archived", search.isArchived),
    ...(mode ? modes[mode] : []),
  ]
}

function ofUser(actor: Actor, uid: number, { exclusive, mode, withHidden }: Search): Condition {
  if (exclusive && mode !== "collaborative") return ownedBy(uid)
  const mayKnowAll = actorId(actor) === uid || isSiteAdministrator(actor)
  const worked = eb().and([worksOn(uid, withHidden && mayKnowAll), listed(actor, uid)])
  return mode === "collaborative" ? eb().and([eb()("repositories.owner_id", "!=", uid), worked]) : eb().or([ownedBy(uid), worked])
}

/** Whether the caller may see the team, and so its repositories. */
const teamListed = (actor: SignedIn, teamId: number): Condition =>
  eb().exists(eb().selectFrom("teams").select("teams.id").where("teams.id", "=", teamId).where(visibleTeams(actor)))
