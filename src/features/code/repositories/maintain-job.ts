import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Repacks a repository, or its wiki, if it still needs it when the job runs; defined in lifecycle/maintenance.ts. */
export const maintainKind = jobKind({
  kind: "repository.maintain",
  payload: Type.Object({ repositoryId: int64(), part: Type.Optional(oneOf(["wiki"])) }),
})

/** Another push often follows at once, and one repack then covers both. */
export const AFTER_PUSH_SECONDS = 30
