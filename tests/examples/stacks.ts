import type { World } from "../support/world.ts"
import type { Examples } from "./example.ts"
import { type MadePull, withBranches } from "./pulls.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** A pull request into the branch of another, pushed to so often. */
async function withStack(world: World, pushes = 1) {
  const { owner, at, authorization, path, branches } = await withBranches(world, 1)
  const [low = ""] = branches
  await world.must(owner, `POST ${at}/contents/top.txt`, { content: base64("top\n"), branch: low, new_branch: "top" })
  await world.must<MadePull>(owner, `POST ${at}/pulls`, { title: "Glaze", head: low, base: "main" })
  const { number } = await world.must<MadePull>(owner, `POST ${at}/pulls`, { title: "Fire", head: "top", base: low })
  for (let push = 1; push < pushes; push++)
    await world.must(owner, `POST ${at}/contents/more-${push}.txt`, { content: base64("more\n"), branch: "top" })
  return { authorization, path: { ...path, index: number } }
}

export const stackExamples: Examples = {
  repoGetPullRequestStack: (world) => withStack(world),
  repoMergePullRequestStack: async (world) => ({ ...(await withStack(world)), body: { do: "merge" } }),
  repoListPullRequestVersions: (world, size) => withStack(world, size),
  repoComparePullRequestVersions: async (world) => ({ ...(await withStack(world, 2)), query: { from: "1", to: "2" } }),
}
