import { type Load, load, loadPost } from "./load.ts"
import { ADMIN, type Server } from "./server.ts"

export interface Spread {
  readonly median: number
  readonly p99: number
}

export interface IssueFigures {
  readonly created: Load
  readonly list: Load
  readonly comments: Load
  readonly feed: Load
  /** A list right after a write, when no answer is cached: milliseconds. */
  readonly afterWrite: Spread
}

export const spread = (times: readonly number[]): Spread => {
  const sorted = [...times].sort((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** Issues, comments and feeds of one repository. */
export async function issueFigures(server: Server, headers: Readonly<Record<string, string>>): Promise<IssueFigures> {
  await server.api("POST", "/user/repos", { name: "planned" })
  const repository = `/repos/${ADMIN.name}/planned`
  const api = `${server.url}/api/v1`
  const created = await loadPost(`${api}${repository}/issues`, headers, { title: "A plan", body: "What is to be done, and why." })
  for (let index = 0; index < 40; index++) await server.api("POST", `${repository}/issues/1/comments`, { body: `Thought number ${index}` })
  const list = await load(`${api}${repository}/issues?limit=30`, headers)
  const comments = await load(`${api}${repository}/issues/comments?limit=30`, headers)
  const feed = await load(`${api}${repository}/activities/feeds?limit=30`, headers)
  const times: number[] = []
  for (let round = 0; round < 300; round++) {
    await server.api("PATCH", `${repository}/issues/1`, { title: `Plan at ${round}` })
    const at = performance.now()
    await (await server.api("GET", "/orgs/bench/repos?limit=30")).arrayBuffer()
    times.push(performance.now() - at)
  }
  return { created, list, comments, feed, afterWrite: spread(times) }
}
