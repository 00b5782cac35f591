import { times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

/** A repository with so many branches, called upon by its owner; each of the first is named a0, a1, … beside the default branch. */
async function branched(world: World, size = 1) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner, { auto_init: true })
  await times(size, (index) => world.must(owner, `POST /repos/${name}/${repo}/branches`, { new_branch_name: `a${index}` }))
  return { authorization: owner.authorization, path: { owner: name, repo, branch: "a0", ref: "heads" }, owner }
}

const call = async (world: World, size?: number) => {
  const { authorization, path } = await branched(world, size)
  return { authorization, path }
}

/** The same with so many rules for branches, each with lists of its own, the first of them for a0. */
async function ruled(world: World, size = 1) {
  const { owner, ...rest } = await branched(world)
  const { owner: name, repo } = rest.path
  const [friend] = await world.crowd(1)
  await world.must(owner, `PUT /repos/${name}/${repo}/collaborators/${friend?.name}`, { permission: "write" })
  const rules = await times(size, (index) =>
    world.must<{ rule_name: string }>(owner, `POST /repos/${name}/${repo}/branch_protections`, {
      rule_name: `a${index}`,
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: [name, friend?.name],
    }),
  )
  return { ...rest, path: { ...rest.path, name: rules[0]?.rule_name ?? "" } }
}

/** The same with so many rules for tags. */
async function tagged(world: World, size = 1) {
  const { owner, ...rest } = await branched(world)
  const { owner: name, repo } = rest.path
  const rules = await times(size, (index) =>
    world.must<{ id: number }>(owner, `POST /repos/${name}/${repo}/tag_protections`, {
      name_pattern: `v${index}`,
      whitelist_usernames: [name],
    }),
  )
  return { ...rest, path: { ...rest.path, id: rules[0]?.id ?? 0 } }
}

export const branchExamples: Examples = {
  repoListBranches: call,
  repoGetBranch: (world) => call(world),
  repoCreateBranch: async (world) => ({ ...(await call(world)), body: { new_branch_name: "b/c", old_ref_name: "a0" } }),
  repoUpdateBranch: async (world) => {
    const { owner, ...rest } = await branched(world)
    const { owner: name, repo } = rest.path
    const { commit } = await world.must<{ commit: { sha: string } }>(owner, `POST /repos/${name}/${repo}/contents/new.txt`, {
      content: "bmV3Cg==",
    })
    return { ...rest, body: { new_commit_id: commit.sha } }
  },
  repoRenameBranch: async (world) => ({ ...(await ruled(world)), body: { name: "renamed" } }),
  repoDeleteBranch: (world) => call(world),
  repoListAllGitRefs: call,
  repoListGitRefs: call,
  repoListBranchProtection: ruled,
  repoCreateBranchProtection: async (world) => ({
    ...(await call(world)),
    body: { rule_name: "release/*", enable_push: true, required_approvals: 1, status_check_contexts: ["ci/*"] },
  }),
  repoUpdateBranchProtectionPriories: async (world) => {
    const example = await ruled(world, 2)
    const rules = await world.hearth.services.database.read
      .selectFrom("branch_protections")
      .select("id")
      .orderBy("id", "desc")
      .limit(2)
      .execute()
    return { ...example, body: { ids: rules.map(({ id }) => id) } }
  },
  repoGetBranchProtection: (world) => ruled(world),
  repoEditBranchProtection: async (world) => ({ ...(await ruled(world)), body: { required_approvals: 2, push_whitelist_usernames: [] } }),
  repoDeleteBranchProtection: (world) => ruled(world),
  repoListTagProtection: tagged,
  repoCreateTagProtection: async (world) => {
    const example = await call(world)
    return { ...example, body: { name_pattern: "v*", whitelist_usernames: [example.path.owner] } }
  },
  repoGetTagProtection: (world) => tagged(world),
  repoEditTagProtection: async (world) => ({ ...(await tagged(world)), body: { name_pattern: "/^v\\d+$/" } }),
  repoDeleteTagProtection: (world) => tagged(world),
}
