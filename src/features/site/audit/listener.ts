import type { Insertable } from "kysely"
import { memberOf } from "../../../core/check.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { AuditEntriesTable } from "../../../core/database/tables/undo.ts"
import type { DomainEvent, EventKind } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { originOf } from "../../../core/origin.ts"
import type { Services } from "../../../core/services.ts"
import { announceAudit } from "./announce.ts"
import { findHomesOf, findNames, findOrganizationIds, findOrganizationsOfToken, insertEntries } from "./store.ts"

/** What the audit log of an organisation has: who may do what, and with which secrets and rules. What people write is in the timelines and the feed. */
const AUDITED: ReadonlySet<EventKind> = new Set<EventKind>([
  "organization.created",
  "organization.renamed",
  "organization.edited",
  "organization.membersRemoved",
  "team.created",
  "team.edited",
  "team.deleted",
  "team.invited",
  "team.uninvited",
  "team.memberAdded",
  "team.memberRemoved",
  "team.repositoryAdded",
  "team.repositoryRemoved",
  "collaborator.added",
  "collaborator.changed",
  "collaborator.removed",
  "repository.created",
  "repository.forked",
  "repository.deleted",
  "repository.restored",
  "repository.renamed",
  "repository.transferred",
  "repository.transferOffered",
  "repository.transferRejected",
  "repository.edited",
  "repository.archived",
  "repository.unarchived",
  "repository.madePrivate",
  "repository.madePublic",
  "issue.deleted",
  "issue.restored",
  "release.deleted",
  "release.restored",
  "deletion.purged",
  "protection.changed",
  "tagProtection.created",
  "tagProtection.edited",
  "tagProtection.deleted",
  "webhook.created",
  "webhook.edited",
  "webhook.deleted",
  "secret.created",
  "secret.edited",
  "secret.deleted",
  "variable.created",
  "variable.edited",
  "variable.deleted",
  "deployKey.added",
  "deployKey.removed",
  "pushMirror.added",
  "pushMirror.removed",
  "runner.registered",
  "runner.enabled",
  "runner.disabled",
  "runner.deleted",
  "token.created",
  "token.deleted",
  "package.deleted",
  "user.blocked",
  "user.unblocked",
])

/** Writes what happens to organisations into their audit logs, in the transaction in which it happens. */
export const audit: Listener = {
  name: "audit",
  onlyTells: true,
  async hear({ tx, services, events }) {
    if (services.config.audit.keepSeconds === 0) return
    const heard = events.filter((event) => AUDITED.has(event.kind) && !isKnownToBeOfPerson(event))
    if (heard.length === 0) return
    const told = await toldOf(tx, heard)
    if (told.length === 0) return
    const names = await namesIn(tx, told)
    const entries = told.flatMap((each) => entriesOf(services, each, names))
    await announceAudit(tx, services, await insertEntries(tx, entries))
  },
}

type Members = Readonly<Record<string, unknown>>

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const idOf = (value: unknown): number | undefined => numberOf(memberOf(value, "id"))

/** The repository that an event is in; of an organisation as a whole it is none. */
const repositoryIdOf = (event: Members): number | undefined =>
  idOf(event["repository"]) ??
  numberOf(event["repositoryId"]) ??
  numberOf(memberOf(event["issue"], "repository_id")) ??
  numberOf(memberOf(event["release"], "repository_id"))

/** The account that it is of, where it is in no repository. */
const ownerIdOf = (event: Members): number | undefined =>
  idOf(event["organization"]) ?? numberOf(event["ownerId"]) ?? idOf(event["by"]) ?? idOf(event["owner"])

/** The people that it is about, other than who did it. */
function peopleOf(event: Members): readonly number[] {
  const { userIds, firstOwner, user, recipient } = event
  const named = [user, recipient, firstOwner].flatMap((each) => idOf(each) ?? [])
  return [...named, ...(Array.isArray(userIds) ? userIds.flatMap((each) => numberOf(each) ?? []) : [])]
}

interface Account {
  readonly id: number
  readonly name: string
  readonly kind: string
}

/** The accounts that an event has as whole rows, which need not be looked up. */
const accountsIn = (event: Members): readonly Account[] =>
  ["organization", "owner", "by", "actor", "user", "recipient", "firstOwner"].flatMap((member) => {
    const [id, name, kind] = ["id", "name", "kind"].map((each) => memberOf(event[member], each))
    return typeof id === "number" && typeof name === "string" && typeof kind === "string" ? [{ id, name, kind }] : []
  })

const asMembers = (event: DomainEvent): Members => ({ ...event })

/** Whether an event says itself that it is of a person, as a new repository does: no organisation is told then. */
function isKnownToBeOfPerson(event: DomainEvent): boolean {
  // A transfer is also of the former owner, and tokens can be limited to what organisations have.
  if (event.kind === "repository.transferred" || event.kind === "token.created" || event.kind === "token.deleted") return false
  const members = asMembers(event)
  const ownerId = repositoryIdOf(members) === undefined ? ownerIdOf(members) : numberOf(memberOf(members["repository"], "owner_id"))
  return accountsIn(members).some(({ id, kind }) => id === ownerId && kind === "person")
}

/** An event that organisations are told of. */
interface Told {
  readonly event: DomainEvent
  readonly members: Members
  readonly organizationIds: readonly number[]
  readonly repository: { readonly id: number; readonly name: string } | undefined
}

