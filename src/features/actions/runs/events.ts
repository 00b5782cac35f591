import type { User } from "../../../core/actor.ts"
import type { Happened, Id, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "actions/runs": RunEvent
  }
}

/** What happens to runs. */
type RunEvent =
  /** The state of a run, or of some of its jobs, has changed. */
  | (Happened<"run.changed"> & {
      readonly run: Row<"action_runs">
      readonly actor: User
      /** Whether the state of the run itself has changed. */
      readonly isRunChanged: boolean
      readonly jobs: readonly Row<"action_jobs">[]
    })
  | (Undated<"run.deleted"> & OfRepository & { readonly run: Id<Row<"action_runs">> })
  /** `stored`: new, or in the place of one with the same name. */
  | (Undated<"artifact.stored"> & { readonly repositoryId: number; readonly runId: number; readonly artifact: Id<Row<"action_artifacts">> })
  | (Undated<"artifact.deleted"> & OfRepository & { readonly runId: number; readonly artifact: Id<Row<"action_artifacts">> })
  /** Whether a workflow may start. */
  | (Undated<"workflow.enabled" | "workflow.disabled"> & OfRepository)
