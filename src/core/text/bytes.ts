/** The beginning of a text that takes no more than so many bytes in UTF-8, with an ellipsis where something is left out. */
export function cutToBytes(text: string, most: number): string {
  if (3 * text.length <= most || Buffer.byteLength(text) <= most) return text
  const kept = Buffer.from(text.slice(0, most)).subarray(0, Math.max(0, most - 3))
  // What is left of a character that was cut in two.
  return `${kept.toString("utf8").replace(/\uFFFD+$/, "")}…`
}

/** The most bytes of one of several texts in a list: those from before there was a bound may have many megabytes. */
const LONGEST_IN_LISTS = 256 * 1024

/** The text of an entry of a list as it is told with the others; on its own it is whole. */
export const inListOf = (list: readonly unknown[], text: string): string => (list.length > 1 ? cutToBytes(text, LONGEST_IN_LISTS) : text)
