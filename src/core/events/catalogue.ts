/**
 * All domain events, as data. A verb changes rows and publishes one of these; the listeners (src/listeners.ts) do the rest. Events contain the
 * rows that the verb has read, so that listeners query as little as possible; the log (log.ts) stores ids only.
 */
import type { Selectable } from "kysely"
import type { Commit, ObjectId, RefName } from "../../git/index.ts"
import type { User } from "../actor.ts"
import type { Seconds, Tables } from "../database/tables.ts"

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>
type Id<Of extends { readonly id: number }> = Pick<Of, "id">

type Repository = Row<"repositories">
type Issue = Row<"issues">
type Comment = Row<"comments">
type Review = Row<"reviews">

/** Of several kinds each is an event of its own, so that {@link EventOf} finds it. */
type Happened<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly at: Seconds } : never

/** Events published without a time; the log adds it. */
type Undated<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly at?: Seconds } : never

/** Events in a repository, with the rows that listeners show. */
interface InRepository {
  readonly repository: Repository
  readonly owner: User
  readonly actor: User
}

/** Events of an issue or a pull request. */
interface OnIssue extends InRepository {
  readonly issue: Issue
}

/** Events of an issue that cause no notifications: the issue alone is enough. */
interface AboutIssue {
  readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">
  readonly actor: User
}

/** The names of the columns that have new values. */
interface Changing {
  readonly changed: readonly string[]
}

/** Events of what belongs to a repository, to a person or organisation, or (neither) to the site. */
interface OfOwner {
  readonly repositoryId: number | null
  readonly ownerId: number | null
  readonly actor: Id<User>
}

/** Events of what belongs to a repository. */
interface OfRepository {
  readonly repositoryId: number
  readonly actor: Id<User>
}

/** Events that only the issue's timeline shows. */
interface InTimeline {
  readonly issue: Pick<Issue, "id" | "repository_id">
  readonly actor: Id<User>
}

// --- issues and pull requests ----------------------------------------------------------------------------------------------------

/** The people mentioned in the new text. */
interface Mentioning {
  readonly mentioned: readonly Id<User>[]
}

interface AtColumn {
  readonly projectId: number
  readonly columnId: number
}

/** The previous values of what has changed; empty if a file was attached. */
interface TextChanges {
  readonly title?: { readonly from: string; readonly to: string }
  readonly body?: { readonly from: string }
  /** The branch that a pull request is to be merged into. */
  readonly base?: { readonly from: string; readonly to: string }
}

