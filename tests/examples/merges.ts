import type { World } from "../support/world.ts"
import type { Examples } from "./example.ts"
import { type MadePull, withBranches } from "./pulls.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** A pull request of one commit. */
async function withPull(world: World) {
  const { owner, at, path, authorization, branches } = await withBranches(world, 1)
  const [head = ""] = branches
  const { number } = await world.must<MadePull>(owner, `POST ${at}/pulls`, { title: "Glaze", head, base: "main" })
  return { owner, at, number, call: { authorization, path: { ...path, index: number } } }
}

/** A pull request into a branch with a merge queue, whose check never comes. */
async function withQueue(world: World) {
  const made = await withPull(world)
  const rule = { rule_name: "main", enable_merge_queue: true, enable_status_check: true, status_check_contexts: ["ci"] }
  await world.must(made.owner, `POST ${made.at}/branch_protections`, rule)
  return made
}

/** The same, lined up. */
async function withQueued(world: World) {
  const made = await withQueue(world)
  await world.must(made.owner, `POST ${made.at}/pulls/${made.number}/queue`, {})
  return made
}

/** The queue of a branch, with so many that have lined up. */
async function ofBranch(world: World, many = 1) {
  const { owner, at, authorization, path, branches } = await withBranches(world, many)
  const rule = { rule_name: "main", enable_merge_queue: true, enable_status_check: true, status_check_contexts: ["ci"] }
  await world.must(owner, `POST ${at}/branch_protections`, rule)
  for (const head of branches) {
    const { number } = await world.must<MadePull>(owner, `POST ${at}/pulls`, { title: `Glaze ${head}`, head, base: "main" })
    await world.must(owner, `POST ${at}/pulls/${number}/queue`, {})
  }
  return { authorization, path: { ...path, branch: "main" } }
}

export const mergeExamples: Examples = {
  repoGetMergeQueue: ofBranch,
  repoEditMergeQueue: async (world) => ({ ...(await ofBranch(world)), body: { frozen: true, frozen_reason: "The oven is hot" } }),
  repoQueuePullRequest: async (world) => ({ ...(await withQueue(world)).call, body: {} }),
  repoGetQueuedPullRequest: async (world) => (await withQueued(world)).call,
  repoEditQueuedPullRequest: async (world) => ({ ...(await withQueued(world)).call, body: { priority: 10 } }),
  repoUnqueuePullRequest: async (world) => (await withQueued(world)).call,
  repoMergePullRequest: async (world) => ({ ...(await withPull(world)).call, body: { do: "merge", merge_title_field: "Glaze it" } }),
  repoCancelScheduledAutoMerge: async (world) => {
    const { owner, at, call, number } = await withPull(world)
    await world.must(owner, `POST ${at}/branch_protections`, { rule_name: "main", enable_status_check: true })
    await world.must(owner, `POST ${at}/pulls/${number}/merge`, { do: "squash", merge_when_checks_succeed: true })
    return call
  },
  repoUpdatePullRequest: async (world) => {
    const { owner, at, call } = await withPull(world)
    await world.must(owner, `POST ${at}/contents/late.txt`, { content: base64("late\n") })
    return { ...call, query: { style: "rebase" } }
  },
  repoMergeUpstream: async (world) => {
    const { owner, at } = await withBranches(world, 0)
    const forker = await world.person()
    const { name } = await world.must<{ readonly name: string }>(forker, `POST ${at}/forks`, {})
    await world.must(owner, `POST ${at}/contents/late.txt`, { content: base64("late\n") })
    return { authorization: forker.authorization, path: { owner: forker.name, repo: name }, body: { branch: "main" } }
  },
}
