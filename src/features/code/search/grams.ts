import type { DatabaseKind } from "../../../core/database/database.ts"

/**
 * Three characters in a row of a text, without regard to case, as a number; of scripts with short words, and of symbols, two and one as well. The index says which texts have which of them: a text that lacks
 * one of those of what is sought can't hold it.
 */
export type Gram = number

/** The text without regard to case, and of the same length, so that places in one are places in the other. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  // Two capital letters become longer in lower case.
  const same = lower.length === text.length ? lower : Array.from(text, sameLength).join("")
  // The lower case of Σ depends on its place in the word.
  return same.includes("ς") ? same.replaceAll("ς", "σ") : same
}

function sameLength(one: string): string {
  const lower = one.toLowerCase()
  return lower.length === one.length ? lower : one
}

const ASCII = 1 << 21
const NEWLINE = 10
const RETURN = 13

/** The number of three UTF-16 units; -1 for none, as lines are searched one by one. ASCII is exact, others share numbers by chance. */
function gramAt(folded: string, at: number): Gram {
  const [a, b, c] = [folded.charCodeAt(at), folded.charCodeAt(at + 1), folded.charCodeAt(at + 2)]
  if (a < 14 || b < 14 || c < 14) for (const unit of [a, b, c]) if (unit === NEWLINE || unit === RETURN) return -1
  if ((a | b | c) < 128) return (a << 14) | (b << 7) | c
  return hashed(a, b, c)
}

const hashed = (a: number, b: number, c: number): Gram =>
  ASCII + ((Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) >>> 3)

/** All grams of a text, each once. */
export function gramsOf(text: string): readonly Gram[] {
  const folded = fold(text)
  const found = new Set<Gram>(trigramsOf(folded))
  for (const gram of shortGramsOf(folded, 2)) found.add(gram)
  for (const gram of shortGramsOf(folded, 1)) found.add(gram)
  return [...found]
}

function* trigramsOf(folded: string): Generator<Gram> {
  for (let at = 0; at + 2 < folded.length; at++) {
    const gram = gramAt(folded, at)
    if (gram >= 0) yield gram
  }
}

/** Scripts whose words have one or two characters, symbols and emoji. */
const [FIRST_SHORT, FIRST_ALONE] = [0x1100, 0x2000]
const HAS_SHORT = /[\u1100-\uffff]/
const isHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000

/** The numbers of two units, or of one, where they may be all that someone looks for: a word in Chinese, an emoji. */
function* shortGramsOf(folded: string, length: 1 | 2): Generator<Gram> {
  if (!HAS_SHORT.test(folded)) return
  for (let at = 0; at + length <= folded.length; at++) {
    const [a, b] = [folded.charCodeAt(at), length === 1 ? 0 : folded.charCodeAt(at + 1)]
    const counts = length === 1 ? a >= FIRST_ALONE && !isHalf(a) : a >= FIRST_SHORT && b >= FIRST_SHORT
    if (counts) yield hashed(a, b, length)
  }
}

/** A gram of every text of a repository, so that a search of one repository asks for its texts alone. */
export const gramOfRepository = (repositoryId: number): Gram => -repositoryId

/** What texts must have: one, all or some of these. */
export type Need = Gram | { readonly kind: "all" | "any"; readonly of: readonly Need[] }

/** More would cost more than they leave out. */
const MOST_OF_A_TEXT = 12

/** What a text that holds `part` has; undefined where that is too short to say anything. */
export function needOf(part: string): Need | undefined {
  const folded = fold(part)
  const grams =
    [trigramsOf(folded), shortGramsOf(folded, 2), shortGramsOf(folded, 1)].map((each) => [...each]).find(({ length }) => length > 0) ?? []
  const step = Math.max(1, grams.length / MOST_OF_A_TEXT)
  const chosen = new Set<Gram>()
  for (let at = 0; at < grams.length; at += step) {
    const gram = grams[Math.floor(at)]
    if (gram !== undefined) chosen.add(gram)
  }
  return allOf([...chosen])
}

export function allOf(needs: readonly (Need | undefined)[]): Need | undefined {
  const of = needs.filter((need) => need !== undefined)
  return of.length > 1 ? { kind: "all", of } : of[0]
}

/** Undefined if one of them needs nothing. */
export function anyOf(needs: readonly (Need | undefined)[]): Need | undefined {
  const of = needs.filter((need) => need !== undefined)
  if (of.length < needs.length) return undefined
  return of.length > 1 ? { kind: "any", of } : of[0]
}

/** How many grams it asks for. */
export const sizeOf = (need: Need): number => (typeof need === "number" ? 1 : need.of.reduce<number>((sum, each) => sum + sizeOf(each), 0))

/** As a word for SQLite's index. */
const wordOf = (gram: Gram): string => (gram < 0 ? `r${-gram}` : `g${gram.toString(36)}`)

/** A text's grams as the column holds them: words on SQLite, an array on PostgreSQL. */
export const writtenGrams = (kind: DatabaseKind, grams: readonly Gram[]): string =>
  kind === "sqlite" ? grams.map(wordOf).join(" ") : `{${grams.join(",")}}`

/** The same need in the language of SQLite's index. */
export function matchOf(need: Need): string {
  if (typeof need === "number") return wordOf(need)
  return `(${need.of.map(matchOf).join(need.kind === "all" ? " AND " : " OR ")})`
}
