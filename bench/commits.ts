import { type Load, load } from "./load.ts"
import { ADMIN, type Server } from "./server.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const FILES = 300

export interface CommitFigures {
  /** Files created through the API, one after another. */
  readonly created: number
  /** The same, eight at a time on branches of their own. */
  readonly createdBeside: number
  readonly list: Load
  readonly compare: Load
}

/** Files created through the API, and reads of their commits. */
export async function commitFigures(server: Server, headers: Readonly<Record<string, string>>): Promise<CommitFigures> {
  await server.api("POST", "/user/repos", { name: "bricks", auto_init: true })
  const at = `/repos/${ADMIN.name}/bricks`
  const create = async (name: string, more: object = {}): Promise<void> => {
    const made = await server.api("POST", `${at}/contents/${name}`, { content: base64(`${name}\n`), ...more })
    if (!made.ok) throw new Error(`${name} was not created: ${made.status}`)
    await made.arrayBuffer()
  }
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now()
    await work()
    return FILES / ((performance.now() - begun) / 1000)
  }
  const created = await timed(async () => {
    for (let index = 0; index < FILES; index++) await create(`brick-${index}.txt`)
  })
  const wall = async (branch: string): Promise<void> => {
    await create(`${branch}/first.txt`, { new_branch: branch })
    for (let index = 1; index < FILES / 8; index++) await create(`${branch}/brick-${index}.txt`, { branch })
  }
  const createdBeside = await timed(() => Promise.all(Array.from({ length: 8 }, (_, index) => wall(`wall-${index}`))))
  const api = `${server.url}/api/v1${at}`
  return {
    created,
    createdBeside,
    list: await load(`${api}/commits?limit=30`, headers),
    compare: await load(`${api}/compare/main...wall-3`, headers),
  }
}
