import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef } from "../../../git/index.ts"
import { type Announcement, announce, announceOfOwner } from "./announce.ts"
import { commentAnnouncement } from "./events/comments.ts"
import { issueAnnouncements } from "./events/issues.ts"
import { packageAnnouncement } from "./events/packages.ts"
import { createEvents, deleteEvents } from "./events/pushes.ts"
import {
  forkAnnouncement,
  releaseAnnouncements,
  repositoryAnnouncement,
  statusAnnouncements,
  wikiAnnouncement,
} from "./events/repositories.ts"
import { runAnnouncements } from "./events/runs.ts"
import { copyWebhooks } from "./rules.ts"
import { findDefaults, findOfRepository } from "./store.ts"

/** Sends domain events to webhooks. Pushes are handled after the push (on-push.ts), as their commits are read from git. */
export const webhooks: Listener = {
  name: "webhooks",
  async hear({ tx, services, events }) {
    for (const event of events) if (event.kind === "repository.created") await giveWebhooks(tx, services, event)
    for (const event of events)
      if ((event.kind === "package.published" || event.kind === "package.deleted") && event.repositoryId === null)
        await announceOfOwner(tx, services, event.owner.id, [packageAnnouncement(tx, services, event)])
    const byRepository = new Map<number, Announcement[]>()
    for (const event of events) {
      const announcements = announcementsOf(tx, services, event)
      const repositoryId = repositoryOf(event)
      if (repositoryId === undefined || announcements.length === 0) continue
      byRepository.set(repositoryId, [...(byRepository.get(repositoryId) ?? []), ...announcements])
    }
    for (const [repositoryId, announcements] of byRepository) await announce(tx, services, repositoryId, announcements)
  },
}

/** Gives a new repository the site's default webhooks, and those of its template. */
async function giveWebhooks(
  tx: Transaction,
  services: Services,
  { repository: { id }, webhooksFrom }: EventOf<"repository.created">,
): Promise<void> {
  await copyWebhooks(tx, services, id, await findDefaults(tx))
  if (webhooksFrom !== undefined) await copyWebhooks(tx, services, id, await findOfRepository(tx, { repositoryId: webhooksFrom }))
}

function repositoryOf(event: DomainEvent): number | undefined {
  if ("issue" in event) return event.issue.repository_id
  if ("release" in event) return event.release.repository_id
  if (event.kind === "run.changed") return event.run.repository_id
  if ("repositoryId" in event) return event.repositoryId ?? undefined
  return "repository" in event ? event.repository.id : undefined
}

function announcementsOf(tx: Transaction, services: Services, event: DomainEvent): readonly Announcement[] {
  switch (event.kind) {
    case "comment.created":
    case "comment.edited":
    case "comment.deleted":
      return [commentAnnouncement(tx, services, event)]
    case "repository.created":
    case "repository.deleted":
      return [repositoryAnnouncement(services, event)]
    case "repository.forked":
      return [forkAnnouncement(tx, services, event)]
    case "release.published":
    case "release.edited":
    case "release.deleted":
      return releaseAnnouncements(tx, services, event)
    case "wiki.created":
    case "wiki.edited":
    case "wiki.deleted":
      return [wikiAnnouncement(event)]
    case "package.published":
    case "package.deleted":
      return [packageAnnouncement(tx, services, event)]
    case "commit.checked":
      return statusAnnouncements(tx, services, event)
    case "branch.renamed":
      return [...deleteEvents(branchRef(event.from), event.actor), ...createEvents(branchRef(event.to), event.tip, event.actor)]
    case "run.changed":
      return runAnnouncements(tx, services, event)
    default:
      return issueAnnouncements(tx, services, event)
  }
}
