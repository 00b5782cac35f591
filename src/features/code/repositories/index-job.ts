import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Makes what code search knows of a repository agree with its default branch; defined in search/index-repository.ts. */
export const indexKind = jobKind({ kind: "repository.index", payload: Type.Object({ repositoryId: int64() }) })
