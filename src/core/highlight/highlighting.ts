import { type Grammar, withInside } from "./grammars.ts"
import { codeToHtml } from "./invisible.ts"
import { classOf, type TokenClass } from "./tokens.ts"

/** What loads and asks highlight.js. For threads of their own only: it runs as long as a text makes it. */

/*
 * What is used of highlight.js. With its own types the types of browsers would come into all files, so the compiler doesn't see the imports.
 */

/** What writes a result, piece by piece. */
interface Emitter {
  addText(text: string): void
  startScope(scope: string): void
  endScope(): void
  openNode(scope: string): void
  closeNode(): void
  __addSublanguage(emitter: Emitter, name: string): void
  finalize(): void
  toHTML(): string
}

interface GrammarSet {
  newInstance(): GrammarSet
  registerLanguage(name: string, language: unknown): void
  configure(options: { readonly __emitter: new () => Emitter }): void
  /** `value` is what the emitter wrote, unless the grammar failed: then it is something else, and `errorRaised` is set. */
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string; readonly errorRaised?: Error }
}

const importPart = async <Part>(name: string): Promise<Part> => {
  const { default: part }: { readonly default: Part } = await import(`highlight.js/lib/${name}`)
  return part
}

/** A set of highlight.js with a grammar and those inside of it: in one set for all, results would depend on what was loaded before. */
const sets = new Map<Grammar, Promise<GrammarSet>>()

async function load(grammar: Grammar): Promise<GrammarSet> {
  const set = (await importPart<GrammarSet>("core")).newInstance()
  for (const name of withInside(grammar)) set.registerLanguage(name, await importPart<unknown>(`languages/${name}`))
  set.configure({ __emitter: Lines })
  return set
}

/** Loads what the grammar needs. */
export function prepare(grammar: Grammar): Promise<GrammarSet> {
  const known = sets.get(grammar) ?? load(grammar)
  sets.set(grammar, known)
  return known
}

/**
 * Code as safe HTML, where every line is complete in itself: what is open at its end is closed, and opened again in the next one. Lines end in "\n", and
 * there are as many as in the code, whose lines must end in "\n" too.
 */
export async function codeLines(code: string, grammar: Grammar): Promise<string> {
  const set = await prepare(grammar)
  const result = set.highlight(code, { language: grammar, ignoreIllegals: true })
  return result.errorRaised ? plainLines(code) : result.value
}

export const plainLines = (code: string): string => code.split("\n").map(codeToHtml).join("\n")

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open"; readonly scope: string }
  | { readonly kind: "close" }

/** Characters of more than one unit of UTF-16: beyond the first 65,536, and emoji with what they are made of. */
const LONG =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d\p{Extended_Pictographic})*|[#*0-9]\ufe0f\u20e3|[\u{10000}-\u{10ffff}]/gu
/** Most texts have none of them, and this is quick to say so. */
const MAY_BE_LONG = /[\ud800-\udfff]|\ufe0f|\u200d/

/** Grammars end a piece in the middle of a character, as after a backslash: all of it gets the colour of its beginning. */
function withWholeCharacters(pieces: readonly Piece[]): readonly Piece[] {
  const code = pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("")
  if (!MAY_BE_LONG.test(code)) return pieces
  /** Of the places inside of a character: where it ends. */
  const ends = new Map<number, number>()
  for (const { 0: character, index } of code.matchAll(LONG))
    for (let place = index + 1; place < index + character.length; place++) ends.set(place, index + character.length)
  const moved = (place: number): number => ends.get(place) ?? place
  let place = 0
  return pieces.map((piece) => {
    if (piece.kind !== "text") return piece
    const from = moved(place)
    place += piece.text.length
    return { kind: "text", text: code.slice(from, moved(place)) }
  })
}

/** Takes what highlight.js finds, and writes it. Its own writer knows no lines. */
class Lines implements Emitter {
  #pieces: Piece[] = []

  addText(text: string): void {
    if (text !== "") this.#pieces.push({ kind: "text", text })
  }
  startScope(scope: string): void {
    this.#pieces.push({ kind: "open", scope })
  }
  endScope(): void {
    this.#pieces.push({ kind: "close" })
  }
  openNode(scope: string): void {
    this.startScope(scope)
  }
  closeNode(): void {
    this.endScope()
  }
  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof Lines) for (const piece of emitter.#pieces) this.#pieces.push(piece)
  }
  finalize(): void {}

  toHTML(): string {
    const open: (TokenClass | undefined)[] = []
    const parts: string[] = []
    /** The spans that stand in the HTML: they are written with the first text inside of them. */
    let written: readonly TokenClass[] = []
    const become = (wanted: readonly TokenClass[]): void => {
      let same = 0
      while (same < written.length && written[same] === wanted[same]) same++
      for (let at = written.length; at > same; at--) parts.push("</span>")
      for (const name of wanted.slice(same)) parts.push(`<span class="${name}">`)
      written = wanted
    }
    for (const piece of withWholeCharacters(this.#pieces)) {
      if (piece.kind === "open") open.push(classOf(piece.scope))
      else if (piece.kind === "close") open.pop()
      else {
        // A colour inside of the same colour is none, and no line has more than this many around a piece.
        const classes = open.filter((name): name is TokenClass => name !== undefined).slice(-DEEPEST)
        const wanted = classes.filter((name, at) => name !== classes[at - 1])
        piece.text.split("\n").forEach((text, at) => {
          if (at > 0) {
            become([])
            parts.push("\n")
          }
          if (text === "") return
          become(text.trim() === "" && written.length === 0 ? [] : wanted)
          parts.push(codeToHtml(text))
        })
      }
    }
    become([])
    return parts.join("")
  }
}

/** The most colours inside of each other; deeper ones are left out from the outside. */
const DEEPEST = 4
