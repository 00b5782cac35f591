import { type Spread, spread } from "./issues.ts"
import { ADMIN, type Server } from "./server.ts"

export interface MergeFigures {
  /** One merge after another into the same branch, in milliseconds. */
  readonly merge: Spread
  readonly squash: Spread
  /** A rebase of one commit. */
  readonly rebase: Spread
  /** Merges a second, eight at a time, each in a repository of its own. */
  readonly perSecond: number
}

/** How much a run does; less is enough to see that it works. */
export interface MergeRounds {
  readonly each: number
  readonly perWorker: number
}

const WORKERS = 8
const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** Merging through the API. The branches are created before the measurement. */
export async function mergeFigures(server: Server, { each, perWorker }: MergeRounds = { each: 60, perWorker: 25 }): Promise<MergeFigures> {
  const send = async (method: string, path: string, body: object): Promise<unknown> => {
    const text = await (await server.api(method, path, body)).text()
    return text === "" ? undefined : JSON.parse(text)
  }
  const repository = async (name: string): Promise<string> => {
    const at = `/repos/${ADMIN.name}/${name}`
    await send("POST", "/user/repos", { name, auto_init: true, default_branch: "main" })
    return at
  }
  let count = 0
  const pull = async (at: string): Promise<string> => {
    const name = `change-${++count}`
    const file = { content: base64(`${name}\n`), branch: "main", new_branch: name }
    await send("POST", `${at}/contents/folder-${count % 20}/${name}.txt`, file)
    const made = await send("POST", `${at}/pulls`, { head: name, base: "main", title: `Bring ${name}` })
    const number = typeof made === "object" && made !== null && "number" in made ? Number(made.number) : 0
    return `${at}/pulls/${number}/merge`
  }
  const one = await repository("merged")
  const inARow = async (style: string): Promise<Spread> => {
    const times: number[] = []
    for (let round = 0; round < each; round++) {
      const merge = await pull(one)
      // Branched off before the base got new commits.
      await send("POST", `${one}/contents/overtaking-${count}.txt`, { content: base64("x\n") })
      const begun = performance.now()
      await send("POST", merge, { do: style })
      times.push(performance.now() - begun)
    }
    return spread(times)
  }
  const [merge, squash, rebase] = [await inARow("merge"), await inARow("squash"), await inARow("rebase")]

  const queues: string[][] = []
  for (let worker = 0; worker < WORKERS; worker++) {
    const merges: string[] = []
    for (let index = 0; index < perWorker; index++) merges.push(await pull(await repository(`merged-${worker}-${index}`)))
    queues.push(merges)
  }
  const begun = performance.now()
  await Promise.all(
    queues.map(async (merges) => {
      for (const path of merges) await send("POST", path, { do: "merge" })
    }),
  )
  const perSecond = (WORKERS * perWorker) / ((performance.now() - begun) / 1000)
  return { merge, squash, rebase, perSecond }
}
