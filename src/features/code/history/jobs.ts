import { defineJob } from "../../../core/jobs/jobs.ts"
import { enqueueOnce, GATHERING } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { branchOf } from "../../../git/index.ts"
import { contributionsJob } from "../activity/contributions.ts"
import { resolveRevision } from "../commits/revision.ts"
import type { PushStep } from "../pushes/step.ts"
import { forgetOtherBases, storeComparisons } from "./comparisons.ts"
import { findPlace, findStoredTrees, findTips } from "./store.ts"
import { storeTreeHistories } from "./tree-history.ts"

/** The most directories that are brought up to date after a push, and the most branches that are compared. */
const MOST_DIRECTORIES = 50
const MOST_BRANCHES = 200

/** Stores the last commits of what is in the root of the default branch, and in the directories that were looked at. */
export const treeHistoriesJob = defineJob({
  kind: "repository.treeHistories",
  payload: Type.Object({ repositoryId: int64() }),
  attempts: 3,
  run: async ({ repositoryId }, { context: services, signal }) => {
    const { database, git } = services
    const place = await findPlace.first(database.read, { id: repositoryId })
    const commit = place && (await resolveRevision(git, place, undefined))?.commit
    if (!place || !commit) return
    const stored = await findStoredTrees(database.read, { repositoryId })
    const paths = [...new Set(["", ...stored.map(({ path }) => path)])].slice(0, MOST_DIRECTORIES)
    const directories = paths.map((path) => path.split("/").filter((part) => part !== ""))
    const known = await storeTreeHistories(services, place, commit, directories, signal)
    const isComplete = [...known.values()].every(({ waiting }) => waiting.size === 0)
    // What takes longer than one search goes on with the next job, from where this one has come to.
    if (!isComplete) await database.write((tx) => enqueueOnce(tx, services.jobs, treeHistoriesJob, { repositoryId }))
  },
})

/** Compares branches with the default branch. */
export const compareBranchesJob = defineJob({
  kind: "repository.compareBranches",
  payload: Type.Object({ repositoryId: int64() }),
  attempts: 3,
  run: async ({ repositoryId }, { context: services }) => {
    const { database, git } = services
    const place = await findPlace.first(database.read, { id: repositoryId })
    const base = place && (await resolveRevision(git, place, undefined))?.commit.id
    if (!place || base === undefined) return
    const tips = await findTips(database.read, { repositoryId, limit: MOST_BRANCHES })
    const heads = tips.flatMap(({ commit_id }) => (commit_id === base ? [] : [commit_id]))
    await database.write(async (tx) => void (await forgetOtherBases(tx, { repositoryId, baseId: base })))
    await storeComparisons(services, place, base, heads)
  },
})

/** What starts git is done for pushes in quick succession together. Seconds. */
const PAUSE = 30

/** Has jobs bring up to date what pages show of the history of branches that were pushed. */
export const describeHistory: PushStep =
  async ({ services: { jobs }, row, changes }) =>
  async (tx, { repository, now }) => {
    const branches = changes.flatMap(({ ref, newId }) => (newId === null ? [] : (branchOf(ref) ?? [])))
    if (branches.length === 0) return
    const payload = { repositoryId: row.id }
    const later = { runAt: now + PAUSE }
    const isDefault = branches.includes(repository.default_branch)
    await Promise.all([
      enqueueOnce(tx, jobs, compareBranchesJob, payload, later),
      isDefault && enqueueOnce(tx, jobs, treeHistoriesJob, payload, { runAt: now + GATHERING }),
      isDefault && enqueueOnce(tx, jobs, contributionsJob, payload, later),
    ])
  }
