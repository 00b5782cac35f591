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
    const heard = events.filter(({ kind }) => AUDITED.has(kind))
    if (heard.length === 0) return
    const seen = await lookUp(tx, heard)
    const entries = (await Promise.all(heard.map((event) => entriesOf(tx, services, event, seen)))).flat()
    if (entries.length === 0) return
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

interface Seen {
  readonly names: ReadonlyMap<number, string>
  readonly homes: ReadonlyMap<number, { readonly name: string; readonly owner_id: number; readonly kind: string }>
  readonly organizations: ReadonlySet<number>
}

const asMembers = (event: DomainEvent): Members => ({ ...event })

/** What the entries of all these events need, by a fixed number of queries. */
async function lookUp(tx: Transaction, events: readonly DomainEvent[]): Promise<Seen> {
  const members = events.map(asMembers)
  const repositoryIds = [...new Set(members.flatMap((event) => repositoryIdOf(event) ?? []))]
  const homes = new Map((repositoryIds.length === 0 ? [] : await findHomesOf(tx, repositoryIds)).map((home) => [home.id, home]))
  const owners = members.flatMap((event) => [ownerIdOf(event), idOf(event["formerOwner"])].flatMap((id) => id ?? []))
  const userIds = members.flatMap((event) => [...peopleOf(event), ...[idOf(event["actor"]) ?? idOf(event["by"])].flatMap((id) => id ?? [])])
  return {
    homes,
    names: await findNames(tx, [...new Set(userIds)]),
    organizations: owners.length === 0 ? new Set() : await findOrganizationIds(tx, [...new Set(owners)]),
  }
}

async function entriesOf(
  tx: Transaction,
  services: Services,
  event: DomainEvent,
  seen: Seen,
): Promise<readonly Insertable<AuditEntriesTable>[]> {
  const members = asMembers(event)
  const repositoryId = repositoryIdOf(members)
  const home = repositoryId === undefined ? undefined : seen.homes.get(repositoryId)
  const organizations = new Set<number>()
  if (event.kind === "token.created" || event.kind === "token.deleted") {
    const limitedTo = await findOrganizationsOfToken(tx, event.token.id)
    for (const id of limitedTo.length === 0 ? [] : await findOrganizationIds(tx, limitedTo)) organizations.add(id)
  } else if (home) {
    if (home.kind === "organization") organizations.add(home.owner_id)
    // Both are told of a transfer.
    const former = idOf(members["formerOwner"])
    if (former !== undefined && seen.organizations.has(former)) organizations.add(former)
  } else {
    const id = ownerIdOf(members)
    if (id !== undefined && seen.organizations.has(id)) organizations.add(id)
  }
  const actor = members["actor"] ?? members["by"]
  const origin = typeof actor === "object" && actor !== null ? originOf(actor) : undefined
  const actorId = idOf(actor) ?? 0
  return [...organizations].map((organization_id) => ({
    organization_id,
    kind: event.kind,
    actor_id: actorId,
    actor_name: seen.names.get(actorId) ?? "",
    repository_id: home ? (repositoryId ?? 0) : 0,
    repository_name: home?.name ?? "",
    subject: subjectOf(event.kind, members, seen).slice(0, 255),
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

function subjectOf(kind: string, event: Members, { names }: Seen): string {
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
