import type { Services } from "../../../core/services.ts"
import { unixLines } from "../../../core/text/lines.ts"
import type { Merging } from "./checks.ts"
import type { MergeStyle } from "./records.ts"
import { headName, type MessageParts, reference, template } from "./template.ts"

/** Messages of merge commits. */

/** A message in git's normal form: no trailing blanks, no more than one empty line in a row, none at either end, and a newline at the end. */
export function cleanMessage(text: string): string {
  const lines = unixLines(text).split("\n")
  const kept = lines.map((line) => line.trimEnd()).filter((line, at, all) => line !== "" || (all[at - 1] ?? "") !== "")
  return `${kept.join("\n").replace(/^\n+|\n+$/g, "")}\n`
}

/** Title and body, with an empty line between them. */
export const joinMessage = ({ title, body }: MessageParts): string => cleanMessage(body.trim() === "" ? title : `${title}\n\n${body}`)

const TRAILER = /^[A-Za-z0-9-]+: \S/

/** The message with one more trailer. */
export function withTrailer(message: string, name: string, value: string): string {
  const paragraphs = message.trimEnd().split("\n\n")
  const last = paragraphs.at(-1)?.split("\n") ?? []
  const begun = paragraphs.length > 1 && last.every((line) => TRAILER.test(line))
  return `${message.trimEnd()}${begun ? "\n" : "\n\n"}${name}: ${value}\n`
}

/**
 * The message as requested: the given title, or that of the repository's template, or the default one, with the given body below it. A template's
 * body is for web forms; the API takes only its title, as existing clients know it.
 */
export async function messageFor(services: Services, found: Merging, style: MergeStyle, given: MessageParts): Promise<string> {
  const title = given.title.trim() || (await template(services, found, style, {}))?.title || (await usualTitle(services, found, style))
  return joinMessage({ title, body: given.body.trim() })
}

/** What a form proposes as the message: the whole of the repository's template, or the default title. */
export async function proposedMessage(services: Services, found: Merging, style: MergeStyle): Promise<MessageParts> {
  const made = await template(services, found, style, {})
  return { title: made?.title || (await usualTitle(services, found, style)), body: made?.body ?? "" }
}

/** The message of the last rebased commit, where the repository has a template for it; undefined keeps the original message. */
export async function rebasedMessage(services: Services, found: Merging, message: string): Promise<string | undefined> {
  const [title = "", ...rest] = message.split("\n")
  const words = await template(services, found, "rebase", { CommitTitle: title.trim(), CommitBody: rest.join("\n").trim() })
  return words && joinMessage(words)
}

async function usualTitle({ database }: Services, found: Merging, style: MergeStyle): Promise<string> {
  const { issue, pull } = found
  if (style === "squash") return `${issue.title} (${reference(found, issue)})`
  const head = await headName(database.read, found)
  const from = head.isOwn ? pull.head_branch : `${head.owner === "" ? "<deleted>" : `${head.owner}/${head.name}`}:${pull.head_branch}`
  return `Merge pull request '${issue.title}' (${reference(found, issue)}) from ${from} into ${pull.base_branch}`
}
