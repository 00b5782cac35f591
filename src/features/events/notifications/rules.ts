import { type Repository, unitEnabled } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { EventOf } from "../../../core/events/event.ts"
import type { Services } from "../../../core/services.ts"
import type { Run } from "../../actions/runs/store.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { BROADCAST, type DIRECT } from "../kinds.ts"
import { queueMails } from "../mail/jobs.ts"
import type { Cause } from "./causes.ts"
import {
  findIssueMailReceivers,
  findOfferMailReceivers,
  findReleaseMailReceivers,
  insertIssueThreads,
  insertOfferThreads,
  insertReleaseThreads,
  insertRunThread,
} from "./store.ts"

/** Who is notified of an event. Actors are not unless they chose so, and neither are users who may not read the subject; that is checked again when threads are shown. */

export type NotificationKind = (typeof BROADCAST)[number] | (typeof DIRECT)[number]

const isBroadcast = (kind: NotificationKind): boolean => BROADCAST.some((known) => known === kind)

export interface IssueEvent {
  readonly kind: NotificationKind
  readonly issue: Issue
  readonly repository: Repository
  readonly owner: User
  readonly actor: User
  /** The comment of the event, if there is one. */
  readonly comment?: { readonly id: number } | undefined
  /** Users named by the event: they are notified even if they unsubscribed. */
  readonly users?: readonly number[]
  readonly now: Seconds
}

type Needed = Pick<Services, "config" | "jobs">

/**
 * Notifies the users that an event of an issue or pull request concerns: their thread becomes unread, or stays pinned, and a mail is queued
 * for after the commit where mail is configured.
 */
export async function notify(tx: Transaction, services: Needed, event: IssueEvent): Promise<void> {
  const { kind, issue, repository, actor, users = [], now } = event
  const unit = issue.is_pull === 1 ? "repo.pulls" : "repo.issues"
  const broadcast = isBroadcast(kind)
  if (!unitEnabled(repository, unit) || (!broadcast && users.length === 0)) return
  // Watchers are notified once it is ready.
  const quiet = issue.is_pull === 1 && kind !== "created" && isUnfinished(issue.title)
  const receivers = {
    issueId: issue.id,
    repositoryId: repository.id,
    actorId: actor.id,
    unit,
    direct: users,
    directCause: directCauseOf(kind),
    broadcast: broadcast ? 1 : 0,
    watchers: broadcast && !quiet ? 1 : 0,
    watchedCause: kind === "created" ? (issue.is_pull === 1 ? "new_pull" : "new_issue") : "activity",
  } as const
  await insertIssueThreads(tx, { ...receivers, subject: issue.is_pull === 1 ? "pull" : "issue", now })
  await queueMails(
    tx,
    services,
    { about: kind, issueId: issue.id, repositoryId: repository.id, commentId: event.comment?.id ?? 0, actorId: actor.id },
    () => findIssueMailReceivers(tx, receivers),
  )
}

/** Why the users that an event names are told of it. */
function directCauseOf(kind: NotificationKind): Cause {
  if (kind === "assigned" || kind === "review_requested") return kind
  // The reviewer whose review was dismissed takes part.
  return kind === "dismissed" ? "participating" : "mentioned"
}

export interface OfferEvent {
  readonly repository: Repository
  /** The user or organisation that the repository is offered to. */
  readonly recipient: User
  readonly actor: User
  readonly now: Seconds
}

/** Notifies the users who can accept or decline the offer of a repository: the user, or those who may create repositories in the organisation. */
export async function notifyOffer(tx: Transaction, services: Needed, { repository, recipient, actor, now }: OfferEvent): Promise<void> {
  await insertOfferThreads(tx, { repositoryId: repository.id, recipientId: recipient.id, actorId: actor.id, now })
  await queueMails(tx, services, { about: "offered", issueId: 0, repositoryId: repository.id, commentId: 0, actorId: actor.id }, () =>
    findOfferMailReceivers(tx, { recipientId: recipient.id, actorId: actor.id }),
  )
}

/** Notifies those who want to be told of releases of the repository. */
export async function notifyOfRelease(
  tx: Transaction,
  services: Needed,
  { repository, release, actor, at: now }: EventOf<"release.published">,
): Promise<void> {
  if (!unitEnabled(repository, "repo.releases")) return
  const receivers = { repositoryId: repository.id, actorId: actor.id }
  await insertReleaseThreads(tx, { ...receivers, releaseId: release.id, now })
  await queueMails(
    tx,
    services,
    { about: "released", issueId: 0, repositoryId: repository.id, commentId: 0, actorId: actor.id, releaseId: release.id },
    () => findReleaseMailReceivers(tx, receivers),
  )
}

/** Notifies the user whose own run has failed. A further attempt that fails makes the same thread unread again. Mails are up to `failed-runs.ts`. */
export async function notifyOfRun(tx: Transaction, run: Run, actor: Pick<User, "id">, now: Seconds): Promise<void> {
  await insertRunThread(tx, { runId: run.id, repositoryId: run.repository_id, receiverId: actor.id, now })
}
