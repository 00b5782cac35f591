import { type Html, trusted } from "../html.ts"
import { escapeHtml } from "../text/html.ts"
import { INVISIBLE_CLASS } from "./tokens.ts"

/*
 * Characters that can't be seen change what a reader believes to read: those that turn the direction of writing let a comment look like code, those
 * without a width make two names look like one. In code they are shown as their numbers. The two that emoji are made of count only elsewhere.
 */

const ALWAYS = [
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f", // controls; tabs are none here
  "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069", // direction
  "\\u00ad\\u034f\\u180b-\\u180f\\u200b\\u200c\\u2060-\\u2065\\u206a-\\u206f\\ufeff", // without a width
  "\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0", // blank letters
  "\\u2028\\u2029\\ufe00-\\ufe0e\\ufff0-\\ufffb",
  "\\ud800-\\udfff", // halves of pairs: whole ones are single characters here
  "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
].join("")

const OF_EMOJI = "\\u200d\\ufe0f"
const EMOJI = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]"

const INVISIBLE = new RegExp(
  [
    `[${ALWAYS}]`,
    `(?<!${EMOJI})(?<![#*0-9](?=\\ufe0f\\u20e3))\\ufe0f`,
    `(?<!${EMOJI}\\ufe0f?)\\u200d`,
    "\\u200d(?!\\p{Extended_Pictographic})",
  ].join("|"),
  "gu",
)
/** Most texts have none of them, and this is quick to say so. */
const SUSPECT = new RegExp(`[${ALWAYS}${OF_EMOJI}]`, "u")

/** Whether code has characters that can't be seen. Those that end lines are none. */
export const hasInvisible = (text: string): boolean => SUSPECT.test(text) && text.replace(/\r?\n|\r$/g, "").search(INVISIBLE) >= 0

/** A line of code without colours, for pages: as `codeToHtml`. */
export const plainCode = (line: string): Html => trusted(codeToHtml(line))

/** How many of them a piece of a line shows as numbers; a number takes fifteen times as much as the character. */
const MOST_NUMBERS = 5
const UNKNOWN = "\ufffd"

/** Code as safe HTML, with characters that can't be seen shown as their numbers, and beyond five as question marks. */
export function codeToHtml(text: string): string {
  if (!SUSPECT.test(text)) return escapeHtml(text)
  let html = ""
  let from = 0
  let numbers = 0
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (++numbers > MOST_NUMBERS)
      return html + escapeHtml(text.slice(from).replace(INVISIBLE, ({ length }: string) => UNKNOWN.repeat(length)))
    const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
    html += `${escapeHtml(text.slice(from, index))}<span class="${INVISIBLE_CLASS}" title="${number}">${number}</span>`
    from = index + character.length
  }
  return html + escapeHtml(text.slice(from))
}
