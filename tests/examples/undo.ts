import { type Person, times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

const as = (person: Person) => ({ authorization: person.authorization })

interface Listed {
  readonly id: number
}

/** A repository in which so many issues were deleted. */
async function inRepository(world: World, size: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}`
  await times(size, async () => {
    const { number } = await world.must<{ readonly number: number }>(owner, `POST ${at}/issues`, { title: "gone" })
    await world.must(owner, `DELETE ${at}/issues/${number}`)
  })
  const [last] = await world.must<readonly Listed[]>(owner, `GET ${at}/deleted`)
  return { ...as(owner), path: { owner: name, repo, id: last?.id ?? 0 } }
}

/** A person whose repositories were deleted. */
async function mine(world: World, size: number) {
  const owner = await world.person()
  await times(size, async () => {
    const { owner: name, repo } = await world.repository(owner)
    await world.must(owner, `DELETE /repos/${name}/${repo}`)
  })
  const [last] = await world.must<readonly Listed[]>(owner, "GET /user/deleted")
  return { ...as(owner), path: { id: last?.id ?? 0 } }
}

/** An organisation whose labels were deleted. */
async function ofOrganization(world: World, size: number) {
  const { name, owner } = await world.organization(await world.person())
  await times(size, async () => {
    const label = { name: world.unique("label"), color: "#00aabb" }
    const { id } = await world.must<Listed>(owner, `POST /orgs/${name}/labels`, label)
    await world.must(owner, `DELETE /orgs/${name}/labels/${id}`)
  })
  const [last] = await world.must<readonly Listed[]>(owner, `GET /orgs/${name}/deleted`)
  return { ...as(owner), path: { org: name, id: last?.id ?? 0 } }
}

/** An organisation in which so much happened. */
async function audited(world: World, size: number) {
  const organization = await world.organization(await world.person())
  await times(size, () => world.team(organization))
  return { ...as(organization.owner), path: { org: organization.name } }
}

/** What was deleted, and what happened in organisations. */
export const undoExamples: Examples = {
  repoListDeleted: inRepository,
  repoRestoreDeleted: (world) => inRepository(world, 1),
  repoPurgeDeleted: (world) => inRepository(world, 1),
  userListDeleted: mine,
  userRestoreDeleted: async (world) => ({ ...(await mine(world, 1)), body: {} }),
  userPurgeDeleted: (world) => mine(world, 1),
  orgListDeleted: ofOrganization,
  orgRestoreDeleted: async (world) => ({ ...(await ofOrganization(world, 1)), body: {} }),
  orgPurgeDeleted: (world) => ofOrganization(world, 1),
  adminListDeleted: async (world, size) => {
    await inRepository(world, size)
    return {}
  },
  adminPurgeDeleted: async (world) => ({ path: { id: (await inRepository(world, 1)).path.id } }),
  orgListAudit: audited,
  orgExportAudit: (world) => audited(world, 1),
}
