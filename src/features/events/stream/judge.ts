import { type Owned, type Permission, permissionsOfCallers, permissionsOn, type Standing, standingsOf } from "../../../access/permission.ts"
import { mayRead } from "../../../access/scopes.ts"
import { type Actor, actorId, isSiteAdministrator, type User } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import { callersNow } from "../../people/sign-in/callers-now.ts"
import type { Check, Item } from "./items.ts"
import { findInvolved } from "./store.ts"

/** Which events a caller asks for: those that agree with all of these members. */
export interface Filter {
  readonly repositoryIds: ReadonlySet<number>
  readonly ownerIds: ReadonlySet<number>
  /** What kinds begin with. */
  readonly kinds: readonly string[]
  /** What the caller has done, what is about them, and what happens to issues and pull requests that they take part in. */
  readonly isInvolved: boolean
  /** The same for filters that ask for the same. */
  readonly text: string
}

/** Who asks, as they were when they signed in. */
export interface Asker {
  readonly actor: Actor
  /** Their {@link rightsKey}. */
  readonly caller: string
  readonly filter: Filter
}

/** What an asker is told, the same list for all who are told the same; "refused" for who may not ask any more. */
export type Judged = readonly Item[] | "refused"

/**
 * Decides for each asker, in their order, which of these events they are told, by the rights that they have at this moment. However many ask, it takes at most
 * eight queries, and five for each repository and account that the events are of and not everyone sees. Those of the same caller with the same filter are decided about once.
 */
export async function judge(services: Services, items: readonly Item[], askers: readonly Asker[]): Promise<readonly Judged[]> {
  const keys = askers.map(({ caller, filter }) => `${caller} ${filter.text}`)
  const different = new Map(askers.map((asker, index) => [keys[index] ?? "", asker]))
  const judged = await judgeEach(services, items, [...different.values()])
  const byKey = new Map([...different.keys()].map((key, index) => [key, judged[index] ?? "refused"]))
  return keys.map((key) => byKey.get(key) ?? "refused")
}

async function judgeEach(services: Services, items: readonly Item[], askers: readonly Asker[]): Promise<readonly Judged[]> {
  const { database } = services
  const involved = await involvementOf(services, items, askers)
  const asked = askers.map(({ actor, filter }) => items.filter((item) => agrees(item, filter, actorId(actor), involved)))
  const callers = new Map<string, Actor>()
  askers.forEach(({ actor, caller }, index) => {
    if (asked[index]?.length) callers.set(caller, actor)
  })
  const keys = [...callers.keys()]
  const fresh = await callersNow(services, [...callers.values()])
  const now = new Map(keys.map((key, index) => [key, fresh[index]]))
  const needed = new Map<Item, Set<string>>()
  askers.forEach(({ caller }, index) => {
    for (const item of asked[index] ?? []) needed.set(item, (needed.get(item) ?? new Set()).add(caller))
  })
  const holds = await decide(database.read, needed, now)
  const lists = new Map<string, readonly Item[]>()
  return askers.map(({ caller }, index) => {
    const mine = asked[index] ?? []
    if (mine.length === 0) return NOTHING
    const actor = now.get(caller)
    if (!actor) return "refused"
    const told = mine.filter(({ scope, checks }) => mayRead(services, actor, scope) && checks.every((check) => holds(check, caller, actor)))
    const which = told.map(({ position }) => position).join(" ")
    const list = lists.get(which) ?? told
    lists.set(which, list)
    return list
  })
}

const NOTHING: readonly Item[] = []

/** Callers with the same key have the same rights. */
export function rightsKey(actor: Actor): string {
  if (actor.kind === "anonymous") return "-"
  const { user, credential } = actor
  switch (credential.kind) {
    case "token":
      return `${user.id} ${credential.applicationId === undefined ? "token" : "application"} ${credential.tokenId}`
    case "job":
      return `${user.id} job ${credential.taskId}`
    default:
      return `${user.id} ${credential.kind} ${user.credentials_version}`
  }
}

const agrees = (
  { event, ownerId }: Item,
  { repositoryIds, ownerIds, kinds, isInvolved }: Filter,
  userId: number,
  involved: ReadonlySet<string>,
): boolean =>
  (repositoryIds.size === 0 || repositoryIds.has(event.repositoryId)) &&
  (ownerIds.size === 0 || ownerIds.has(ownerId)) &&
  (kinds.length === 0 || kinds.some((beginning) => event.kind.startsWith(beginning))) &&
  (!isInvolved || event.actorId === userId || event.data["user"] === userId || involved.has(`${event.issueId} ${userId}`))