type IssueEvent =
  | (Happened<"issue.opened"> & OnIssue & Mentioning)
  | (Happened<"issue.edited"> & AboutIssue & { readonly changes: TextChanges })
  /** `commitId`: the commit whose message closed or reopened it. */
  | (Happened<"issue.closed" | "issue.reopened"> & OnIssue & { readonly commitId?: string | undefined })
  /** Delivered while the issue is still there. */
  | (Happened<"issue.deleted"> & AboutIssue & { readonly issue: Issue })
  /** It is about to be transferred to another repository: what its former one is told. Delivered while the issue is still there. */
  | (Happened<"issue.leaving"> & AboutIssue & { readonly issue: Issue })
  /** It is in another repository, with a new number. `from` and `number` are where it was. */
  | (Happened<"issue.transferred"> & OnIssue & { readonly from: Repository; readonly number: number })
  /** `cleared`: all labels were removed together. */
  | (Happened<"issue.labelled"> &
      AboutIssue & { readonly added: readonly Row<"labels">[]; readonly removed: readonly Row<"labels">[]; readonly cleared: boolean })
  | (Happened<"issue.milestoned"> & AboutIssue & { readonly from: number | null; readonly to: number | null })
  | (Happened<"issue.assigned"> & OnIssue & { readonly added: readonly Id<User>[]; readonly removed: readonly Id<User>[] })
  | (Happened<"issue.dueDateChanged"> & InTimeline & { readonly from: Seconds; readonly to: Seconds })
  | (Happened<"issue.branchChanged"> & InTimeline & { readonly from: string; readonly to: string })
  /** The content of an earlier version of its text, or of a comment on it, was deleted. */
  | (Happened<"issue.versionDeleted"> & InTimeline & { readonly commentId: number | null; readonly number: number })
  | (Happened<"issue.locked"> & InTimeline & { readonly reason: string })
  | (Happened<"issue.unlocked" | "issue.pinned" | "issue.unpinned"> & InTimeline)
  /** It has another position among the pinned ones. */
  | (Undated<"issue.pinMoved"> & InTimeline)
  /** A user asked to be notified about it, or not to be. */
  | (Undated<"issue.subscribed" | "issue.unsubscribed"> & InTimeline & { readonly user: Id<User> })
  /** Another text refers to the issue. */
  | (Happened<"issue.referenced"> &
      InTimeline & {
        readonly by: "issue_ref" | "pull_ref" | "comment_ref"
        readonly source: { readonly repositoryId: number; readonly issueId: number; readonly commentId: number | null }
        readonly action: Comment["ref_action"]
      })
  /** A pushed commit refers to the issue. */
  | (Happened<"issue.referencedByCommit"> & InTimeline & { readonly commitId: string; readonly html: string })
  | (Happened<"issue.dependencyAdded" | "issue.dependencyRemoved"> & InTimeline & { readonly other: Id<Issue> })
  | (Happened<"issue.projectAdded" | "issue.projectColumnChanged"> & InTimeline & AtColumn)
  | (Happened<"issue.projectRemoved"> & InTimeline & { readonly projectId: number })
  | (Happened<"time.started" | "time.cancelled"> & InTimeline)
  | (Happened<"time.stopped" | "time.added"> & InTimeline & { readonly time: Pick<Row<"tracked_times">, "id" | "seconds"> })
  | (Happened<"time.deleted"> & InTimeline & { readonly seconds: number })

type CommentEvent =
  | (Happened<"comment.created"> & OnIssue & Mentioning & { readonly comment: Comment })
  | (Happened<"comment.edited"> & AboutIssue & { readonly comment: Spoken; readonly from: string })
  /** Delivered while the comment is still there. */
  | (Happened<"comment.deleted"> & AboutIssue & { readonly comment: Spoken })

  /** A reaction to the body of an issue, or to one of its comments. */
  | (Undated<"reaction.added" | "reaction.removed"> & InTimeline & { readonly commentId: number | null })

/** The columns that are needed to show a comment. */
type Spoken = Pick<
  Comment,
  "id" | "issue_id" | "author_id" | "content" | "created_at" | "updated_at" | "original_author" | "original_author_id"
>

type PullEvent =
  /** Commits were added to a pull request; `before` is null for those that it had when it was opened. */
  | (Happened<"pull.pushed"> &
      OnIssue & {
        readonly before: string | null
        readonly after: string
        readonly commits: readonly ObjectId[]
        readonly isForced: boolean
      })
  /** It is no longer a draft. */
  | (Happened<"pull.ready"> & OnIssue)
  | (Happened<"pull.merged"> & OnIssue & { readonly isAutomatic: boolean })
  /** Whether those who may merge may push to its head. */
  | (Undated<"pull.maintainerEditChanged"> & InTimeline & { readonly allowed: boolean })
  | (Happened<"pull.mergeScheduled" | "pull.mergeCancelled"> & InTimeline)
  | (Happened<"pull.headBranchDeleted"> & InTimeline & { readonly branch: string })

type ReviewEvent =
  /** `header` is the comment of the review itself, `lines` are its comments on lines. */
  | (Happened<"review.submitted"> &
      OnIssue &
      Mentioning & { readonly review: Review; readonly header: Comment; readonly lines: readonly Comment[] })
  | (Happened<"review.dismissed"> & OnIssue & { readonly review: Pick<Review, "id" | "reviewer_id">; readonly message: string })
  /** `told`: the people who were asked, individually or as members of teams. */
  | (Happened<"review.requested"> & OnIssue & { readonly requests: readonly Review[]; readonly told: readonly Id<User>[] })
  | (Happened<"review.requestRemoved"> & AboutIssue & { readonly requests: readonly Review[] })
  /** A dismissal was taken back. */
  | (Undated<"review.undismissed"> & InTimeline & { readonly review: Id<Review> })
  /** With its comments on lines and the replies to them. Not published for reviews that were not submitted. */
  | (Undated<"review.deleted"> & InTimeline & { readonly review: Id<Review> })
  /** A conversation about a line of code. */
  | (Undated<"conversation.resolved" | "conversation.reopened"> & InTimeline & { readonly commentId: number })

