import { Mode, type Unit } from "../../../access/modes.ts"
import {
  isPublicAccount,
  isPublicRepository,
  type Owned,
  type Permission,
  reaches,
  type Standing,
  unitEnabled,
  unitMode,
} from "../../../access/permission.ts"
import { unitOf } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { StoredEvent } from "../../../core/events/log.ts"
import { logName, positionText } from "../../../core/events/position.ts"
import type { ScopeCategory } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import { type Told, toldOf } from "./kinds.ts"
import { DETAILS, type LiveEvent } from "./records.ts"
import { findIssues, findPackages, findProjects, findReleases, rowsOf } from "./store.ts"

/** What one must be allowed to in a repository, in an account, or on the site. `isOpen`: everyone is. */
export type Check =
  | { readonly of: "repository"; readonly owned: Owned; readonly isOpen: boolean; readonly holds: (permission: Permission) => boolean }
  | { readonly of: "account"; readonly owner: User; readonly isOpen: boolean; readonly holds: (standing: Standing) => boolean }
  | { readonly of: "site"; readonly isOpen: false }

/** An event that may be told. */
export interface Item {
  readonly event: StoredEvent
  /** Its position as it is told. */
  readonly position: string
  /** The owner of its repository, or the account that it is of; 0 for the site. */
  readonly ownerId: number
  readonly scope: ScopeCategory
  /** All of them must hold for who is told. */
  readonly checks: readonly Check[]
  /** Its record, as JSON. */
  readonly text: string
}

/** The rows that events are about, as they are now. */
interface Facts {
  readonly homes: ReadonlyMap<number, Owned>
  readonly users: ReadonlyMap<number, User>
  readonly issues: Awaited<ReturnType<typeof rowsOf<Awaited<ReturnType<typeof findIssues>>[number]>>>
  readonly releases: Awaited<ReturnType<typeof rowsOf<Awaited<ReturnType<typeof findReleases>>[number]>>>
  readonly packages: Awaited<ReturnType<typeof rowsOf<Awaited<ReturnType<typeof findPackages>>[number]>>>
  readonly projects: Awaited<ReturnType<typeof rowsOf<Awaited<ReturnType<typeof findProjects>>[number]>>>
}

/**
 * What may be told of events: a constant number of queries for any number of them. Of what is gone, or is in another repository now, only the end is told; so a
 * repository that was deleted is silent but for that.
 */
export async function itemsOf(services: Services, events: readonly StoredEvent[]): Promise<readonly Item[]> {
  const told = events.flatMap((event) => {
    const line = toldOf(event.kind)
    return line ? [{ event, line }] : []
  })
  if (told.length === 0) return []
  const [facts, name] = await Promise.all([factsOf(services, told), logName(services)()])
  return told.flatMap(({ event, line }) => itemOf(services, facts, name, event, line) ?? [])
}

type Line = { readonly event: StoredEvent; readonly line: Told }

async function factsOf({ database: { read } }: Services, told: readonly Line[]): Promise<Facts> {
  const ids = (of: (line: Line) => readonly unknown[]) =>
    told
      .flatMap(of)
      .filter((id) => typeof id === "number" && id > 0)
      .map(Number)
  const [repositories, issues, releases, packages, projects] = await Promise.all([
    rowsOf(
      read,
      findRepositoriesByIds,
      ids(({ event }) => [event.repositoryId]),
    ),
    rowsOf(
      read,
      findIssues,
      ids(({ event }) => [event.issueId]),
    ),
    rowsOf(
      read,
      findReleases,
      ids(({ event: { data } }) => [data["release"], data["releaseId"]]),
    ),
    rowsOf(
      read,
      findPackages,
      ids(({ event: { data } }) => [data["package"]]),
    ),
    rowsOf(
      read,
      findProjects,
      ids(({ event: { data }, line }) => (line.right === "card" ? [data["projectId"]] : [])),
    ),
  ])
  const people = ids(({ event, line }) => [event.actorId, event.data[line.account ?? ""], line.ofShownPeople && event.data["user"]])
  const owners = [...projects.values()].flatMap(({ owner_id }) => owner_id ?? [])
  const [homes, users] = await Promise.all([withOwners(read, [...repositories.values()]), usersById(read, [...people, ...owners])])
  return { homes: new Map(homes.map((owned) => [owned.repository.id, owned])), users, issues, releases, packages, projects }
}

