import { times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

/** So much of one person may wait. */
const MOST_OF_ONE = 10

/** A repository that holds what newcomers open, with so much of it that waits. */
async function withHeld(world: World, size: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}`
  await world.must(owner, `PATCH ${at}/newcomers`, { mode: "held", per_day: 0 })
  const newcomer = await world.person()
  let author = newcomer
  const held = await times(size, async (index) => {
    if (index > 0 && index % MOST_OF_ONE === 0) author = await world.person()
    return world.must<{ readonly id: number }>(author, `POST ${at}/issues`, { title: "It flickers", body: "Every evening." })
  })
  return { owner, newcomer, path: { owner: name, repo, id: held[0]?.id ?? 0 } }
}

/** What owners of a repository do with it. */
const asOwner = async (world: World, size = 1) => {
  const { owner, path } = await withHeld(world, size)
  return { authorization: owner.authorization, path }
}
const asNewcomer = async (world: World, size = 1) => {
  const { newcomer, path } = await withHeld(world, size)
  return { authorization: newcomer.authorization, path }
}

const asOrganization = async (world: World) => {
  const owner = await world.person()
  return { authorization: owner.authorization, path: { org: (await world.organization(owner)).name } }
}

/** Requests of newcomers, and what is asked of them. */
export const newcomerExamples: Examples = {
  repoListHeldRequests: asOwner,
  repoApproveHeldRequest: (world) => asOwner(world),
  repoRejectHeldRequest: async (world) => ({ ...(await asOwner(world)), body: {} }),
  userListHeldRequests: asNewcomer,
  userWithdrawHeldRequest: (world) => asNewcomer(world),
  repoGetNewcomerRules: (world) => asOwner(world, 0),
  repoEditNewcomerRules: async (world) => ({ ...(await asOwner(world, 0)), body: { mode: "limited", days: 14, per_day: 2 } }),
  orgGetNewcomerRules: (world) => asOrganization(world),
  orgEditNewcomerRules: async (world) => ({ ...(await asOrganization(world)), body: { mode: "held" } }),
}
