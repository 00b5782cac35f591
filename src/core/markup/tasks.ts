import { hash, randomBytes } from "node:crypto"
import type { Token } from "markdown-it"

/**
 * The boxes of task lists: where each stands in the text, as the parser says, and which one is meant when the text may have changed since it was
 * shown. A box is named by its line, with digests of its item and of the whole text, both without the states of the boxes.
 */

const MARK = /^\[([ xX])\](?=\s)/

/** The mark that a paragraph of a list begins with, where it is a box. Of a link such as `[x](…)`, and of what is escaped, the parser has made something else. */
export function markOf({ children }: Token): { readonly mark: string; readonly isDone: boolean } | undefined {
  const [first] = children ?? []
  const [mark, state] = (first?.type === "text" && MARK.exec(first.content)) || []
  return mark === undefined ? undefined : { mark, isDone: state !== " " }
}

interface Box {
  /** The paragraph that it begins. */
  readonly token: Token
  /** From 0. */
  readonly line: number
  /** Where its state stands in the text. */
  readonly at: number
  /** What is to be done: the rest of its line. */
  readonly item: string
}

/** The boxes of a text as they stand in it; tokens are those that the parser made of it. One whose place is not clear is left out. */
function boxesOf(tokens: readonly Token[], text: string): readonly Box[] {
  const starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map(({ 0: end, index }) => index + end.length)]
  return tokens.flatMap((token, at): Box | readonly Box[] => {
    const paragraph = tokens[at + 2]
    if (token.type !== "list_item_open" || tokens[at + 1]?.type !== "paragraph_open" || !paragraph?.map || !markOf(paragraph)) return []
    const [line] = paragraph.map
    const start = starts[line]
    const [written = ""] = text.slice(start, starts[line + 1]).split(/[\r\n]/, 1)
    // The content of a paragraph begins with the end of its first line.
    const [content = ""] = paragraph.content.split("\n", 1)
    const before = written.trimEnd().length - content.trimEnd().length
    if (start === undefined || before < 0 || !MARK.test(written.slice(before))) return []
    return { token: paragraph, line, at: start + before + 1, item: content.slice(3).trim() }
  })
}

const digest = (text: string): string => hash("sha256", text, "base64url").slice(0, 8)

/** The text with all boxes open. */
function withoutStates(text: string, boxes: readonly Box[]): string {
  let from = 0
  const parts = boxes.map(({ at }) => {
    const part = text.slice(from, at)
    from = at + 1
    return part
  })
  return [...parts, text.slice(from)].join(" ")
}

/** What a box of a page is called, and what it says. */
export interface BoxName {
  readonly name: string
  readonly label: string
}

const LONGEST_LABEL = 100

/** The names of the boxes of a text, by the paragraphs that they begin. */
export function namesOf(tokens: readonly Token[], text: string): ReadonlyMap<Token, BoxName> {
  const boxes = boxesOf(tokens, text)
  if (boxes.length === 0) return new Map()
  const whole = digest(withoutStates(text, boxes))
  return new Map(
    boxes.map(({ token, line, item }) => [
      token,
      { name: `${line + 1}.${digest(item)}.${whole}`, label: item.slice(0, LONGEST_LABEL).toWellFormed() },
    ]),
  )
}

const NAME = /^(\d{1,7})(?:\.([\w-]{8})\.([\w-]{8}))?$/

/**
 * The text with the box of this name, or on the line of this number from 1, in this state; tokens are those that the parser made of it. Undefined where
 * it has none there, or where it has changed so that it isn't clear which box was meant: only the states of boxes may differ, or no other box may have
 * an item of the same words.
 */
export function ticked(tokens: readonly Token[], text: string, name: string, isDone: boolean): string | undefined {
  const [known, number, item, whole] = NAME.exec(name) ?? []
  if (known === undefined) return undefined
  const boxes = boxesOf(tokens, text)
  const isAsShown = whole === undefined || digest(withoutStates(text, boxes)) === whole
  const meant = boxes.filter((box) => (isAsShown ? box.line + 1 === Number(number) : digest(box.item) === item))
  const [box, another] = meant
  if (!box || another) return undefined
  const isAlready = (text[box.at] !== " ") === isDone
  return isAlready ? text : `${text.slice(0, box.at)}${isDone ? "x" : " "}${text.slice(box.at + 1)}`
}

/** What the attribute of a box made by us begins with on its way through the sanitiser: no text can know it. */
const OURS = randomBytes(12).toString("base64url")

/** The attribute that carries the name of a box. */
export const attributeOf = (name: string): string => OURS + name
export const nameIn = (value: string | undefined): string | undefined => (value?.startsWith(OURS) ? value.slice(OURS.length) : undefined)
