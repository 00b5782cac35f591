import type { Unit } from "../../../access/modes.ts"
import type { EventKind, EventOf } from "../../../core/events/event.ts"
import type { ScopeCategory } from "../../../core/operation.ts"
import type { ToldKind } from "./names.ts"
import type { Detail, SubjectType } from "./records.ts"

/**
 * What is told of each kind of event, and to whom: a new kind needs a line here. The log has ids, numbers and words alone, so what a line names is one of these.
 */

/** What one must be allowed to now, to be told. */
export type Right =
  /** To read the issue or pull request, whichever it is. */
  | "issue"
  /** The same, and to see the project. */
  | "card"
  /** To read this unit of the repository. */
  | Extract<Unit, "repo.code" | "repo.wiki" | "repo.actions">
  /** To read issues or pull requests of the repository; of an account, to see what it has. */
  | "planning"
  /** To see the project: by its unit in the repository; of an account, to see what it has. */
  | "project"
  /** To read releases; of a draft, to write them. */
  | "release"
  /** To see the issue, or else the release, that the file is attached to. */
  | "attachment"
  /** To see the package; a restricted one belongs to those of its owner. */
  | "package"
  /** To see any part of the repository. */
  | "repository"
  /** To have seen the repository that is deleted: everyone where it was public, else who owns the account. */
  | "deleted"
  /** To administer the repository; to own the account; to administer the site. */
  | "administration"
  /** To see what the account has: everyone where it is public, else who belongs to it. */
  | "account"
  /** To own the account: it is one's own, or an organisation's that one owns. */
  | "ownAccount"

type MembersOf<Event> = Event extends unknown ? Extract<keyof Event, string> : never

export interface Told<Member extends string = string> {
  readonly right: Right
  /** What a token must be allowed to read; of issues and pull requests it follows from which it is. */
  readonly scope: ScopeCategory
  /** What it is about, and the member with its id; without one, the repository, issue or pull request itself. */
  readonly subject: readonly [SubjectType, Member?]
  /** The member with the account that it is of, where it is of no repository. */
  readonly account?: Member
  readonly details?: Readonly<Partial<Record<Detail, Member>>>
  /** Told only of people whom everyone may see: nobody sees the others in lists of who did so. */
  readonly ofShownPeople?: true
}

/** Why nobody is told. */
interface Untold {
  readonly untold: string
}

const onIssue = <Member extends string = never>(details: Readonly<Partial<Record<Detail, Member>>> = {}): Told<Member> => ({
  right: "issue",
  scope: "issue",
  subject: ["issue"],
  details,
})

const onRepository: Told<never> = { right: "repository", scope: "repository", subject: ["repository"] }
const marked: Told<never> = { ...onRepository, ofShownPeople: true }
const changedRepository: Told<"changed"> = { ...onRepository, details: { changed: "changed" } }
const forAdministrators = <Member extends string>(type: SubjectType, id?: Member): Told<Member | "ownerId"> => ({
  right: "administration",
  scope: "repository",
  subject: id === undefined ? [type] : [type, id],
  account: "ownerId",
})
const inRepository = <Member extends string>(type: SubjectType, id?: Member): Told<Member> => ({
  right: "administration",
  scope: "repository",
  subject: id === undefined ? [type] : [type, id],
})
const label: Told<"label" | "ownerId"> = { right: "planning", scope: "issue", subject: ["label", "label"], account: "ownerId" }
const milestone: Told<"milestone"> = { right: "planning", scope: "issue", subject: ["milestone", "milestone"] }
const project: Told<"project" | "ownerId"> = { right: "project", scope: "issue", subject: ["project", "project"], account: "ownerId" }
const column: Told<"projectId" | "ownerId"> = { right: "project", scope: "issue", subject: ["project", "projectId"], account: "ownerId" }
const card: Told<never> = { right: "card", scope: "issue", subject: ["issue"] }
const release: Told<"release"> = { right: "release", scope: "repository", subject: ["release", "release"] }
const attachment: Told<"attachment" | "commentId" | "releaseId"> = {
  right: "attachment",
  scope: "repository",
  subject: ["attachment", "attachment"],
  details: { comment_id: "commentId", release_id: "releaseId" },
}
const reference: Told<"ref" | "oldId" | "newId"> = {
  right: "repo.code",
  scope: "repository",
  subject: ["reference"],
  details: { ref: "ref", before: "oldId", after: "newId" },
}
const queue: Told<"branch"> = { right: "repo.code", scope: "repository", subject: ["reference"], details: { branch: "branch" } }
const trial: Told<"branch" | "ref"> = {
  right: "repo.code",
  scope: "repository",
  subject: ["reference"],
  details: { branch: "branch", ref: "ref" },
}
const wiki: Told<never> = { right: "repo.wiki", scope: "repository", subject: ["wiki_page"] }
const published: Told<"package" | "ownerId" | "version"> = {
  right: "package",
  scope: "package",
  subject: ["package", "package"],
  account: "ownerId",
  details: { version_id: "version" },
}
const ofPackage: Told<"package" | "ownerId"> = { right: "package", scope: "package", subject: ["package", "package"], account: "ownerId" }
const organization: Told<"organization"> = {
  right: "account",
  scope: "organization",
  subject: ["account", "organization"],
  account: "organization",
}
const team: Told<"team" | "organization"> = {
  right: "ownAccount",
  scope: "organization",
  subject: ["team", "team"],
  account: "organization",
}
const person: Told<"user"> = { right: "account", scope: "user", subject: ["account", "user"], account: "user" }
const runner = forAdministrators<"runner">("runner", "runner")

