import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Brings an import on, from where it is. */
export const importJob = jobKind({ kind: "mirrors.import", payload: Type.Object({ importId: int64() }) })

/** Makes who has claimed a person the author of what is waiting for them. */
export const takeOverKind = jobKind({ kind: "imports.takeOver", payload: Type.Object({ personId: int64() }) })
