import type { Person, World } from "../support/world.ts"
import type { Examples } from "./example.ts"

async function upload(world: World, owner: Person, path: string): Promise<void> {
  const answer = await fetch(`${world.hearth.url}/api/packages/${owner.name}/generic/${path}`, {
    method: "PUT",
    headers: { authorization: owner.authorization },
    body: path,
  })
  if (answer.status !== 201) throw new Error(`an upload was answered with ${answer.status} ${await answer.text()}`)
}

/** A package with so many versions, the first of them with two files, and a repository of the same owner. */
async function published(world: World, size = 1) {
  const owner = await world.person()
  const { repo } = await world.repository(owner)
  await upload(world, owner, "tool/1.0.0/notes.txt")
  for (let index = 0; index < size; index++) await upload(world, owner, `tool/1.0.${index}/tool.bin`)
  const path = { owner: owner.name, type: "generic", name: "tool", version: "1.0.0", repo_name: repo }
  return { owner, authorization: owner.authorization, path }
}

async function linked(world: World) {
  const { owner, ...call } = await published(world)
  await world.must(owner, `POST /packages/${owner.name}/generic/tool/-/link/${call.path.repo_name}`)
  return call
}

export const packageExamples: Examples = {
  listPackages: (world, size) => published(world, size),
  listPackageVersions: (world, size) => published(world, size),
  deletePackage: (world) => published(world),
  getLatestPackageVersion: (world) => published(world),
  linkPackage: (world) => published(world),
  unlinkPackage: (world) => linked(world),
  setPackageAccess: async (world) => ({ ...(await published(world)), body: { access: "restricted" } }),
  getPackage: (world) => published(world),
  deletePackageVersion: (world) => published(world),
  listPackageFiles: (world) => published(world),
}
