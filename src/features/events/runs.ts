import type { EventOf } from "../../core/events/event.ts"
import type { Run } from "../actions/runs/store.ts"

/** Whose failed runs are told of, by mail and by a notification: those of people, to the one who asked for the attempt. */

export const hasFailed = ({ run, isRunChanged, actor }: EventOf<"run.changed">): boolean =>
  isRunChanged && run.state === "failure" && actor.id > 0

/** A failed run in a few words. */
export const failureOf = ({ workflow_name, workflow }: Pick<Run, "workflow_name" | "workflow">): string =>
  `${workflow_name || workflow} has failed`