function itemOf(services: Services, facts: Facts, name: string, event: StoredEvent, line: Told): Item | undefined {
  const account = facts.users.get(Number(event.data[line.account ?? ""] ?? 0))
  const home = line.right === "deleted" ? undefined : facts.homes.get(event.repositoryId)
  const checks = checksOf(facts, event, line, home, account)
  if (!checks) return undefined
  const actor = facts.users.get(event.actorId)
  const people = line.ofShownPeople ? [actor, facts.users.get(Number(event.data["user"] ?? event.actorId))] : []
  if (people.some((person) => !person || !isPublicAccount(person))) return undefined
  const owner = home?.owner ?? account
  const position = positionText(name, event.position)
  const text = JSON.stringify({
    position,
    kind: event.kind,
    at: rfc3339(event.at),
    actor: accountOf(actor),
    repository: repositoryOf(event, home),
    owner: accountOf(owner),
    subject: subjectOf(services, facts, event, line, home),
    details: detailsOf(event, line),
  } satisfies LiveEvent)
  return { event, position, ownerId: owner?.id ?? 0, scope: scopeOf(facts, event, line), checks, text }
}

const accountOf = (user: User | undefined): LiveEvent["actor"] => (user ? { id: user.id, login: user.name } : null)

function repositoryOf({ repositoryId, data }: StoredEvent, home: Owned | undefined): LiveEvent["repository"] {
  if (repositoryId === 0) return null
  if (!home) return { id: repositoryId, full_name: null, private: data["wasPublic"] !== true }
  const { repository, owner } = home
  return { id: repository.id, full_name: `${owner.name}/${repository.name}`, private: repository.is_private === 1 }
}

function subjectOf({ site }: Services, { issues }: Facts, event: StoredEvent, line: Told, home: Owned | undefined): LiveEvent["subject"] {
  const [type, member] = line.subject
  if (type === "issue") {
    const issue = issues.get(event.issueId)
    if (!home || issue?.repository_id !== event.repositoryId)
      return { type: event.data["isPull"] === true ? "pull_request" : "issue", id: event.issueId, number: Number(event.data["number"]) }
    const { id, number, title } = issue
    const state = issue.is_closed === 1 ? "closed" : "open"
    const url = issueUrl(repositoryHtmlUrl(site, home.owner.name, home.repository.name), issue)
    return { type: issue.is_pull === 1 ? "pull_request" : "issue", id, number, title, state, html_url: url }
  }
  if (type === "repository") return { type, id: event.repositoryId }
  const id = member === undefined ? undefined : event.data[member]
  return { type, id: typeof id === "number" ? id : null }
}

type Plain = string | number | boolean | null | string[] | number[]

function plainOf(value: unknown): Plain | undefined {
  if (value === null || typeof value === "number" || typeof value === "string" || typeof value === "boolean") return value
  if (!Array.isArray(value)) return undefined
  const numbers = value.filter((each) => typeof each === "number")
  return numbers.length === value.length ? numbers : value.filter((each) => typeof each === "string")
}

