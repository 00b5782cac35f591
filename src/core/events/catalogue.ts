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

interface Happened<Kind extends string> {
  readonly kind: Kind
  readonly at: Seconds
}

/** Events published without a time; the log adds it. */
interface Undated<Kind extends string> {
  readonly kind: Kind
  readonly at?: Seconds
}

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
  /** `cleared`: all labels were removed together. */
  | (Happened<"issue.labelled"> &
      AboutIssue & { readonly added: readonly Row<"labels">[]; readonly removed: readonly Row<"labels">[]; readonly cleared: boolean })
  | (Happened<"issue.milestoned"> & AboutIssue & { readonly from: number | null; readonly to: number | null })
  | (Happened<"issue.assigned"> & OnIssue & { readonly added: readonly Id<User>[]; readonly removed: readonly Id<User>[] })
  | (Happened<"issue.dueDateChanged"> & InTimeline & { readonly from: Seconds; readonly to: Seconds })
  | (Happened<"issue.branchChanged"> & InTimeline & { readonly from: string; readonly to: string })
  | (Happened<"issue.locked"> & InTimeline & { readonly reason: string })
  | (Happened<"issue.unlocked" | "issue.pinned" | "issue.unpinned"> & InTimeline)
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
  | (Happened<"issue.projectAdded" | "issue.projectRemoved" | "issue.projectColumnChanged"> & InTimeline & { readonly projectId: number })
  | (Happened<"time.started" | "time.cancelled"> & InTimeline)
  | (Happened<"time.stopped" | "time.added"> & InTimeline & { readonly time: Pick<Row<"tracked_times">, "id" | "seconds"> })
  | (Happened<"time.deleted"> & InTimeline & { readonly seconds: number })

type CommentEvent =
  | (Happened<"comment.created"> & OnIssue & Mentioning & { readonly comment: Comment })
  | (Happened<"comment.edited"> & AboutIssue & { readonly comment: Spoken; readonly from: string })
  /** Delivered while the comment is still there. */
  | (Happened<"comment.deleted"> & AboutIssue & { readonly comment: Spoken })

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

// --- code ------------------------------------------------------------------------------------------------------------------------

type RepositoryEvent =
  /** `isImported`: its content is imported, so that the feed shows it later or not at all. */
  | (Happened<"repository.created"> &
      InRepository & {
        readonly isImported: boolean
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
  /** `changed`: the names of the columns. */
  | (Happened<"repository.edited"> & { readonly repository: Id<Repository>; readonly actor: Id<User>; readonly changed: readonly string[] })
  | (Happened<"repository.madePrivate" | "repository.madePublic"> & { readonly repository: Id<Repository> })
  | (Happened<"repository.starred" | "repository.watched"> & InRepository)

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
  /** Protections of branches or tags were created, changed or deleted. */
  | (Happened<"protection.changed"> & { readonly repositoryId: number })
  | (Happened<"commit.checked"> & {
      readonly repositoryId: number
      readonly actor: User
      readonly commit: Commit
      /** The new statuses, in their order. */
      readonly statuses: readonly Row<"commit_statuses">[]
    })

// --- people ----------------------------------------------------------------------------------------------------------------------

type PeopleEvent =
  /** A mail is to be sent to a user about their own account. `to`: the address, in lower case. */
  | (Happened<"account.created" | "account.activationNeeded" | "account.addressAdded" | "account.recoveryAsked"> & {
      readonly user: Id<User>
      readonly to: { readonly address: string }
    })
  /** Members of these teams were given more rights, limited to these people or repositories where given. */
  | (Undated<"access.granted"> & {
      readonly teamIds: readonly number[]
      readonly userIds?: readonly number[]
      readonly repositoryIds?: readonly number[]
    })
  /** Access was taken away: these people, or all people if they are left out, may no longer see these repositories. */
  | (Undated<"access.lost"> & { readonly repositoryIds: readonly number[]; readonly userIds?: readonly number[] })
  | (Undated<"user.blocked"> & { readonly user: User; readonly by: User })
  /** Of people and organisations; delivered while the account is still there. */
  | (Undated<"account.deleted"> & { readonly user: User })
  | (Undated<"organization.membersRemoved"> & { readonly organization: Id<User>; readonly userIds: readonly number[] })

// --- actions ---------------------------------------------------------------------------------------------------------------------

/** The state of a run, or of some of its jobs, has changed. */
type RunEvent = Happened<"run.changed"> & {
  readonly run: Row<"action_runs">
  readonly actor: User
  /** Whether the state of the run itself has changed. */
  readonly isRunChanged: boolean
  readonly jobs: readonly Row<"action_jobs">[]
}

export type DomainEvent = IssueEvent | CommentEvent | PullEvent | ReviewEvent | RepositoryEvent | ReferenceEvent | PeopleEvent | RunEvent

export type EventKind = DomainEvent["kind"]

/** The events of these kinds. */
export type EventOf<Kind extends EventKind> = Extract<DomainEvent, { readonly kind: Kind }>