// --- definitions for planning ----------------------------------------------------------------------------------------------------

type LabelEvent =
  | (Undated<"label.created"> & OfOwner & { readonly label: Id<Row<"labels">> })
  | (Undated<"label.edited"> & OfOwner & Changing & { readonly label: Id<Row<"labels">> })
  /** It was removed from all issues. */
  | (Undated<"label.deleted"> & OfOwner & { readonly label: Id<Row<"labels">> })

type MilestoneEvent =
  | (Undated<"milestone.created" | "milestone.closed" | "milestone.reopened"> &
      OfRepository & { readonly milestone: Id<Row<"milestones">> })
  /** Other columns than its state. */
  | (Undated<"milestone.edited"> & OfRepository & Changing & { readonly milestone: Id<Row<"milestones">> })
  /** Its issues have no milestone any more. */
  | (Undated<"milestone.deleted"> & OfRepository & { readonly milestone: Id<Row<"milestones">> })

type ProjectEvent =
  | (Undated<"project.created" | "project.closed" | "project.reopened"> & OfOwner & { readonly project: Id<Row<"projects">> })
  /** Other columns than its state. */
  | (Undated<"project.edited"> & OfOwner & Changing & { readonly project: Id<Row<"projects">> })
  /** With its columns and cards. */
  | (Undated<"project.deleted"> & OfOwner & { readonly project: Id<Row<"projects">> })
  | (Undated<"column.created"> & OfOwner & AtColumn)
  | (Undated<"column.edited"> & OfOwner & AtColumn & Changing)
  /** Its cards were moved to the end of the default column. */
  | (Undated<"column.deleted"> & OfOwner & AtColumn)
  | (Undated<"column.madeDefault"> & OfOwner & AtColumn)
  /** These columns have other positions. */
  | (Undated<"column.moved"> & OfOwner & { readonly projectId: number; readonly columnIds: readonly number[] })
  /** An issue was moved within its column. */
  | (Undated<"card.moved"> & InTimeline & AtColumn)

// --- code ------------------------------------------------------------------------------------------------------------------------

type RepositoryEvent =
  /** `isImported`: its content is imported, so that the feed shows it later or not at all. */
  | (Happened<"repository.created"> &
      InRepository & {
        readonly isImported: boolean
        /** The labels that it begins with. */
        readonly labels?: readonly (Pick<Row<"labels">, "name" | "color" | "description"> & { readonly exclusive: boolean })[] | undefined
        /** The template repository whose labels it copies. */
        readonly labelsFrom?: number | undefined
        /** The template repository whose webhooks it copies. */
        readonly webhooksFrom?: number | undefined
      })
  | (Happened<"repository.forked"> & InRepository & { readonly fork: { readonly repository: Repository; readonly owner: User } })
  /** Delivered while the repository is still there. */
  | (Happened<"repository.deleted"> & InRepository)
  | (Happened<"repository.renamed"> & InRepository & { readonly from: string })
  /** `from`: its previous full name. */
  | (Happened<"repository.transferred"> & InRepository & { readonly from: string; readonly formerOwner: User })
  | (Happened<"repository.transferOffered"> & InRepository & { readonly recipient: User })
  /** An offered transfer was rejected or withdrawn, or has ended because owner and recipient blocked one another. */
  | (Undated<"repository.transferRejected"> & {
      readonly repository: Id<Repository>
      readonly actor: Id<User>
      readonly recipient: Id<User>
    })
  /** Other columns than those of its archival; `mirror` for how it follows its remote. */
  | (Undated<"repository.edited"> & Changing & { readonly repository: Id<Repository>; readonly actor: Id<User> })
  | (Undated<"repository.archived" | "repository.unarchived"> & { readonly repository: Id<Repository>; readonly actor: Id<User> })
  | (Happened<"repository.madePrivate" | "repository.madePublic"> & { readonly repository: Id<Repository> })
  | (Happened<"repository.starred" | "repository.watched"> & InRepository)
  | (Undated<"repository.unstarred" | "repository.unwatched"> & { readonly repository: Id<Repository>; readonly actor: Id<User> })
  | (Undated<"deployKey.added" | "deployKey.removed"> & OfRepository & { readonly deployKey: Id<Row<"deploy_keys">> })
  | (Undated<"lfsLock.created" | "lfsLock.deleted"> & OfRepository & { readonly lfsLock: Id<Row<"lfs_locks">> })
  /** A mirror was synchronised with its remote, or that failed. */
  | (Undated<"mirror.synchronized"> & { readonly repositoryId: number })
  | (Undated<"pushMirror.added" | "pushMirror.removed"> & OfRepository & { readonly pushMirror: Id<Row<"push_mirrors">> })
  /** It was pushed to, or that failed. */
  | (Undated<"pushMirror.synchronized"> & { readonly repositoryId: number; readonly pushMirror: Id<Row<"push_mirrors">> })

