// Tells by mail what happened in a week: node digest.ts OWNER/REPOSITORY team@example.com | sendmail -t
// The token needs read:repository and read:issue. Without `sendmail` it is a file to be read: > digest.eml
import { each, type Issue, issueListIssues, repoListReleases } from "hearth/client"
import { type Place, placeOfProcess } from "./settings.ts"

const WEEK = 7 * 86_400_000

export interface Digest {
  readonly subject: string
  readonly text: string
}

/** What happened in the seven days before `now`, which is in milliseconds. */
export async function digest({ client, owner, repo }: Place, now = Date.now()): Promise<Digest> {
  const from = now - WEEK
  const since = new Date(from).toISOString()
  const isNew = (moment: string | null | undefined): boolean => typeof moment === "string" && Date.parse(moment) >= from
  const touched: Issue[] = []
  for await (const issue of each(issueListIssues, client, { owner, repo, state: "all", since })) touched.push(issue)
  const releases: string[] = []
  for await (const { name, tag_name, published_at, html_url } of each(repoListReleases, client, { owner, repo, draft: false }))
    if (isNew(published_at)) releases.push(`${name || tag_name}\n    ${html_url}`)
  const line = ({ title, number, user, html_url }: Issue): string => `#${number} ${title} (${user.login})\n    ${html_url}`
  const issues = touched.filter(({ pull_request }) => !pull_request)
  const pulls = touched.filter(({ pull_request }) => pull_request)
  const sections = [
    section("Released", releases),
    section("Merged", pulls.filter(({ pull_request }) => isNew(pull_request?.merged_at)).map(line)),
    section("New pull requests", pulls.filter(({ created_at, state }) => isNew(created_at) && state === "open").map(line)),
    section("New issues", issues.filter(({ created_at }) => isNew(created_at)).map(line)),
    section("Closed issues", issues.filter(({ closed_at }) => isNew(closed_at)).map(line)),
  ]
  const text = sections.filter((words) => words !== "").join("\n\n")
  return { subject: `${owner}/${repo}: the week until ${new Date(now).toISOString().slice(0, 10)}`, text: text || "Nothing happened." }
}

const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${heading} (${lines.length})\n${lines.map((line) => `  ${line}`).join("\n")}`

/** The digest as a mail. Titles can't add headers: no line of them begins anew. */
export function mailOf({ subject, text }: Digest, to: string): string {
  const clean = (words: string) => words.replace(/[\r\n]+/g, " ")
  const headers = [`To: ${clean(to)}`, `Subject: ${clean(subject)}`, "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8"]
  return `${headers.join("\r\n")}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text.replaceAll("\n", "\r\n")}\r\n`
}

if (import.meta.main) process.stdout.write(mailOf(await digest(placeOfProcess()), process.argv[3] ?? ""))
