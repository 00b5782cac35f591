import { escapeHtml } from "../text/html.ts"
import { literal } from "./literal.ts"

/**
 * The sentences in templates of HTML, as messages: html`<p>${person} opened ${time}</p>` has the message "{0} opened {1}". Holes are numbered as they
 * come, and elements within a sentence are its tags. A translation is another arrangement of the same holes and elements, so it can't bring HTML of
 * its own.
 */

/** What a template is made of: texts, and between two of them the hole with the number of its value. */
export interface Arrangement {
  readonly texts: readonly string[]
  /** The values of the holes, by their place in the template. */
  readonly order: readonly number[]
}

/** A part of a translation: words, a hole, or an element around parts. */
export type Part = string | { readonly hole: number } | { readonly tag: string; readonly parts: readonly Part[] }

interface Range {
  readonly from: number
  readonly to: number
}

export interface TemplateMessage extends Range {
  readonly message: string
  readonly tags: ReadonlyMap<string, { readonly open: Range; readonly close: Range }>
  /** What the holes of the template are, by the number in the message. */
  readonly values: readonly number[]
}

/** Stands for a hole in what is parsed. */
const HOLE = "\uFFFC"

const INLINE = new Set("a abbr b bdi bdo cite code data del em i ins kbd mark q s samp small span strong sub sup time u var".split(" "))
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "))
/** What is in these by itself is nothing that is said. */
const UNSAID = new Set(["script", "style", "code", "kbd", "samp", "pre"])
const SAID_ATTRIBUTES = /\s(?:title|aria-label|aria-description|aria-roledescription|placeholder|alt|label|data-say-[\w-]+)="([^"]*)"/g

interface Node extends Range {
  readonly kind: "text" | "hole" | "element" | "edge"
  readonly name: string
  readonly open: Range
  readonly close: Range
  readonly nodes: readonly Node[]
}

/** A template that is parsed once: its messages, and how to arrange it with other words. */
export class MessageTemplate {
  readonly messages: readonly TemplateMessage[]
  readonly #whole: string

