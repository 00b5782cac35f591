// Marks issues that nobody has touched for a long time, and closes those that stay so. Once a day: node stale.ts OWNER/REPOSITORY
// The token needs read:repository and write:issue.
import {
  each,
  type Issue,
  issueAddLabel,
  issueCreateComment,
  issueCreateLabel,
  issueEditIssue,
  issueListIssues,
  issueListLabels,
} from "hearth/client"
import { type Place, placeOfProcess } from "./settings.ts"

export interface Patience {
  /** Days without a change after which an issue is marked, and further days after which it is closed. */
  readonly markAfter: number
  readonly closeAfter: number
  /** An issue with one of these labels is never marked. */
  readonly spared: readonly string[]
}

const PATIENCE: Patience = { markAfter: 60, closeAfter: 14, spared: ["pinned", "security"] }
const STALE = "stale"
const DAY = 86_400_000

export interface Done {
  readonly marked: readonly number[]
  readonly closed: readonly number[]
}

/** One round; `now` in milliseconds. */
export async function tidy(place: Place, patience: Patience = PATIENCE, now = Date.now()): Promise<Done> {
  const { client, owner, repo } = place
  const before = (days: number) => new Date(now - days * DAY).toISOString()
  const untouched = async (days: number, labels?: string): Promise<readonly Issue[]> => {
    // All of them, before any is changed: what is changed leaves the list.
    const found: Issue[] = []
    for await (const issue of each(issueListIssues, client, { owner, repo, state: "open", type: "issues", before: before(days), labels }))
      found.push(issue)
    return found
  }
  const closed = await untouched(patience.closeAfter, STALE)
  for (const { number: index } of closed) await issueEditIssue(client, { owner, repo, index, body: { state: "closed" } })
  const spared = new Set([...patience.spared, STALE])
  const marked = (await untouched(patience.markAfter)).filter(({ labels }) => !labels.some(({ name }) => spared.has(name)))
  if (marked.length > 0) await makeLabel(place)
  for (const { number: index } of marked) {
    const body = `Nobody has touched this for ${patience.markAfter} days. It is closed in ${patience.closeAfter} days unless somebody says that it still matters.`
    // The key of an issue and a day: a round that is repeated after a crash comments once.
    const idempotencyKey = `stale-${owner}/${repo}#${index}-${new Date(now).toISOString().slice(0, 10)}`
    await issueCreateComment(client, { owner, repo, index, body: { body } }, { idempotencyKey })
    await issueAddLabel(client, { owner, repo, index, body: { labels: [STALE] } })
  }
  return { marked: marked.map(({ number }) => number), closed: closed.map(({ number }) => number) }
}

async function makeLabel({ client, owner, repo }: Place): Promise<void> {
  for await (const { name } of each(issueListLabels, client, { owner, repo })) if (name === STALE) return
  await issueCreateLabel(client, { owner, repo, body: { name: STALE, color: "#cccccc" } })
}

if (import.meta.main) {
  const { marked, closed } = await tidy(placeOfProcess())
  console.log(`marked ${marked.length}, closed ${closed.length}`)
}
