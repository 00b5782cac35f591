import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** The jobs of mirrors by themselves, for those who only store them. */

export const syncPayload = Type.Object({ repositoryId: int64() })
export const syncKind = jobKind("mirrors.sync", syncPayload)

export const pushPayload = Type.Object({ pushMirrorId: int64() })
export const pushKind = jobKind("mirrors.push", pushPayload)

export const importPayload = Type.Object({ importId: int64() })
export const importKind = jobKind("mirrors.import", importPayload)
