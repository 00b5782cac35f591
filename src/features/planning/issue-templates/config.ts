import type { IssueConfig, IssueConfigContactLink } from "./records.ts"
import { isMapping, listOf, readMapping, textOf, Unfit } from "./yaml.ts"

/** What counts where a repository says nothing. */
export const USUAL: IssueConfig = { blank_issues_enabled: true, contact_links: [] }

/** Reads the settings of a repository's issues. Throws `Unfit` for what can't be used. */
export function readConfig(text: string): IssueConfig {
  // A file without anything in it says nothing.
  const members = text.trim() === "" ? {} : readMapping(text)
  const blank = members["blank_issues_enabled"]
  if (blank !== undefined && typeof blank !== "boolean") throw new Unfit("'blank_issues_enabled' should be true or false")
  return { blank_issues_enabled: blank ?? USUAL.blank_issues_enabled, contact_links: listOf(members, "contact_links").map(readLink) }
}

function readLink(value: unknown, index: number): IssueConfigContactLink {
  const at = `contact_link at position ${index + 1}`
  if (!isMapping(value)) throw new Unfit(`${at} should be a mapping`)
  const link = { name: textOf(value, "name"), url: textOf(value, "url"), about: textOf(value, "about") }
  for (const [name, text] of Object.entries(link)) if (text === "") throw new Unfit(`${at} is missing ${name} key`)
  if (!/^(https?|mailto):/i.test(link.url) || !URL.canParse(link.url)) throw new Unfit(`${link.url.slice(0, 200)} is not a valid URL`)
  return link
}
