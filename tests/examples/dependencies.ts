import { times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

/** A repository whose first issue has this many dependencies. */
async function tiedTo(world: World, size: number, relation: "dependencies" | "blocks") {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}/issues`
  await times(size + 1, () => world.must(owner, `POST ${at}`, { title: "tied" }))
  await times(size, (index) => world.must(owner, `POST ${at}/1/${relation}`, { owner: name, repo, index: index + 2 }))
  return { authorization: owner.authorization, path: { owner: name, repo, index: 1 } }
}

/** Two issues, one depending on the other or about to. The call is made on the one, and names the other. */
async function pair(world: World, tied: boolean, of: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}/issues`
  await times(2, () => world.must(owner, `POST ${at}`, { title: "tied" }))
  if (tied) await world.must(owner, `POST ${at}/1/dependencies`, { owner: name, repo, index: 2 })
  return { authorization: owner.authorization, path: { owner: name, repo, index: of }, body: { owner: name, repo, index: 3 - of } }
}

export const dependencyExamples: Examples = {
  issueListIssueDependencies: (world, size) => tiedTo(world, size, "dependencies"),
  issueListBlocks: (world, size) => tiedTo(world, size, "blocks"),
  issueCreateIssueDependencies: (world) => pair(world, false, 1),
  issueRemoveIssueDependencies: (world) => pair(world, true, 1),
  issueCreateIssueBlocking: (world) => pair(world, false, 2),
  issueRemoveIssueBlocking: (world) => pair(world, true, 2),
}
