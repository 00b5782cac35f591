import type { User } from "../../../core/actor.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { AboutIssue, AtColumn, Happened, Id, InTimeline, Mentioning, OnIssue, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "planning/issues": IssueEvent
  }
}

type Issue = Row<"issues">

/** The previous values of what has changed; empty if a file was attached. */
interface TextChanges {
  readonly title?: { readonly from: string; readonly to: string }
  readonly body?: { readonly from: string }
  /** The branch that a pull request is to be merged into. */
  readonly base?: { readonly from: string; readonly to: string }
}

/** What the log keeps of an issue that is not there any more. */
interface Remembered {
  readonly number: number
  readonly isPull: boolean
}

/** What happens to issues and pull requests. */
type IssueEvent =
  | (Happened<"issue.opened"> & OnIssue & Mentioning)
  | (Happened<"issue.edited"> & AboutIssue & { readonly changes: TextChanges })
  /** `commitId`: the commit whose message closed or reopened it. */
  | (Happened<"issue.closed" | "issue.reopened"> & OnIssue & { readonly commitId?: string | undefined })
  /** Delivered while the issue is still there. */
  | (Happened<"issue.deleted"> & AboutIssue & Remembered & { readonly issue: Issue })
  /** It is about to be transferred to another repository: what its former one is told. Delivered while the issue is still there. */
  | (Happened<"issue.leaving"> & AboutIssue & Remembered & { readonly issue: Issue })
  /** It is in another repository, with a new number. `from` and `number` are where it was. */
  | (Happened<"issue.transferred"> & OnIssue & { readonly from: Row<"repositories">; readonly number: number })
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
        readonly action: Row<"comments">["ref_action"]
      })
  /** A pushed commit refers to the issue. */
  | (Happened<"issue.referencedByCommit"> & InTimeline & { readonly commitId: string; readonly html: string })
  | (Happened<"issue.dependencyAdded" | "issue.dependencyRemoved"> & InTimeline & { readonly other: Id<Issue> })
  | (Happened<"issue.projectAdded" | "issue.projectColumnChanged"> & InTimeline & AtColumn)
  | (Happened<"issue.projectRemoved"> & InTimeline & { readonly projectId: number })
