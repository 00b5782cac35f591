import { type Repository, unitEnabled } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Services } from "../../../core/services.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { queueMails } from "../mail/jobs.ts"
import { insertIssueThreads, insertOfferThreads } from "./store.ts"

/** Who is notified of an event. Actors are not, and neither are users who may not read the subject; that is checked again when threads are shown. */

/** For every participant of the issue: author, assignees, commenters, requested reviewers, watchers, subscribers; not for users who unsubscribed. */
const BROADCAST = ["created", "commented", "closed", "reopened", "merged", "pushed", "reviewed", "dismissed", "ready"] as const
/** For the named users only. */
const DIRECT = ["assigned", "mentioned", "review_requested"] as const

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
  const notified = await insertIssueThreads(tx, {
    issueId: issue.id,
    repositoryId: repository.id,
    actorId: actor.id,
    subject: issue.is_pull === 1 ? "pull" : "issue",
    unit,
    direct: users,
    broadcast: broadcast ? 1 : 0,
    watchers: broadcast && !quiet ? 1 : 0,
    now,
  })
  await queueMails(
    tx,
    services,
    { about: kind, issueId: issue.id, repositoryId: repository.id, commentId: event.comment?.id ?? 0, actorId: actor.id },
    notified.map(({ user_id }) => user_id),
  )
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
  const notified = await insertOfferThreads(tx, { repositoryId: repository.id, recipientId: recipient.id, actorId: actor.id, now })
  await queueMails(
    tx,
    services,
    { about: "offered", issueId: 0, repositoryId: repository.id, commentId: 0, actorId: actor.id },
    notified.map(({ user_id }) => user_id),
  )
}
