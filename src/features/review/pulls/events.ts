import type { Happened, InTimeline, OnIssue, Undated } from "../../../core/events/event.ts"
import type { ObjectId } from "../../../git/index.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "review/pulls": PullEvent
  }
}

/** What happens to pull requests. */
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
