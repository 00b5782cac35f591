import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Brings an import on, from where it is. */
export const importJob = jobKind({ kind: "mirrors.import", payload: Type.Object({ importId: int64() }) })

/** Brings what an archive has that somebody has sent. */
export const archiveKind = jobKind({ kind: "imports.archive", payload: Type.Object({ importId: int64(), file: Type.String() }) })

/** Makes who has claimed a person the author of what is waiting for them. */
export const takeOverKind = jobKind({ kind: "imports.takeOver", payload: Type.Object({ personId: int64() }) })
