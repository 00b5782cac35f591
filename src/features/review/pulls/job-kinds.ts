import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Jobs that look again at pull requests; what they do stands in jobs.ts. */

export const AlignPull = Type.Object({ pullId: int64() })

/** Makes a pull request's row, references and mergeability agree with what its branches are by then. */
export const alignPull = jobKind("pulls.align", AlignPull)

export const RemovePullRefs = Type.Object({ repositoryId: int64(), number: int64() })

/** Removes the references of a pull request that was deleted. */
export const removePullRefs = jobKind("pulls.removeRefs", RemovePullRefs)

export const RequestOwners = Type.Object({ pullId: int64(), actorId: int64() })

/** Asks those who own the changed files to review a pull request that is no draft any more. */
export const requestOwners = jobKind("pulls.requestOwners", RequestOwners)

export const RecheckBase = Type.Object({ repositoryId: int64(), branch: Type.String() })

/** Looks again at all open pull requests into a branch that has moved. */
export const recheckBase = jobKind("pulls.recheckBase", RecheckBase)
