import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Puts the changes that stood on a merged one onto its base branch. */
export const followMerge = defineJob({
  kind: "stacks.follow",
  payload: Type.Object({ pullId: int64() }),
  timeoutSeconds: 300,
  run: async ({ pullId }, { context }) => (await import("./first-use.ts")).follow(context, pullId),
})
