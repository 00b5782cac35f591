import { type Repository, unitEnabled } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Services } from "../../../core/services.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { announce } from "../mail/announce.ts"
import { tellOfIssue, tellOfOffer } from "./store.ts"

/** Who is told of what happens. Whoever did it is never told, nor whoever may not read it; that is asked again whenever threads are shown. */

/** Told to everybody around the issue: author, assignees, whoever wrote there or was asked for a review, watchers, subscribers; not to those who unsubscribed. */
const BROADCAST = ["created", "commented", "closed", "reopened", "merged", "pushed", "reviewed", "dismissed", "ready"] as const
/** Told only to the people named. */
const DIRECT = ["assigned", "mentioned", "review_requested"] as const

export type NotificationKind = (typeof BROADCAST)[number] | (typeof DIRECT)[number]

const isBroadcast = (kind: NotificationKind): boolean => BROADCAST.some((known) => known === kind)

export interface IssueEvent {
  readonly kind: NotificationKind
  readonly issue: Issue
  readonly repository: Repository
  readonly owner: User
  readonly actor: User
  /** What was written, where the event is about that. */
  readonly comment?: { readonly id: number } | undefined
  /** People who are named: they are told even if they unsubscribed. */
  readonly users?: readonly number[]
  readonly now: Seconds
}

type Needed = Pick<Services, "config" | "jobs">

/**
 * Tells everybody whom it concerns of something that happened to an issue or pull request: their thread is unread again, or stays pinned,
 * and a mail waits for the commit where mail is set up.
 */
export async function notify(tx: Transaction, services: Needed, event: IssueEvent): Promise<void> {
  const { kind, issue, repository, actor, users = [], now } = event
  const unit = issue.is_pull === 1 ? "repo.pulls" : "repo.issues"
  const broadcast = isBroadcast(kind)
  if (!unitEnabled(repository, unit) || (!broadcast && users.length === 0)) return
  // Watchers wait until it is ready.
  const quiet = issue.is_pull === 1 && kind !== "created" && isUnfinished(issue.title)
  const told = await tellOfIssue(tx, {
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
  await announce(
    tx,
    services,
    { about: kind, issueId: issue.id, repositoryId: repository.id, commentId: event.comment?.id ?? 0, actorId: actor.id },
    told.map(({ user_id }) => user_id),
  )
}

export interface OfferEvent {
  readonly repository: Repository
  /** The person or organisation that the repository is offered to. */
  readonly recipient: User
  readonly actor: User
  readonly now: Seconds
}

/** Tells those who can say yes or no of the offer of a repository: the person, or whoever makes repositories in the organisation. */
export async function notifyOffer(tx: Transaction, services: Needed, { repository, recipient, actor, now }: OfferEvent): Promise<void> {
  const told = await tellOfOffer(tx, { repositoryId: repository.id, recipientId: recipient.id, actorId: actor.id, now })
  await announce(
    tx,
    services,
    { about: "offered", issueId: 0, repositoryId: repository.id, commentId: 0, actorId: actor.id },
    told.map(({ user_id }) => user_id),
  )
}