/** Which organisations are told of which of these events, by a fixed number of queries. */
async function toldOf(tx: Transaction, events: readonly DomainEvent[]): Promise<readonly Told[]> {
  const all = events.map((event) => ({ event, members: asMembers(event) }))
  const repositoryIds = [...new Set(all.flatMap(({ members }) => repositoryIdOf(members) ?? []))]
  const homes = new Map((repositoryIds.length === 0 ? [] : await findHomesOf(tx, repositoryIds)).map((home) => [home.id, home]))
  const owners = all.flatMap(({ members }) => [ownerIdOf(members), idOf(members["formerOwner"])].flatMap((id) => id ?? []))
  const known = all.flatMap(({ members }) => accountsIn(members))
  const organizations = new Set([
    ...all.flatMap(({ members }) => idOf(members["organization"]) ?? []),
    ...known.flatMap(({ id, kind }) => (kind === "organization" ? [id] : [])),
  ])
  const unknown = new Set(owners).difference(new Set([...organizations, ...known.map(({ id }) => id)]))
  for (const id of unknown.size === 0 ? [] : await findOrganizationIds(tx, [...unknown])) organizations.add(id)
  const told: Told[] = []
  for (const { event, members } of all) {
    const home = homes.get(repositoryIdOf(members) ?? 0)
    const of = new Set<number>()
    if (event.kind === "token.created" || event.kind === "token.deleted") {
      const limitedTo = await findOrganizationsOfToken(tx, event.token.id)
      for (const id of limitedTo.length === 0 ? [] : await findOrganizationIds(tx, limitedTo)) of.add(id)
    } else if (home) {
      if (home.kind === "organization") of.add(home.owner_id)
      // Both are told of a transfer.
      const former = idOf(members["formerOwner"])
      if (former !== undefined && organizations.has(former)) of.add(former)
    } else {
      const id = ownerIdOf(members)
      if (id !== undefined && organizations.has(id)) of.add(id)
    }
    if (of.size > 0) told.push({ event, members, organizationIds: [...of], repository: home })
  }
  return told
}

/** The names of those who did it, and of those whom it is about. */
async function namesIn(tx: Transaction, told: readonly Told[]): Promise<ReadonlyMap<number, string>> {
  const known = new Map(told.flatMap(({ members }) => accountsIn(members)).map(({ id, name }) => [id, name]))
  const ids = new Set(told.flatMap(({ members }) => [...peopleOf(members), ...[idOf(doerOf(members))].flatMap((id) => id ?? [])]))
  return new Map([...known, ...(await findNames(tx, [...ids.difference(known)]))])
}

const doerOf = (event: Members): unknown => event["actor"] ?? event["by"]

function entriesOf(
  services: Services,
  { event, members, organizationIds, repository }: Told,
  names: ReadonlyMap<number, string>,
): readonly Insertable<AuditEntriesTable>[] {
  const actor = doerOf(members)
  const origin = typeof actor === "object" && actor !== null ? originOf(actor) : undefined
  const actorId = idOf(actor) ?? 0
  return organizationIds.map((organization_id) => ({
    organization_id,
    kind: event.kind,
    actor_id: actorId,
    actor_name: names.get(actorId) ?? "",
    repository_id: repository?.id ?? 0,
    repository_name: repository?.name ?? "",
    subject: subjectOf(event.kind, members, names).slice(0, 255),
    details: JSON.stringify(detailsOf(members, origin?.behind ?? "")),
    ip: origin?.ip ?? "",
    credential: origin?.credential ?? "",
    created_at: event.at ?? services.now(),
  }))
}

/** What each kind is about, beside people: the member of the event whose name is told. */
const ABOUT: Readonly<Record<string, string>> = {
  team: "team",
  webhook: "webhook",
  secret: "secret",
  variable: "variable",
  deployKey: "deployKey",
  pushMirror: "pushMirror",
  runner: "runner",
  tagProtection: "tagProtection",
  issue: "issue",
  release: "release",
  token: "token",
  package: "package",
  deletion: "deletion",
}

/** Names that are told: of nothing else than these, since rows have secrets too. */
const NAMES = ["name", "title", "name_pattern", "tag_name"] as const

function subjectOf(kind: string, event: Members, names: ReadonlyMap<number, string>): string {
  const about = event[ABOUT[kind.split(".", 1)[0] ?? ""] ?? ""]
  const name = NAMES.map((each) => memberOf(about, each)).find((each) => typeof each === "string" && each !== "")
  const id = idOf(about)
  const { rule } = event
  const thing = typeof name === "string" ? name : typeof rule === "string" ? rule : id === undefined ? "" : `#${id}`
  const people = peopleOf(event).map((each) => names.get(each) ?? `#${each}`)
  return [thing, people.slice(0, 10).join(", ")].filter((word) => word !== "").join(": ")
}

/** Words of an event that say more: which settings have changed, from what to what. Texts and values of settings are not among them. */
function detailsOf(event: Members, behind: string): Members {
  const { changed, from, to, mode, because } = event
  const plain = (value: unknown): boolean => typeof value === "string" || typeof value === "number"
  return {
    ...(Array.isArray(changed) && { changed: changed.map(String) }),
    ...Object.fromEntries(Object.entries({ from, to, mode, because }).filter(([, value]) => plain(value))),
    ...(behind !== "" && { in_the_name_by: behind }),
  }
}
