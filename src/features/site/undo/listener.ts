import type { Insertable } from "kysely"
import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { DeletionsTable } from "../../../core/database/tables/undo.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Delivery, Listener } from "../../../core/events/events.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf } from "../../../git/index.ts"
import { findKeptRepositoriesOf, insertBranches, insertDeletion, keepFiles } from "../../code/deletions/store.ts"
import { endDeletion, makeRoom } from "./room.ts"
import { type Captured, captureRepository, captureRows, dropKeptCollaborations, foreignKeysOf, type Root } from "./rows-store.ts"

/**
 * Keeps what is about to be deleted, with the rows that go with it, in the transaction that deletes it: events of deletions are delivered while their subject is still there.
 * It hears first, so that it sees things as they were.
 */
export const undo: Listener = { name: "undo", hear }

/** Keeps what these events are about, as far as it can be restored; and forgets of what is kept what must not come back. */
async function hear({ tx, services, events }: Delivery): Promise<void> {
  if (services.config.undo.keepSeconds > 0) {
    for (const event of events) await keep(tx, services, event)
    await keepBranches(tx, services, events)
  }
  for (const event of events) {
    if (event.kind === "account.deleted") await forgetRepositories(tx, services, event)
    if (event.kind === "organization.membersRemoved" && event.because === "removed") await forgetCollaborators(tx, event)
  }
}

type About = Pick<Insertable<DeletionsTable>, "kind" | "subject_id" | "name" | "actor_id"> & Partial<Insertable<DeletionsTable>>

async function keep(tx: Transaction, services: Services, event: DomainEvent): Promise<void> {
  switch (event.kind) {
    case "issue.deleted": {
      const { id, repository_id, number, title, author_id, is_pull } = event.issue
      const kind = is_pull === 1 ? "pull" : "issue"
      return keepRows(
        tx,
        services,
        { kind, subject_id: id, issue_id: id, repository_id, number, name: title, author_id, actor_id: event.actor.id },
        [
          { table: "issues", column: "id", ids: [id] },
          { table: "attachments", column: "issue_id", ids: [id] },
        ],
      )
    }
    case "comment.deleted": {
      const { comment, issue, actor } = event
      const ids = [comment.id]
      const about = { issue_id: issue.id, repository_id: issue.repository_id, author_id: comment.author_id }
      return keepRows(tx, services, { kind: "comment", subject_id: comment.id, name: "", actor_id: actor.id, ...about }, [
        { table: "comments", column: "id", ids },
        { table: "reactions", column: "comment_id", ids, issueId: issue.id },
        { table: "attachments", column: "comment_id", ids, issueId: issue.id },
      ])
    }
    case "label.deleted": {
      const { label, repositoryId, ownerId, actor } = event
      const about = { repository_id: repositoryId, ...(ownerId !== null && { owner_id: ownerId }) }
      return keepRows(tx, services, { kind: "label", subject_id: label.id, name: label.name, actor_id: actor.id, ...about }, [
        { table: "labels", column: "id", ids: [label.id] },
      ])
    }
    case "milestone.deleted": {
      const { milestone, repositoryId, actor } = event
      const about = { repository_id: repositoryId, name: milestone.title, actor_id: actor.id }
      return keepRows(tx, services, { kind: "milestone", subject_id: milestone.id, ...about }, [
        { table: "milestones", column: "id", ids: [milestone.id] },
      ])
    }
    case "release.deleted": {
      const { release, actor } = event
      const about = { repository_id: release.repository_id, name: release.title || release.tag_name, actor_id: actor.id }
      return keepRows(tx, services, { kind: "release", subject_id: release.id, author_id: release.publisher_id, ...about }, [
        { table: "releases", column: "id", ids: [release.id] },
        { table: "attachments", column: "release_id", ids: [release.id] },
      ])
    }
    case "repository.deleted":
      if (event.mayBeRestored) await keepRepository(tx, services, event)
  }
}

