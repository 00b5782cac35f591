// Gives new issues labels by the words in them, and goes on until it is stopped: node labeller.ts OWNER/REPOSITORY
// The token needs read:repository and write:issue.
import { each, events, issueAddLabel, issueCreateLabel, issueGetIssue, issueListIssues, issueListLabels } from "hearth/client"
import { type Place, placeOfProcess } from "./settings.ts"

/** Words by the label that an issue gets which has one of them. */
export type Rules = Readonly<Record<string, readonly string[]>>

const RULES: Rules = {
  bug: ["crash", "error", "broken", "fails"],
  documentation: ["docs", "documentation", "typo"],
  question: ["how do i", "how can i", "?"],
}

/** Follows a repository; `signal` stops it. */
export async function follow(place: Place, rules: Rules = RULES, signal?: AbortSignal): Promise<void> {
  const { client, owner, repo } = place
  await makeLabels(place, Object.keys(rules))
  const opened = events(client, { repository: `${owner}/${repo}`, kind: "issue.opened" }, { signal })
  // Listening begins while the list is read, so that nothing is missed between them. What is in both is labelled once.
  const [first] = await Promise.all([opened.next(), labelOld(place, rules)])
  for (let next = first; !next.done; next = await opened.next())
    if (next.value.subject.number !== undefined) await label(place, next.value.subject.number, rules)
}

async function labelOld(place: Place, rules: Rules): Promise<void> {
  const { client, owner, repo } = place
  for await (const { number, labels } of each(issueListIssues, client, { owner, repo, state: "open", type: "issues" }))
    if (labels.length === 0) await label(place, number, rules)
}

/** Labels one issue, and gives the labels that it got. */
export async function label({ client, owner, repo }: Place, index: number, rules: Rules): Promise<readonly string[]> {
  const { title, body, labels } = await issueGetIssue(client, { owner, repo, index })
  const text = `${title}\n${body}`.toLowerCase()
  const has = new Set(labels.map(({ name }) => name))
  const fitting = Object.entries(rules).filter(([name, words]) => !has.has(name) && words.some((word) => text.includes(word)))
  const names = fitting.map(([name]) => name)
  if (names.length > 0) await issueAddLabel(client, { owner, repo, index, body: { labels: names } })
  return names
}

async function makeLabels({ client, owner, repo }: Place, names: readonly string[]): Promise<void> {
  const there = new Set<string>()
  for await (const { name } of each(issueListLabels, client, { owner, repo })) there.add(name)
  for (const name of names) if (!there.has(name)) await issueCreateLabel(client, { owner, repo, body: { name, color: "#1d76db" } })
}

if (import.meta.main) {
  const stop = new AbortController()
  process.once("SIGINT", () => stop.abort())
  await follow(placeOfProcess(), RULES, stop.signal)
}