/** Which people who ask for what they take part in take part in which issues: one query. */
async function involvementOf({ database }: Services, items: readonly Item[], askers: readonly Asker[]): Promise<ReadonlySet<string>> {
  const userIds = [...new Set(askers.flatMap(({ actor, filter }) => (filter.isInvolved ? actorId(actor) : [])))]
  const issueIds = [...new Set(items.flatMap(({ event: { issueId } }) => (issueId > 0 ? issueId : [])))]
  if (userIds.length === 0 || issueIds.length === 0) return new Set()
  const rows = await findInvolved(database.read, { issueIds, userIds })
  return new Set(rows.map(({ issue_id, user_id }) => `${issue_id} ${user_id}`))
}

interface Subject<Of> {
  readonly of: Of
  /** The callers who are asked about. */
  readonly keys: Set<string>
}

/** Reads what decides about these callers, and gives the function that decides. */
async function decide(
  db: Services["database"]["read"],
  needed: ReadonlyMap<Item, ReadonlySet<string>>,
  now: ReadonlyMap<string, Actor | undefined>,
): Promise<(check: Check, key: string, actor: Actor) => boolean> {
  const repositories = new Map<number, Subject<Owned>>()
  const accounts = new Map<number, Subject<User>>()
  for (const [{ checks }, keys] of needed)
    for (const check of checks) {
      if (check.isOpen || check.of === "site") continue
      const subject =
        check.of === "repository"
          ? entryOf(repositories, check.owned.repository.id, check.owned)
          : entryOf(accounts, check.owner.id, check.owner)
      for (const key of keys) subject.keys.add(key)
    }
  const permissions = await permissionsIn(db, [...repositories.values()], now)
  const standings = new Map<string, Standing>()
  for (const { of, keys } of accounts.values()) {
    const [asking, actors] = actorsOf(keys, now)
    const decided = await standingsOf(db, of, actors)
    asking.forEach((key, index) => {
      standings.set(`${of.id} ${key}`, decided[index] ?? "apart")
    })
  }
  return (check, key, actor) => {
    if (check.isOpen) return true
    if (check.of === "site") return isSiteAdministrator(actor)
    if (check.of === "account") return check.holds(standings.get(`${check.owner.id} ${key}`) ?? "apart")
    const permission = permissions.get(`${check.owned.repository.id} ${key}`)
    return permission !== undefined && check.holds(permission)
  }
}

function entryOf<Of>(subjects: Map<number, Subject<Of>>, id: number, of: Of): Subject<Of> {
  const known = subjects.get(id) ?? { of, keys: new Set() }
  subjects.set(id, known)
  return known
}

function actorsOf(keys: ReadonlySet<string>, now: ReadonlyMap<string, Actor | undefined>): readonly [readonly string[], readonly Actor[]] {
  const found = [...keys].flatMap((key) => {
    const actor = now.get(key)
    return actor ? [{ key, actor }] : []
  })
  return [found.map(({ key }) => key), found.map(({ actor }) => actor)]
}

/** By repository and caller: asked for each caller or for each repository, of whichever there are fewer. */
async function permissionsIn(
  db: Services["database"]["read"],
  repositories: readonly Subject<Owned>[],
  now: ReadonlyMap<string, Actor | undefined>,
): Promise<ReadonlyMap<string, Permission>> {
  const permissions = new Map<string, Permission>()
  const [keys, actors] = actorsOf(new Set(repositories.flatMap((subject) => [...subject.keys])), now)
  if (actors.length < repositories.length) {
    for (const [index, actor] of actors.entries()) {
      const key = keys[index] ?? ""
      const owned = repositories.flatMap((subject) => (subject.keys.has(key) ? subject.of : []))
      for (const [id, permission] of await permissionsOn(db, actor, owned, "one who belongs")) permissions.set(`${id} ${key}`, permission)
    }
    return permissions
  }
  for (const { of, keys: asking } of repositories) {
    const [mine, callers] = actorsOf(asking, now)
    const decided = await permissionsOfCallers(db, of, callers)
    decided.forEach((permission, index) => {
      permissions.set(`${of.repository.id} ${mine[index] ?? ""}`, permission)
    })
  }
  return permissions
}