/** The members that a line names, as far as the log has them. */
function detailsOf({ data }: StoredEvent, { details = {} }: Told): LiveEvent["details"] {
  const given = Object.keys(DETAILS).flatMap((name) => {
    const member = Object.entries(details).find(([detail]) => detail === name)?.[1]
    const value = member === undefined ? undefined : plainOf(data[member])
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}

const isPull = ({ issues }: Facts, { issueId, data }: StoredEvent): boolean => issues.get(issueId)?.is_pull === 1 || data["isPull"] === true

const scopeOf = (facts: Facts, event: StoredEvent, { scope, subject: [type] }: Told): ScopeCategory =>
  type === "issue" && isPull(facts, event) ? "repository" : scope

// --- what one must be allowed to -----------------------------------------------------------------------------------------------------

const NONE: readonly Check[] | undefined = undefined

function inUnits(owned: Owned | undefined, units: readonly Unit[], mode: number = Mode.read): readonly Check[] | undefined {
  if (!owned) return NONE
  const { repository } = owned
  const isOpen = mode === Mode.read && isPublicRepository(owned) && units.some((unit) => unitEnabled(repository, unit))
  return [{ of: "repository", owned, isOpen, holds: (permission) => units.some((unit) => unitMode(permission, repository, unit) >= mode) }]
}

const inRepository = (owned: Owned | undefined, mode: number): readonly Check[] | undefined =>
  owned && [
    {
      of: "repository",
      owned,
      isOpen: mode === Mode.read && isPublicRepository(owned),
      holds: (permission) => (mode === Mode.read ? reaches(permission) : permission.mode >= mode),
    },
  ]

const inAccount = (owner: User | undefined, who: "shown" | "belongs" | "owns"): readonly Check[] | undefined =>
  owner && [
    {
      of: "account",
      owner,
      isOpen: who === "shown" && isPublicAccount(owner),
      holds: (standing) => standing === "owns" || (standing === "belongs" && who !== "owns"),
    },
  ]

const both = (a: readonly Check[] | undefined, b: readonly Check[] | undefined): readonly Check[] | undefined => a && b && [...a, ...b]

const OF_SITE: readonly Check[] = [{ of: "site", isOpen: false }]

/** The kinds that say that an issue is not there any more. */
const ENDS: ReadonlySet<string> = new Set(["issue.deleted", "issue.leaving"])

function onIssue(facts: Facts, event: StoredEvent, home: Owned | undefined): readonly Check[] | undefined {
  const issue = facts.issues.get(event.issueId)
  if (issue?.repository_id === event.repositoryId) return inUnits(home, [unitOf(issue)])
  return ENDS.has(event.kind) ? inUnits(home, [unitOf({ is_pull: event.data["isPull"] === true ? 1 : 0 })]) : NONE
}

/** Of a release that is gone it isn't known any more whether it was a draft. */
function onRelease(facts: Facts, id: unknown, home: Owned | undefined): readonly Check[] | undefined {
  const release = facts.releases.get(Number(id))
  const isShown = release?.is_draft === 0 && release.repository_id === home?.repository.id
  return inUnits(home, ["repo.releases"], isShown ? Mode.read : Mode.write)
}

function onProject({ projects, users }: Facts, event: StoredEvent, home: Owned | undefined): readonly Check[] | undefined {
  const found = projects.get(Number(event.data["projectId"]))
  if (!found) return NONE
  if (found.owner_id !== null) return inAccount(users.get(found.owner_id), "shown")
  return found.repository_id === event.repositoryId ? inUnits(home, ["repo.projects"]) : NONE
}

function onPackage(
  { packages }: Facts,
  event: StoredEvent,
  home: Owned | undefined,
  owner: User | undefined,
): readonly Check[] | undefined {
  const found = packages.get(Number(event.data["package"]))
  if (found?.is_restricted !== 0 || found.owner_id !== owner?.id) return inAccount(owner, "belongs")
  if (found.repository_id === null) return inAccount(owner, "shown")
  return found.repository_id === event.repositoryId ? both(inAccount(owner, "shown"), inUnits(home, ["repo.packages"])) : NONE
}

function checksOf(
  facts: Facts,
  event: StoredEvent,
  { right, account: member }: Told,
  home: Owned | undefined,
  account: User | undefined,
): readonly Check[] | undefined {
  const isOfRepository = event.repositoryId > 0
  const isOfSite = !isOfRepository && member !== undefined && !event.data[member]
  switch (right) {
    case "issue":
      return onIssue(facts, event, home)
    case "card":
      return both(onIssue(facts, event, home), onProject(facts, event, home))
    case "repo.code":
    case "repo.wiki":
    case "repo.actions":
      return inUnits(home, [right])
    case "planning":
      return isOfRepository ? inUnits(home, ["repo.issues", "repo.pulls"]) : isOfSite ? OF_SITE : inAccount(account, "shown")
    case "project":
      return isOfRepository ? inUnits(home, ["repo.projects"]) : inAccount(account, "shown")
    case "release":
      return onRelease(facts, event.data["release"], home)
    case "attachment":
      return event.issueId > 0 ? onIssue(facts, event, home) : onRelease(facts, event.data["releaseId"], home)
    case "package":
      return onPackage(facts, event, home, account)
    case "repository":
      return inRepository(home, Mode.read)
    case "deleted":
      return inAccount(account, event.data["wasPublic"] === true ? "shown" : "owns")
    case "administration":
      return isOfRepository ? inRepository(home, Mode.admin) : isOfSite ? OF_SITE : inAccount(account, "owns")
    case "account":
      return inAccount(account, "shown")
    case "ownAccount":
      return inAccount(account, "owns")
  }
}
