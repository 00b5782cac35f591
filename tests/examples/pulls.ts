import { type Person, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

export interface MadePull {
  readonly number: number
  readonly id: number
  readonly head: { readonly sha: string }
}

/** A repository whose branches differ from its default branch by a commit each. */
export interface Branching {
  readonly owner: Person
  /** `/repos/owner/name` */
  readonly at: string
  readonly authorization: string
  readonly path: { readonly owner: string; readonly repo: string }
  /** Each adds the file of its name. */
  readonly branches: readonly string[]
}

/** Makes a repository of a person of its own, with so many branches beside main. */
export async function withBranches(world: World, count: number): Promise<Branching> {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}`
  await world.must(owner, `POST ${at}/contents/kiln.txt`, { content: base64("one\ntwo\nthree\n") })
  const branches = await times(count, async (index) => {
    const branch = `glaze-${index + 1}`
    await world.must(owner, `POST ${at}/contents/${branch}.txt`, { content: base64(`${branch}\n`), branch: "main", new_branch: branch })
    return branch
  })
  return { owner, at, authorization: owner.authorization, path: { owner: name, repo }, branches }
}

/** So many open pull requests into main, each from its own branch and with all members set. */
export async function withPulls(world: World, count = 1): Promise<Branching & { readonly pulls: readonly MadePull[] }> {
  const made = await withBranches(world, count)
  const { owner, at, path } = made
  const [reviewer] = await world.crowd(1)
  const label = await world.must<{ readonly id: number }>(owner, `POST ${at}/labels`, { name: "clay", color: "#a0522d" })
  const milestone = await world.must<{ readonly id: number }>(owner, `POST ${at}/milestones`, { title: "first firing" })
  const pulls: MadePull[] = []
  for (const head of made.branches)
    pulls.push(
      await world.must<MadePull>(owner, `POST ${at}/pulls`, {
        title: `Add ${head}`,
        head,
        base: "main",
        labels: [label.id],
        milestone: milestone.id,
        assignees: [path.owner],
        reviewers: reviewer ? [reviewer.name] : [],
      }),
    )
  return { ...made, pulls }
}

const onFirst: MakeExample = async (world, size) => {
  const { authorization, path, pulls } = await withPulls(world, size)
  return { authorization, path: { ...path, index: pulls[0]?.number ?? 0 } }
}

const one: MakeExample = (world) => onFirst(world, 1)

export const pullExamples: Examples = {
  repoListPullRequests: onFirst,
  repoCreatePullRequest: async (world) => {
    const { authorization, path, branches } = await withBranches(world, 1)
    return { authorization, path, body: { title: "Glaze", body: "closes #7", head: branches[0], base: "main", assignees: [path.owner] } }
  },
  repoListPinnedPullRequests: async (world) => {
    const { owner, at, authorization, path, pulls } = await withPulls(world, 2)
    for (const { number } of pulls) await world.must(owner, `POST ${at}/issues/${number}/pin`)
    return { authorization, path }
  },
  repoGetPullRequestByBaseHead: async (world) => {
    const { authorization, path, branches } = await withPulls(world)
    return { authorization, path: { ...path, base: "main", head: branches[0] ?? "" } }
  },
  repoGetPullRequest: one,
  repoEditPullRequest: async (world) => ({
    ...(await one(world, 1)),
    body: { title: "Matte glaze", body: "Less shine.", state: "closed", labels: [] },
  }),
  repoPullRequestIsMerged: async (world) => ({ ...(await one(world, 1)), status: 404 }),
  repoGetPullRequestFiles: async (world, size) => {
    const { owner, at, authorization, path, branches } = await withBranches(world, 1)
    const [head = ""] = branches
    const files = Array.from({ length: size }, (_, index) => ({
      operation: "create",
      path: `pots/${index}.txt`,
      content: base64(`${index}\n`),
    }))
    await world.must(owner, `POST ${at}/contents`, { files, branch: head })
    const { number } = await world.must<MadePull>(owner, `POST ${at}/pulls`, { title: "Pots", head, base: "main" })
    return { authorization, path: { ...path, index: number } }
  },
  repoGetPullRequestCommits: async (world, size) => {
    const { owner, at, authorization, path, branches } = await withBranches(world, 1)
    const [head = ""] = branches
    await times(size, (index) => world.must(owner, `POST ${at}/contents/pot-${index}.txt`, { content: base64(`${index}\n`), branch: head }))
    const { number } = await world.must<MadePull>(owner, `POST ${at}/pulls`, { title: "Pots", head, base: "main" })
    return { authorization, path: { ...path, index: number } }
  },
  repoDownloadPullDiffOrPatch: async (world) => {
    const { authorization, path } = await one(world, 1)
    return { ...(authorization !== undefined && { authorization }), path: { ...path, diffType: "diff" } }
  },
}