type ReferenceEvent =
  /** A branch or tag was created, updated or deleted by a push; `summary` is for the feed. */
  | (Happened<"reference.created" | "reference.moved" | "reference.removed"> &
      InRepository & {
        readonly ref: RefName
        readonly oldId: ObjectId | null
        readonly newId: ObjectId | null
        readonly summary: string
      })
  | (Happened<"branch.renamed"> & InRepository & { readonly from: string; readonly to: string; readonly tip: ObjectId })
  | (Happened<"release.published"> & InRepository & { readonly release: Row<"releases"> })
  /** Also published for drafts; `release.deleted` is delivered while the release is still there. */
  | (Happened<"release.edited" | "release.deleted"> & { readonly release: Row<"releases">; readonly actor: User })
  /** Protections of branches were created, changed, ordered or deleted. */
  | (Happened<"protection.changed"> & OfRepository)
  | (Undated<"tagProtection.created" | "tagProtection.edited" | "tagProtection.deleted"> &
      OfRepository & { readonly tagProtection: Id<Row<"tag_protections">> })
  | (Happened<"commit.checked"> & {
      readonly repositoryId: number
      readonly actor: User
      readonly commit: Commit
      /** The new statuses, in their order. */
      readonly statuses: readonly Row<"commit_statuses">[]
    })

/** A page of a wiki, by its address; after a rename, by the new one. `comment` is the message of the commit, and empty for a page that was deleted. */
type WikiEvent = Happened<"wiki.created" | "wiki.edited" | "wiki.deleted"> &
  InRepository & { readonly page: string; readonly comment: string }

interface OfPackage extends OfOwner {
  readonly actor: User
  readonly package: Row<"packages">
}

type PackageEvent =
  /** A new version, with its first file; a version is gone, alone or with the whole package. */
  | (Happened<"package.published" | "package.deleted"> & OfPackage & { readonly owner: User; readonly version: Row<"package_versions"> })
  /** A further file of a version, or not its last one. */
  | (Undated<"package.fileAdded" | "package.fileDeleted"> & OfPackage & { readonly version: Row<"package_versions"> })
  | (Undated<"package.linked" | "package.unlinked"> & OfPackage)
  /** `changed`: tags, visibility or deprecations. */
  | (Undated<"package.edited"> & OfPackage & Changing)

/** A file attached to an issue, to one of its comments, or to a release. Not published where these are deleted with their files. */
type AttachmentEvent = Undated<"attachment.added" | "attachment.renamed" | "attachment.deleted"> & {
  readonly attachment: Id<Row<"attachments">>
} & ((InTimeline & { readonly commentId: number | null }) | (OfRepository & { readonly releaseId: number }))

// --- people ----------------------------------------------------------------------------------------------------------------------

/** `actor` is missing for what is done at the command line and at the start of the server. */
interface PerhapsActed {
  readonly actor?: Id<User> | undefined
}

interface OnOrganization extends PerhapsActed {
  readonly organization: User
}