async function keepRows(tx: Transaction, services: Services, about: About, roots: readonly Root[]): Promise<void> {
  const { config, database } = services
  const repository = about.repository_id ? await findRepositoryById.first(tx, { id: about.repository_id }) : undefined
  const ownerId = repository?.owner_id ?? about.owner_id
  if (ownerId === undefined) return
  const captured = await captureRows(tx, await foreignKeysOf(database, tx), roots, config.undo.maxBytes)
  if (captured) await store(tx, services, { ...about, owner_id: ownerId }, captured, filesIn(captured))
}

async function keepRepository(tx: Transaction, services: Services, { repository, actor }: EventOf<"repository.deleted">): Promise<void> {
  const captured = await captureRepository(tx, repository.id, services.config.undo.maxBytes)
  if (!captured) return
  const { id, owner_id, name, git_size, lfs_size } = repository
  const about = { kind: "repository", subject_id: id, repository_id: id, owner_id, name, actor_id: actor.id } as const
  await store(tx, services, about, captured, { uuids: [], bytes: git_size + lfs_size })
}

interface Files {
  readonly uuids: readonly string[]
  readonly bytes: number
}

function filesIn({ tables }: Captured): Files {
  const rows = tables.flatMap(([table, all]) => (table === "attachments" ? all : []))
  return {
    uuids: rows.flatMap(({ uuid }) => (typeof uuid === "string" ? uuid : [])),
    bytes: rows.reduce((sum, { size }) => sum + (typeof size === "number" ? size : 0), 0),
  }
}

/** What a deletion counts for at least: many small ones take room too. */
const LEAST_BYTES = 4_096

async function store(
  tx: Transaction,
  services: Services,
  about: About & { readonly owner_id: number },
  captured: Captured,
  { uuids, bytes }: Files,
): Promise<void> {
  const content = JSON.stringify(captured)
  const { maxBytes, ownerFileBytes } = services.config.undo
  if (content.length > maxBytes || bytes > ownerFileBytes) return
  const sizes = { row_bytes: Math.max(LEAST_BYTES, content.length), file_bytes: bytes }
  const id = await insertDeletion(tx, { ...EMPTY, ...about, ...sizes, content, created_at: services.now() })
  await keepFiles(tx, id, uuids)
  await makeRoom(tx, services, about.owner_id, id)
}

const EMPTY = {
  repository_id: null,
  issue_id: 0,
  number: 0,
  author_id: 0,
  commit_id: "",
  content: "",
  row_bytes: 0,
  file_bytes: 0,
} as const

/** Deleted branches are names and commits; a push may delete thousands. */
async function keepBranches(tx: Transaction, services: Services, events: readonly DomainEvent[]): Promise<void> {
  const rows = events.flatMap((event) => {
    const branch = event.kind === "reference.removed" ? branchOf(event.ref) : undefined
    if (event.kind !== "reference.removed" || branch === undefined || event.oldId === null) return []
    const { repository, actor, oldId } = event
    const about = {
      kind: "branch",
      owner_id: repository.owner_id,
      repository_id: repository.id,
      subject_id: 0,
      actor_id: actor.id,
    } as const
    return { ...EMPTY, ...about, name: branch, commit_id: oldId, row_bytes: LEAST_BYTES, created_at: services.now() }
  })
  if (rows.length === 0) return
  await insertBranches(tx, rows)
  for (const ownerId of new Set(rows.map((row) => row.owner_id))) await makeRoom(tx, services, ownerId, 0)
}

/** Nobody can restore the repositories of an account that ends: they are removed now. */
async function forgetRepositories(tx: Transaction, services: Services, { user }: EventOf<"account.deleted">): Promise<void> {
  const kept = await findKeptRepositoriesOf(tx, { ownerId: user.id })
  for (const each of kept) await endDeletion(tx, services, each)
}

/** Whom an organisation removes collaborates there no more, also where a repository is restored. */
async function forgetCollaborators(tx: Transaction, { organization, userIds }: EventOf<"organization.membersRemoved">): Promise<void> {
  const gone = new Set(userIds)
  for (const { id } of await findKeptRepositoriesOf(tx, { ownerId: organization.id })) await dropKeptCollaborations(tx, id, gone)
}
