// Drafts a release with what was merged since the last tag: node release-notes.ts OWNER/REPOSITORY v1.3.0
// The token needs write:repository. Somebody reads the draft and publishes it.
import { each, isRefusal, type PullRequest, type Release, repoCreateRelease, repoListPullRequests, repoListTags } from "hearth/client"
import { type Place, placeOfProcess } from "./settings.ts"

/** Headings by the label whose pull requests stand below them; all others come last. */
const HEADINGS: Readonly<Record<string, string>> = { security: "Security", feature: "New", bug: "Mended" }
const OTHER = "Other changes"

/** The notes in Markdown, and since which tag; undefined where nothing was merged. */
export async function notes({ client, owner, repo }: Place): Promise<{ readonly text: string; readonly since: string } | undefined> {
  const [last] = await repoListTags(client, { owner, repo, limit: 1 })
  const since = Date.parse(last?.commit.created ?? "1970-01-01T00:00:00Z")
  const merged: PullRequest[] = []
  for await (const pull of each(repoListPullRequests, client, { owner, repo, state: "closed", sort: "recentupdate" })) {
    // Those behind it were updated earlier, and so merged earlier.
    if (Date.parse(pull.updated_at) <= since) break
    if (pull.merged_at && Date.parse(pull.merged_at) > since) merged.push(pull)
  }
  if (merged.length === 0) return undefined
  const sections = [...Object.entries(HEADINGS), [undefined, OTHER] as const].flatMap(([name, heading]) => {
    const below = merged.filter((pull) => headed(pull) === name)
    return below.length === 0 ? [] : [`## ${heading}\n\n${below.map(line).join("\n")}`]
  })
  return { text: sections.join("\n\n"), since: last?.name ?? "" }
}

/** The first of the labels that has a heading. */
const headed = ({ labels }: PullRequest): string | undefined => labels.find(({ name }) => name in HEADINGS)?.name

const line = ({ title, number, user }: PullRequest): string => `- ${title} (#${number}) by @${user.login}`

/** Drafts the release; undefined where there is nothing to tell, or the tag has a release already. */
export async function draft(place: Place, tag: string): Promise<Release | undefined> {
  const { client, owner, repo } = place
  const told = await notes(place)
  if (told === undefined) return undefined
  const body = { tag_name: tag, name: tag, body: told.text, draft: true }
  try {
    return await repoCreateRelease(client, { owner, repo, body })
  } catch (error) {
    if (isRefusal(error, 409)) return undefined
    throw error
  }
}

if (import.meta.main) {
  const [, , , tag = ""] = process.argv
  const release = await draft(placeOfProcess(), tag)
  console.log(release ? `drafted ${release.html_url}` : "there is nothing to tell, or the release is there")
}