interface OnTeam {
  readonly team: Row<"teams">
  readonly organization: Id<User>
  readonly actor: Id<User>
}

interface OnCollaborator {
  readonly repository: Id<Repository>
  readonly user: Id<User>
  readonly actor: Id<User>
}

/** The names of the columns that differ now. */
interface Changing {
  readonly changed: readonly string[]
}

export type PeopleEvent =
  /**
   * A mail is to be sent to a user about their own account: that it was made (`welcomeAsked`), or with a code. `to`: the address, in lower case.
   * That there is a new account is `user.created`.
   */
  | (Happened<
      | "account.welcomeAsked"
      | "account.activationNeeded"
      | "account.addressAdded"
      | "account.recoveryAsked"
      | "account.codesGuessed"
      | "account.signUpRepeated"
    > & {
      readonly user: Id<User>
      readonly to: { readonly address: string }
    })
  /** An address is to get a mail with which an account can be made; by itself where its owner asked for it. */
  | (Happened<"account.invited"> & PerhapsActed & { readonly invitation: Id<Row<"invitations">> })
  /** Members of these teams were given more rights, limited to these people or repositories where given. */
  | (Undated<"access.granted"> & {
      readonly teamIds: readonly number[]
      readonly userIds?: readonly number[]
      readonly repositoryIds?: readonly number[]
    })
  /** Access was taken away: these people, or all people if they are left out, may no longer see these repositories. */
  | (Undated<"access.lost"> & { readonly repositoryIds: readonly number[]; readonly userIds?: readonly number[] })
  | (Undated<"user.created"> & PerhapsActed & { readonly user: User })
  | (Undated<"user.renamed"> & PerhapsActed & { readonly user: User; readonly from: string })
  /** `changed` has "emails", "badges", "passkeys" and "linked_accounts" for what is in tables of its own. */
  | (Undated<"user.edited"> & PerhapsActed & Changing & { readonly user: Id<User> })
  /** `user`: a user or an organisation, whom the actor follows. */
  | (Undated<"user.followed" | "user.unfollowed"> & { readonly user: Id<User>; readonly actor: Id<User> })
  /** `by`: the user or the organisation. Blocking also ends follows, stars, watches, collaborations and offered transfers between the two. */
  | (Undated<"user.blocked"> & { readonly user: User; readonly by: User })
  | (Undated<"user.unblocked"> & { readonly user: Id<User>; readonly by: Id<User> })
  /** Of people and organisations, with all that belongs to them; delivered while the account is still there. */
  | (Undated<"account.deleted"> & { readonly user: User })
  /** `key`: the id in the table of its format. An OpenPGP key has its subkeys with it; a kept one is signed with by the service. */
  | (Undated<"key.added" | "key.verified" | "key.removed"> & {
      readonly key: { readonly id: number }
      readonly format: "ssh" | "openpgp" | "kept"
      readonly user: Id<User>
      readonly actor: Id<User>
    })
  | (Undated<"token.created" | "token.deleted"> & PerhapsActed & { readonly token: { readonly id: number }; readonly user: Id<User> })
  /** OAuth2 applications of users; what was granted to one ends with it. */
  | (Undated<"application.created" | "application.edited" | "application.deleted"> & {
      readonly application: { readonly id: number }
      readonly user: Id<User>
      readonly actor: Id<User>
    })
  /** A person has agreed that an application acts for them, newly or to more than before; or has taken it back. */
  | (Undated<"grant.given" | "grant.revoked"> & {
      readonly grant: { readonly id: number }
      readonly user: Id<User>
      readonly actor: Id<User>
    })
  /** With its owners' team, whose only member is `firstOwner`. */
  | (Undated<"organization.created"> & OnOrganization & { readonly firstOwner: Id<User> })
  | (Undated<"organization.renamed"> & OnOrganization & { readonly from: string })
  | (Undated<"organization.edited"> & OnOrganization & Changing)
  /**
   * These users left the organisation, and with it its teams. `repositoryIds`: the repositories of the organisation, of which they may still be able
   * to read some.
   */
  | (Undated<"organization.membersRemoved"> & {
      readonly organization: Id<User>
      readonly userIds: readonly number[]
      /** "removed" from the organisation, which also ends collaborations there, or from the last of their teams. */
      readonly because: "removed" | "withoutTeam"
      readonly repositoryIds: readonly number[]
    })
  /** Everybody, or only other members, sees from now on that this user is a member. */
  | (Undated<"organization.memberShown" | "organization.memberConcealed"> & {
      readonly organization: Id<User>
      readonly user: Id<User>
      readonly actor: Id<User>
    })
  /** What goes with a deleted team is not told one by one. */
  | (Undated<"team.created" | "team.deleted"> & OnTeam)
  /** `changed` has "units" where the team's rights in units of repositories were changed. */
  | (Undated<"team.edited"> & OnTeam & Changing)
  /** An address was invited, perhaps again; the invitation was accepted, declined or withdrawn. */
  | (Undated<"team.invited" | "team.uninvited"> & OnTeam & { readonly invitation: Id<Row<"team_invitations">> })
  | (Undated<"team.memberAdded" | "team.memberRemoved"> & OnTeam & { readonly user: Id<User> })
  /** Not published for repositories that a team has because it includes all. */
  | (Undated<"team.repositoryAdded" | "team.repositoryRemoved"> & OnTeam & { readonly repository: Id<Repository> })
  /** `mode`: one of `Mode` in access/modes.ts. */
  | (Undated<"collaborator.added"> & OnCollaborator & { readonly mode: number })
  | (Undated<"collaborator.changed"> & OnCollaborator & { readonly from: number; readonly to: number })
  | (Undated<"collaborator.removed"> & OnCollaborator)

