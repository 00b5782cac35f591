import { enqueueOnce } from "../../../core/jobs/once.ts"
import { branchOf } from "../../../git/index.ts"
import type { PushStep } from "../pushes/step.ts"
import { indexKind } from "../repositories/index-job.ts"

/** Has the default branch indexed when a push moves it. */
export const indexAfterPush: PushStep =
  async ({ services: { jobs }, changes }) =>
  async (tx, { repository: { id, default_branch } }) => {
    if (changes.some(({ ref }) => branchOf(ref) === default_branch)) await enqueueOnce(tx, jobs, indexKind, { repositoryId: id })
  }
