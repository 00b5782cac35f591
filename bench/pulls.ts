import { type Load, load } from "./load.ts"
import { ADMIN, type Server } from "./server.ts"

export interface PullFigures {
  readonly pulls: Load
  readonly branches: Load
  readonly file: Load
  readonly directory: Load
}

const COUNT = 30
const content = (text: string): string => Buffer.from(text).toString("base64")

/** Lists of thirty pull requests and of thirty branches, and the files of the repository that they are in. */
export async function pullFigures(server: Server, headers: Readonly<Record<string, string>>): Promise<PullFigures> {
  await server.api("POST", "/user/repos", { name: "proposed", auto_init: true })
  const repository = `/repos/${ADMIN.name}/proposed`
  for (let index = 0; index < COUNT; index++) {
    await server.api("POST", `${repository}/contents/src/file-${index}.ts`, { content: content(`export const number = ${index}\n`) })
    const branch = `change-${index}`
    await server.api("POST", `${repository}/contents/proposal-${index}.md`, { content: content(`Proposal ${index}\n`), new_branch: branch })
    await server.api("POST", `${repository}/pulls`, { title: `Proposal ${index}`, head: branch, base: "main" })
  }
  const api = `${server.url}/api/v1${repository}`
  return {
    pulls: await load(`${api}/pulls?state=open&limit=${COUNT}`, headers),
    branches: await load(`${api}/branches?limit=${COUNT}`, headers),
    file: await load(`${api}/contents/src/file-7.ts`, headers),
    directory: await load(`${api}/contents/src`, headers),
  }
}
