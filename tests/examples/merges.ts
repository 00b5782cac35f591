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

export const mergeExamples: Examples = {
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
