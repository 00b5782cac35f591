import { unixLines } from "../../../core/text/lines.ts"
import { readPointer } from "../lfs/pointers.ts"

/** A file's text as a textarea takes it, and how its lines end. */
export interface EditableText {
  readonly text: string
  readonly ends: "lf" | "crlf"
  /** Lines end in both ways. */
  readonly isMixed: boolean
}

/** Bytes as a text for a textarea; a reason where they can't be edited on a page. */
export function editableText(content: Buffer): EditableText | string {
  if (readPointer(content)) return "The file is stored with Git LFS."
  const text = textIn(content)
  // A textarea would make newlines of returns that stand alone.
  if (text === undefined || /\r(?!\n)|\0/.test(text)) return "The file is no text in UTF-8."
  const [all, returns] = [text.split("\n").length - 1, text.split("\r\n").length - 1]
  return { text: unixLines(text), ends: 2 * returns > all ? "crlf" : "lf", isMixed: returns > 0 && returns < all }
}

function textIn(content: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}
