import type { World } from "../support/world.ts"
import type { Examples } from "./example.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** A repository whose wiki has so many pages, and the first one's address. */
async function written(world: World, size = 1) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  for (let index = 0; index < size; index++)
    await world.must(owner, `POST /repos/${name}/${repo}/wiki/new`, { title: `Page${index}`, content_base64: base64(`${index}\n`) })
  return { authorization: owner.authorization, path: { owner: name, repo, pageName: "Page0" } }
}

export const wikiExamples: Examples = {
  repoCreateWikiPage: async (world) => ({ ...(await written(world)), body: { title: "New", content_base64: base64("new\n") } }),
  repoGetWikiPage: (world) => written(world),
  repoEditWikiPage: async (world) => ({ ...(await written(world)), body: { title: "Renamed", content_base64: base64("more\n") } }),
  repoDeleteWikiPage: (world) => written(world),
  repoGetWikiPages: (world, size) => written(world, size),
  repoGetWikiPageRevisions: (world) => written(world),
}
