import { isMapping, listOf, readMapping, textOf, UnreadableYamlError } from "../../../core/yaml.ts"
import type { IssueConfig, IssueConfigContactLink } from "./records.ts"

/** The settings of a repository that configures none. */
export const DEFAULT_CONFIG: IssueConfig = { blank_issues_enabled: true, contact_links: [] }

/** Reads the settings of a repository's issues. Throws `UnreadableYamlError` where they can't be used. */
export function readConfig(text: string): IssueConfig {
  // An empty file configures nothing.
  const members = text.trim() === "" ? {} : readMapping(text)
  const blank = members["blank_issues_enabled"]
  if (blank !== undefined && typeof blank !== "boolean") throw new UnreadableYamlError("'blank_issues_enabled' should be true or false")
  return {
    blank_issues_enabled: blank ?? DEFAULT_CONFIG.blank_issues_enabled,
    contact_links: listOf(members, "contact_links").map(readLink),
  }
}

function readLink(value: unknown, index: number): IssueConfigContactLink {
  const at = `contact_link at position ${index + 1}`
  if (!isMapping(value)) throw new UnreadableYamlError(`${at} should be a mapping`)
  const link = { name: textOf(value, "name"), url: textOf(value, "url"), about: textOf(value, "about") }
  for (const [name, text] of Object.entries(link)) if (text === "") throw new UnreadableYamlError(`${at} is missing ${name} key`)
  if (!/^(https?|mailto):/i.test(link.url) || !URL.canParse(link.url))
    throw new UnreadableYamlError(`${link.url.slice(0, 200)} is not a valid URL`)
  return link
}