const CREDENTIALS: Untold = { untold: "it is about how one account signs in" }
const MAIL: Untold = { untold: "it only asks for a mail to one person" }
const FOLLOWS: Untold = { untold: "what else happened says so" }

/** A kind stands among `KINDS` if it is told, and only then. */
export const TOLD: { readonly [Kind in EventKind]: Kind extends ToldKind ? Told<MembersOf<EventOf<Kind>>> : Untold } = {
  "issue.opened": onIssue(),
  "issue.edited": onIssue({ changed: "changes" }),
  "issue.closed": onIssue(),
  "issue.reopened": onIssue(),
  "issue.deleted": onIssue(),
  "issue.restored": onIssue(),
  "issue.leaving": onIssue(),
  "issue.transferred": onIssue(),
  "issue.labelled": onIssue({ added: "added", removed: "removed" }),
  "issue.milestoned": onIssue({ from: "from", to: "to" }),
  "issue.assigned": onIssue({ added: "added", removed: "removed" }),
  "issue.dueDateChanged": onIssue(),
  "issue.branchChanged": onIssue(),
  "issue.versionDeleted": onIssue({ comment_id: "commentId" }),
  "issue.locked": onIssue(),
  "issue.unlocked": onIssue(),
  "issue.pinned": onIssue(),
  "issue.unpinned": onIssue(),
  "issue.pinMoved": onIssue(),
  "issue.subscribed": { ...onIssue({ user_id: "user" }), ofShownPeople: true },
  "issue.unsubscribed": { ...onIssue({ user_id: "user" }), ofShownPeople: true },
  "issue.referenced": { untold: "what refers to it may be hidden, and the log does not keep where that is" },
  "issue.referencedByCommit": { untold: "the commit may be in a hidden repository, and the log does not keep where that is" },
  "issue.dependencyAdded": { untold: "the other issue may be hidden" },
  "issue.dependencyRemoved": { untold: "the other issue may be hidden" },
  "issue.projectAdded": card,
  "issue.projectColumnChanged": card,
  "issue.projectRemoved": card,
  "card.moved": card,
  "comment.created": onIssue({ comment_id: "comment" }),
  "comment.edited": onIssue({ comment_id: "comment" }),
  "comment.deleted": onIssue({ comment_id: "comment" }),
  "comment.restored": onIssue({ comment_id: "comment" }),
  "reaction.added": onIssue({ comment_id: "commentId" }),
  "reaction.removed": onIssue({ comment_id: "commentId" }),
  "time.started": onIssue(),
  "time.cancelled": onIssue(),
  "time.stopped": onIssue({ time_id: "time" }),
  "time.added": onIssue({ time_id: "time" }),
  "time.deleted": onIssue(),
  "pull.pushed": onIssue({ before: "before", after: "after", forced: "isForced" }),
  "pull.ready": onIssue(),
  "pull.merged": onIssue(),
  "pull.maintainerEditChanged": onIssue(),
  "pull.mergeScheduled": onIssue(),
  "pull.mergeCancelled": onIssue(),
  "pull.headBranchDeleted": onIssue(),
  "queue.queued": onIssue({ branch: "branch" }),
  "queue.removed": onIssue({ branch: "branch" }),
  "queue.prioritised": onIssue({ branch: "branch" }),
  "queue.built": trial,
  "queue.failed": trial,
  "queue.dropped": trial,
  "queue.landed": trial,
  "queue.frozen": queue,
  "queue.unfrozen": queue,
  "review.submitted": onIssue({ review_id: "review" }),
  "review.dismissed": onIssue({ review_id: "review" }),
  "review.requested": onIssue(),
  "review.requestRemoved": onIssue(),
  "review.undismissed": onIssue({ review_id: "review" }),
  "review.deleted": onIssue({ review_id: "review" }),
  "conversation.resolved": onIssue({ comment_id: "commentId" }),
  "conversation.reopened": onIssue({ comment_id: "commentId" }),
  "label.created": label,
  "label.edited": { ...label, details: { changed: "changed" } },
  "label.deleted": label,
  "label.restored": label,
  "milestone.created": milestone,
  "milestone.closed": milestone,
  "milestone.reopened": milestone,
  "milestone.edited": { ...milestone, details: { changed: "changed" } },
  "milestone.deleted": milestone,
  "milestone.restored": milestone,
  "project.created": project,
  "project.closed": project,
  "project.reopened": project,
  "project.edited": { ...project, details: { changed: "changed" } },
  "project.deleted": project,
  "column.created": { ...column, details: { column_id: "columnId" } },
  "column.edited": { ...column, details: { column_id: "columnId", changed: "changed" } },
  "column.deleted": { ...column, details: { column_id: "columnId" } },
  "column.madeDefault": { ...column, details: { column_id: "columnId" } },
  "column.moved": column,
  "repository.created": onRepository,
  "repository.forked": inRepository("repository"),
  "repository.deleted": { right: "deleted", scope: "repository", subject: ["repository"], account: "owner" },
  "repository.restored": onRepository,
  "repository.renamed": onRepository,
  "repository.transferred": onRepository,
  "repository.transferOffered": inRepository("repository"),
  "repository.transferRejected": inRepository("repository"),
  "repository.edited": changedRepository,
  "repository.archived": onRepository,
  "repository.unarchived": onRepository,
  "repository.madePrivate": onRepository,
  "repository.madePublic": onRepository,
  "repository.starred": marked,
  "repository.unstarred": marked,
  "repository.watched": marked,
  "repository.unwatched": marked,
  "collaborator.added": inRepository("account", "user"),
  "collaborator.changed": inRepository("account", "user"),
  "collaborator.removed": inRepository("account", "user"),
  "deployKey.added": inRepository("deploy_key", "deployKey"),
  "deployKey.removed": inRepository("deploy_key", "deployKey"),
  "protection.changed": inRepository("protection"),
  "tagProtection.created": inRepository("protection", "tagProtection"),
  "tagProtection.edited": inRepository("protection", "tagProtection"),
  "tagProtection.deleted": inRepository("protection", "tagProtection"),
  "mirror.synchronized": { right: "repo.code", scope: "repository", subject: ["repository"] },
  "pushMirror.added": inRepository("mirror", "pushMirror"),
  "pushMirror.removed": inRepository("mirror", "pushMirror"),
  "pushMirror.synchronized": inRepository("mirror", "pushMirror"),
  "lfsLock.created": { right: "repo.code", scope: "repository", subject: ["lfs_lock", "lfsLock"] },
  "lfsLock.deleted": { right: "repo.code", scope: "repository", subject: ["lfs_lock", "lfsLock"] },
  "reference.created": reference,
  "reference.moved": reference,
  "reference.removed": reference,
  "branch.renamed": { right: "repo.code", scope: "repository", subject: ["reference"], details: { after: "tip" } },
  "release.published": release,
  "release.edited": release,
  "release.deleted": release,
  "release.restored": release,
  "attachment.added": attachment,
  "attachment.renamed": attachment,
  "attachment.deleted": attachment,
  "commit.checked": { right: "repo.code", scope: "repository", subject: ["commit"], details: { status_ids: "statuses" } },
  "wiki.created": wiki,
  "wiki.edited": wiki,
  "wiki.deleted": wiki,
  "package.published": published,
  "package.deleted": published,
  "package.fileAdded": published,
  "package.fileDeleted": published,
  "package.linked": ofPackage,
  "package.unlinked": ofPackage,
  "package.edited": { ...ofPackage, details: { changed: "changed" } },
  "run.changed": { right: "repo.actions", scope: "repository", subject: ["run", "run"], details: { job_ids: "jobs" } },
  "run.deleted": { right: "repo.actions", scope: "repository", subject: ["run", "run"] },
  "artifact.stored": { right: "repo.actions", scope: "repository", subject: ["artifact", "artifact"] },
  "artifact.deleted": { right: "repo.actions", scope: "repository", subject: ["artifact", "artifact"] },
  "workflow.enabled": { right: "repo.actions", scope: "repository", subject: ["workflow"] },
  "workflow.disabled": { right: "repo.actions", scope: "repository", subject: ["workflow"] },
  "runner.registered": runner,
  "runner.declared": runner,
  "runner.enabled": runner,
  "runner.disabled": runner,
  "runner.deleted": runner,
  "secret.created": forAdministrators("secret", "secret"),
  "secret.edited": forAdministrators("secret", "secret"),
  "secret.deleted": forAdministrators("secret", "secret"),
  "variable.created": forAdministrators("variable", "variable"),
  "variable.edited": forAdministrators("variable", "variable"),
  "variable.deleted": forAdministrators("variable", "variable"),
  "webhook.created": forAdministrators("webhook", "webhook"),
  "webhook.edited": forAdministrators("webhook", "webhook"),
  "webhook.deleted": forAdministrators("webhook", "webhook"),
  "user.created": person,
  "user.renamed": person,
  "user.edited": { ...person, right: "ownAccount", details: { changed: "changed" } },
  "user.followed": { ...person, right: "ownAccount" },
  "user.unfollowed": { ...person, right: "ownAccount" },
  "user.blocked": { right: "ownAccount", scope: "user", subject: ["account", "user"], account: "by" },
  "user.unblocked": { right: "ownAccount", scope: "user", subject: ["account", "user"], account: "by" },
  "organization.created": organization,
  "organization.renamed": organization,
  "organization.edited": { ...organization, details: { changed: "changed" } },
  "organization.membersRemoved": { ...organization, right: "ownAccount", details: { removed: "userIds" } },
  "organization.memberShown": { ...organization, details: { user_id: "user" } },
  "organization.memberConcealed": { ...organization, right: "ownAccount", details: { user_id: "user" } },
  "team.created": team,
  "team.edited": { ...team, details: { changed: "changed" } },
  "team.deleted": team,
  "team.invited": team,
  "team.uninvited": team,
  "team.memberAdded": { ...team, details: { user_id: "user" } },
  "team.memberRemoved": { ...team, details: { user_id: "user" } },
  "team.repositoryAdded": team,
  "team.repositoryRemoved": team,
  "access.granted": FOLLOWS,
  "access.lost": FOLLOWS,
  "account.deleted": { untold: "who could see the account is not known any more" },
  "deletion.purged": { untold: "what was deleted was told when it was" },
  "account.welcomeAsked": MAIL,
  "account.activationNeeded": MAIL,
  "account.addressAdded": MAIL,
  "account.recoveryAsked": MAIL,
  "account.codesGuessed": MAIL,
  "account.signUpRepeated": MAIL,
  "account.invited": MAIL,
  "application.created": CREDENTIALS,
  "application.edited": CREDENTIALS,
  "application.deleted": CREDENTIALS,
  "grant.given": CREDENTIALS,
  "grant.revoked": CREDENTIALS,
  "key.added": CREDENTIALS,
  "key.verified": CREDENTIALS,
  "key.removed": CREDENTIALS,
  "token.created": CREDENTIALS,
  "token.deleted": CREDENTIALS,
  "token.expires": CREDENTIALS,
}

const LINES: ReadonlyMap<string, Told> = new Map(
  Object.entries(TOLD).flatMap(([kind, line]): readonly (readonly [string, Told])[] => ("untold" in line ? [] : [[kind, line]])),
)

/** What is told of a kind; undefined for one that is not told, and for those of earlier versions. */
export const toldOf = (kind: string): Told | undefined => LINES.get(kind)
