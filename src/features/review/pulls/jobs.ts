import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { defineJob, type JobDefinition } from "../../../core/jobs/jobs.ts"
import { objectId } from "../../../git/index.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { lockForIssues } from "../../planning/issues/lock.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { readCodeOwners } from "../reviews/owners.ts"
import { requestCodeOwners } from "../reviews/requests.ts"
import { align } from "./align.ts"
import { ensureMergeability } from "./mergeability.ts"
import { recheckBase } from "./on-push.ts"
import { requestOwners } from "./ready.ts"
import { alignPull, removePullRefs } from "./refs.ts"
import { findOpenInto, findPull } from "./store.ts"

const alignJob = defineJob({
  ...alignPull,
  run: async ({ pullId }, { context }) => {
    await align(context, pullId)
  },
})

/** The most recently updated pull requests come first. */
const recheckJob = defineJob({
  ...recheckBase,
  timeoutSeconds: 3600,
  run: async ({ repositoryId, branch }, { context, signal }) => {
    for (const pull of await findOpenInto(context.database.read, { repositoryId, branches: [branch] })) {
      if (signal.aborted) throw new Error("interrupted; the rest is looked at later")
      await ensureMergeability(context, pull)
    }
  },
})

const requestOwnersJob = defineJob({
  ...requestOwners,
  run: async ({ pullId, actorId }, { context }) => {
    const { database, now } = context
    const pull = await findPull.first(database.read, { id: pullId })
    const row = pull && (await findRepositoryById.first(database.read, { id: pull.repository_id }))
    if (!pull || !row) return
    const range = { mergeBase: pull.merge_base === "" ? undefined : objectId(pull.merge_base), headId: objectId(pull.head_id) }
    const owners = await readCodeOwners(context, row, range)
    await database.write(async (tx) => {
      const issue = await findIssueById.first(tx, { id: pull.issue_id })
      const [owner, actor] = [await findUserById.first(tx, { id: row.owner_id }), await findUserById.first(tx, { id: actorId })]
      if (!issue || !owner || !actor || issue.is_closed === 1 || isUnfinished(issue.title)) return
      const repository = await lockForIssues(tx, row.id)
      await requestCodeOwners(tx, { issue, repository, owner, actor, owners, now: now() })
    })
  },
})

/** Jobs of pull requests. */
export const pullJobs: readonly JobDefinition[] = [alignJob, recheckJob, removePullRefs, requestOwnersJob]
