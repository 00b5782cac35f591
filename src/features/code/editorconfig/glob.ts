/**
 * The patterns of EditorConfig (https://spec.editorconfig.org, "Glob Expressions"). Patterns are untrusted input, so they are not compiled
 * to regular expressions or expanded: a pattern is walked once with the set of all path positions that it can have matched up to, which takes time in
 * proportion to both their lengths.
 *
 * Not by `core/text/automaton.ts`, which serves other globs and regular expressions: that needs fifty times as long for the worst patterns,
 * and the automaton can't be replaced by these sets, as repeated groups would take quadratic time.
 */

/** Whether a pattern of a file matches a path below that file's directory. */
export function globMatches(pattern: string, path: string): boolean {
  // A pattern without a slash matches in every directory below.
  const whole = pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`
  const start = new Uint8Array(path.length + 1)
  start[0] = 1
  return step(parse(whole), path, start)[path.length] === 1
}

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" | "stars" | "directories" }
  | { readonly kind: "set"; readonly characters: ReadonlySet<string>; readonly negated: boolean }
  | { readonly kind: "choice"; readonly choices: readonly (readonly Token[])[] }
  | { readonly kind: "number"; readonly from: number; readonly to: number }

/** For each position of a path whether the pattern can have matched up to it: 1 or 0. */
type Places = Readonly<Uint8Array>

function parse(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < pattern.length) {
    const character = pattern[at] ?? ""
    if (character === "\\" && at + 1 < pattern.length) {
      tokens.push({ kind: "text", text: pattern[at + 1] ?? "" })
      at += 2
    } else if (pattern.startsWith("**/", at) && (at === 0 || pattern[at - 1] === "/")) {
      tokens.push({ kind: "directories" })
      at += 3
    } else if (character === "*") {
      const double = pattern[at + 1] === "*"
      tokens.push({ kind: double ? "stars" : "star" })
      at += double ? 2 : 1
    } else if (character === "?") {
      tokens.push({ kind: "any" })
      at += 1
    } else {
      const { token, end } = parseGroup(pattern, at) ?? { token: { kind: "text", text: character } as const, end: at + 1 }
      tokens.push(token)
      at = end
    }
  }
  return tokens
}

/** The token that a bracket or a brace starts; undefined if it is a literal character. */
function parseGroup(pattern: string, at: number): { readonly token: Token; readonly end: number } | undefined {
  if (pattern[at] === "[") {
    const end = pattern.indexOf("]", at + 2)
    const inside = end < 0 ? "" : pattern.slice(at + 1, end)
    if (inside === "" || inside.includes("/")) return undefined
    const negated = inside.startsWith("!") && inside.length > 1
    return { token: { kind: "set", characters: charactersOf(negated ? inside.slice(1) : inside), negated }, end: end + 1 }
  }
  if (pattern[at] !== "{") return undefined
  const end = closing(pattern, at)
  if (end === undefined) return undefined
  const inside = pattern.slice(at + 1, end)
  const [, from, to] = /^([+-]?\d{1,15})\.\.([+-]?\d{1,15})$/.exec(inside) ?? []
  if (from !== undefined && to !== undefined) {
    const ends = [Number(from), Number(to)]
    return { token: { kind: "number", from: Math.min(...ends), to: Math.max(...ends) }, end: end + 1 }
  }
  const choices = choicesOf(inside)
  return choices.length < 2 ? undefined : { token: { kind: "choice", choices: choices.map(parse) }, end: end + 1 }
}

/** The most characters in a range such as a-z. */
const WIDEST = 1000

function charactersOf(inside: string): ReadonlySet<string> {
  const characters = new Set<string>()
  for (let at = 0; at < inside.length; at++) {
    const [first = "", dash, last] = inside.slice(at, at + 3)
    characters.add(first)
    if (dash !== "-" || last === undefined) continue
    const end = Math.min(last.charCodeAt(0), first.charCodeAt(0) + WIDEST)
    for (let code = first.charCodeAt(0); code <= end; code++) characters.add(String.fromCharCode(code))
    at += 2
  }
  return characters
}

function closing(pattern: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++
    else if (pattern[at] === "{") depth++
    else if (pattern[at] === "}" && --depth === 0) return at
  }
  return undefined
}

/** The parts between commas outside of inner braces. */
function choicesOf(inside: string): readonly string[] {
  const choices: string[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === "\\") at++
    else if (inside[at] === "{") depth++
    else if (inside[at] === "}") depth--
    else if (inside[at] === "," && depth === 0) {
      choices.push(inside.slice(start, at))
      start = at + 1
    }
  }
  return [...choices, inside.slice(start)]
}

/** The positions of a path that these tokens can reach from others. */
function step(tokens: readonly Token[], path: string, from: Places): Places {
  let places = from
  for (const token of tokens) places = advance(token, path, places)
  return places
}

function advance(token: Token, path: string, from: Places): Places {
  const to = new Uint8Array(from.length)
  switch (token.kind) {
    case "star":
    case "stars":
    case "directories":
      spread(token.kind, path, from, to)
      break
    case "choice":
      for (const choice of token.choices) for (const [at, there] of step(choice, path, from).entries()) if (there === 1) to[at] = 1
      break
    case "number":
      for (const [at, there] of from.entries()) if (there === 1) for (const end of numbersAt(path, at, token)) to[end] = 1
      break
    default:
      for (let at = 0; at < path.length; at++) if (from[at] === 1 && fits(token, path[at] ?? "")) to[at + 1] = 1
  }
  return to
}

function fits(token: Extract<Token, { kind: "text" | "any" | "set" }>, character: string): boolean {
  if (token.kind === "text") return character === token.text
  return character !== "/" && (token.kind === "any" || token.characters.has(character) !== token.negated)
}

/** Marks the positions that a star can reach: up to the end of the directory or of the path, or the starts of directories. */
function spread(kind: "star" | "stars" | "directories", path: string, from: Places, to: Uint8Array): void {
  let within = false
  for (let at = 0; at < from.length; at++) {
    within ||= from[at] === 1
    if (within && (kind !== "directories" || from[at] === 1 || path[at - 1] === "/")) to[at] = 1
    if (kind === "star" && path[at] === "/") within = false
  }
}

/** Numbers have no leading zeros. */
function numbersAt(path: string, place: number, { from, to }: { readonly from: number; readonly to: number }): readonly number[] {
  const text = /^[+-]?(0|[1-9]\d{0,14})/.exec(path.slice(place, place + 16))?.[0] ?? ""
  const ends: number[] = []
  for (let length = 1; length <= text.length; length++) {
    const number = Number(text.slice(0, length))
    if (number >= from && number <= to) ends.push(place + length)
  }
  return ends
}
