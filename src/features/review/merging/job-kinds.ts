import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Jobs that merge, or find out that somebody has; what they do stands in jobs.ts. */

export const ScheduledMerge = Type.Object({ pullId: int64() })

/** Merges a pull request whose merge was scheduled, if nothing is against it. What was wished stands in `pull_schedules`. */
export const scheduledMerge = jobKind("pulls.scheduledMerge", ScheduledMerge)

export const DetectManualMerges = Type.Object({ repositoryId: int64(), branches: Type.Array(Type.String()), pusherId: int64() })

/** Looks which open pull requests are contained in branches that have moved. */
export const detectManualMerges = jobKind("pulls.detectManualMerges", DetectManualMerges)