// --- actions ---------------------------------------------------------------------------------------------------------------------

/** The state of a run, or of some of its jobs, has changed. */
type RunEvent = Happened<"run.changed"> & {
  readonly run: Row<"action_runs">
  readonly actor: User
  /** Whether the state of the run itself has changed. */
  readonly isRunChanged: boolean
  readonly jobs: readonly Row<"action_jobs">[]
}

type ActionEvent =
  | (Undated<"run.deleted"> & OfRepository & { readonly run: Id<Row<"action_runs">> })
  /** `stored`: new, or in the place of one with the same name. */
  | (Undated<"artifact.stored"> & { readonly repositoryId: number; readonly runId: number; readonly artifact: Id<Row<"action_artifacts">> })
  | (Undated<"artifact.deleted"> & OfRepository & { readonly runId: number; readonly artifact: Id<Row<"action_artifacts">> })
  /** Whether a workflow may start. */
  | (Undated<"workflow.enabled" | "workflow.disabled"> & OfRepository)
  /** `runner.declared`: it has started with another version, other labels or capabilities. */
  | (Undated<"runner.registered" | "runner.declared" | "runner.enabled" | "runner.disabled" | "runner.deleted"> &
      OfOwner & { readonly runner: Id<Row<"runners">> })
  | (Undated<"secret.created" | "secret.edited" | "secret.deleted"> & OfOwner & { readonly secret: Id<Row<"action_secrets">> })
  | (Undated<"variable.created" | "variable.deleted"> & OfOwner & { readonly variable: Id<Row<"action_variables">> })
  | (Undated<"variable.edited"> & OfOwner & Changing & { readonly variable: Id<Row<"action_variables">> })

/** The definition of a webhook; its deliveries are no events. */
type WebhookEvent = Undated<"webhook.created" | "webhook.edited" | "webhook.deleted"> & OfOwner & { readonly webhook: Id<Row<"webhooks">> }

export type DomainEvent =
  | IssueEvent
  | CommentEvent
  | PullEvent
  | ReviewEvent
  | LabelEvent
  | MilestoneEvent
  | ProjectEvent
  | RepositoryEvent
  | ReferenceEvent
  | AttachmentEvent
  | WikiEvent
  | PackageEvent
  | PeopleEvent
  | RunEvent
  | ActionEvent
  | WebhookEvent

export type EventKind = DomainEvent["kind"]

/** The events of these kinds. */
export type EventOf<Kind extends EventKind> = Extract<DomainEvent, { readonly kind: Kind }>