  constructor(texts: readonly string[]) {
    this.#whole = texts.join(HOLE)
    this.messages = messagesIn(this.#whole)
  }

  /** The template with the translations of its messages; those without one stay. */
  arranged(translate: (message: string) => readonly Part[] | undefined): Arrangement {
    const texts: string[] = [""]
    const order: number[] = []
    const add = (text: string): void => {
      texts.push((texts.pop() ?? "") + text)
    }
    const addHole = (value: number): void => {
      order.push(value)
      texts.push("")
    }
    const copy = ({ from, to }: Range): void => {
      let value = holesBefore(this.#whole, from)
      for (const [index, text] of this.#whole.slice(from, to).split(HOLE).entries()) {
        if (index > 0) addHole(value++)
        add(text)
      }
    }
    const put = (parts: readonly Part[], message: TemplateMessage): void => {
      for (const part of parts) {
        if (typeof part === "string") add(escapeHtml(part))
        else if ("hole" in part) {
          const value = message.values[part.hole]
          if (value !== undefined) addHole(value)
        } else {
          const tag = message.tags.get(part.tag)
          if (tag) copy(tag.open)
          put(part.parts, message)
          if (tag) copy(tag.close)
        }
      }
    }
    let at = 0
    for (const message of this.messages) {
      copy({ from: at, to: message.from })
      const parts = translate(message.message)
      if (parts) put(parts, message)
      else copy(message)
      at = message.to
    }
    copy({ from: at, to: this.#whole.length })
    return { texts, order }
  }
}

function holesBefore(text: string, end: number): number {
  let holes = 0
  for (let at = text.indexOf(HOLE); at !== -1 && at < end; at = text.indexOf(HOLE, at + 1)) holes++
  return holes
}

const hasLetters = (text: string): boolean => /\p{L}/u.test(decoded(text))

/** The messages of a template, in order; one that is nothing but attributes has none. */
function messagesIn(whole: string): readonly TemplateMessage[] {
  const found: TemplateMessage[] = []
  if (/^\s*[\w-]+="/.test(whole)) return found
  for (const { 0: tag, index: start } of whole.matchAll(/<[a-zA-Z][^<>]*>/g)) {
    if (/\stranslate="no"/.test(tag)) continue
    for (const { 0: attribute, 1: value = "", index } of tag.matchAll(SAID_ATTRIBUTES)) {
      if (!hasLetters(value.replaceAll(HOLE, ""))) continue
      const to = start + index + attribute.length - 1
      found.push(messageOf(whole, [leaf("text", to - value.length, to)]))
    }
  }
  visit(parse(whole), found, whole)
  return found.sort((one, other) => one.from - other.from)
}

const leaf = (kind: Node["kind"], from: number, to: number): Node => ({
  kind,
  name: "",
  from,
  to,
  open: { from, to },
  close: { from: to, to },
  nodes: [],
})

/** The elements of a template. What is begun and not ended, or ended and not begun, divides sentences. */
function parse(whole: string): readonly Node[] {
  const open: { name: string; at: Range; nodes: Node[] }[] = [{ name: "", at: { from: 0, to: 0 }, nodes: [] }]
  const into = (): Node[] => open.at(-1)?.nodes ?? []
  const spill = (): void => {
    const unended = open.pop()
    if (unended) into().push(leaf("edge", unended.at.from, unended.at.to), ...unended.nodes)
  }
  for (const { 0: piece, 1: slash, 2: named, index: from } of whole.matchAll(
    /<!--[\s\S]*?-->|<![^>]*>|<(\/?)([a-zA-Z][\w:-]*)[^<>]*>|[^<]+|</g,
  )) {
    const to = from + piece.length
    const name = named?.toLowerCase() ?? ""
    if (name === "") {
      if (piece.startsWith("<")) into().push(leaf("edge", from, to))
      else pushText(into(), piece, from)
    } else if (slash === "/") {
      const begun = open.findLastIndex((each) => each.name === name)
      if (begun <= 0) {
        into().push(leaf("edge", from, to))
        continue
      }
      while (open.length - 1 > begun) spill()
      const element = open.pop()
      if (element)
        into().push({ kind: "element", name, from: element.at.from, to, open: element.at, close: { from, to }, nodes: element.nodes })
    } else if (VOID.has(name) || piece.endsWith("/>")) into().push(leaf("edge", from, to))
    else open.push({ name, at: { from, to }, nodes: [] })
  }
  while (open.length > 1) spill()
  return open[0]?.nodes ?? []
}

function pushText(nodes: Node[], text: string, from: number): void {
  let at = from
  for (const piece of text.split(/(\uFFFC)/)) {
    if (piece !== "") nodes.push(leaf(piece === HOLE ? "hole" : "text", at, at + piece.length))
    at += piece.length
  }
}

/** Whether an element can stand within a sentence. */
const isInline = (node: Node): boolean =>
  node.kind === "text" || node.kind === "hole" || (node.kind === "element" && INLINE.has(node.name) && node.nodes.every(isInline))

function visit(nodes: readonly Node[], found: TemplateMessage[], whole: string): void {
  let run: Node[] = []
  const end = (): void => {
    const said = trimmed(run, whole)
    if (said.some((node) => node.kind === "text" && hasLetters(whole.slice(node.from, node.to)))) found.push(messageOf(whole, said))
    else for (const node of run) enter(node, found, whole)
    run = []
  }
  for (const node of nodes) {
    if (isInline(node)) run.push(node)
    else {
      end()
      enter(node, found, whole)
    }
  }
  end()
}

function enter(node: Node, found: TemplateMessage[], whole: string): void {
  if (UNSAID.has(node.name) || /\stranslate="no"/.test(whole.slice(node.open.from, node.open.to))) return
  visit(node.nodes, found, whole)
}

/** A sentence without the space around it, and without holes that touch a word, which are icons. */
function trimmed(run: readonly Node[], whole: string): readonly Node[] {
  const textOf = (node: Node | undefined): string => (node?.kind === "text" ? whole.slice(node.from, node.to) : "")
  let nodes = [...run]
  while (nodes[0]?.kind === "hole" && /^\p{L}/u.test(textOf(nodes[1]))) nodes = nodes.slice(1)
  while (nodes.at(-1)?.kind === "hole" && /\p{L}$/u.test(textOf(nodes.at(-2)))) nodes = nodes.slice(0, -1)
  while (nodes.length > 0 && nodes[0]?.kind === "text" && textOf(nodes[0]).trim() === "") nodes = nodes.slice(1)
  while (nodes.length > 0 && nodes.at(-1)?.kind === "text" && textOf(nodes.at(-1)).trim() === "") nodes = nodes.slice(0, -1)
  const [first, last] = [nodes[0], nodes.at(-1)]
  if (!first || !last) return []
  const start = textOf(first).length - textOf(first).trimStart().length
  nodes[0] = first.kind === "text" ? leaf("text", first.from + start, first.to) : first
  const end = textOf(last).length - textOf(last).trimEnd().length
  if (last.kind === "text") nodes[nodes.length - 1] = leaf("text", nodes.at(-1)?.from ?? last.from, last.to - end)
  return nodes
}

function messageOf(whole: string, nodes: readonly Node[]): TemplateMessage {
  const values: number[] = []
  const tags = new Map<string, { readonly open: Range; readonly close: Range }>()
  const write = (each: readonly Node[]): string => each.map(writeNode).join("")
  const writeHole = (at: number): string => {
    values.push(holesBefore(whole, at))
    return `{${values.length - 1}}`
  }
  const writeNode = (node: Node): string => {
    if (node.kind === "hole") return writeHole(node.from)
    if (node.kind === "text")
      return whole
        .slice(node.from, node.to)
        .split(HOLE)
        .reduce((text, piece, index, pieces) => {
          const at = node.from + pieces.slice(0, index).join(HOLE).length
          return text + (index === 0 ? "" : writeHole(at)) + literal(decoded(piece))
        }, "")
    const count = [...tags.keys()].filter((name) => name.replace(/\d+$/, "") === node.name).length
    const name = count === 0 ? node.name : `${node.name}${count + 1}`
    tags.set(name, { open: node.open, close: node.close })
    return `<${name}>${write(node.nodes)}</${name}>`
  }
  const message = write(nodes)
  return { from: nodes[0]?.from ?? 0, to: nodes.at(-1)?.to ?? 0, message, tags, values }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: "\u00A0",
  middot: "·",
  hellip: "…",
  times: "×",
}

/** A text of HTML without its entities, and without line breaks. */
const decoded = (text: string): string =>
  text
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) =>
      decimal !== undefined
        ? String.fromCodePoint(Number(decimal))
        : hex !== undefined
          ? String.fromCodePoint(Number.parseInt(hex, 16))
          : (NAMED[name ?? ""] ?? whole),
    )
    .replace(/[ \t\n]+/g, " ")
