import { send } from "../../../src/features/packages/testing.ts"
import type { Call, Case, Scene } from "./case.ts"

/** A new package of alice's with one file, and a call by her on it. */
const onPackage =
  (route: string, isLinked = false) =>
  async ({ world, repo, must, unique }: Scene): Promise<Call> => {
    const name = unique("tool")
    const { status } = await send(world.hearth, { authorization: world.alice ?? "" }, `PUT alice/generic/${name}/1/a`, { body: name })
    if (status !== 201) throw new Error(`the upload was answered with ${status}`)
    const at = (given: string) => given.replace(" ", ` /packages/alice/generic/${name}`).replace("REPO", repo.name)
    if (isLinked) await must(world.alice, at("POST /-/link/REPO"))
    return { by: world.alice, route: at(route) }
  }

export const packageCases: readonly Case[] = [
  { name: "a package is linked", prepare: onPackage("POST /-/link/REPO"), first: 201, others: 400, leaves: {} },
  { name: "a package is unlinked", prepare: onPackage("POST /-/unlink", true), first: 204, others: 400, leaves: {} },
  {
    name: "a package of a repository is deleted",
    prepare: onPackage("DELETE ", true),
    first: 204,
    others: 404,
    leaves: { packages: -1, package_versions: -1, package_files: -1, webhook_deliveries: 1 },
  },
  {
    name: "a version of a package is deleted",
    prepare: onPackage("DELETE /1"),
    first: 204,
    others: 404,
    leaves: { package_versions: -1, package_files: -1 },
  },
]
