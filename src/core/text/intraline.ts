/** What changed inside of lines: which removed line became which added one, and which words of them differ. Time is bounded for every text. */

/** A part of a line in UTF-16 units: from the first up to, and without, the second. */
export type Range = readonly [from: number, to: number]

/** What of two lines differs: ranges in their order, which neither overlap nor touch. */
export interface ChangedWords {
  readonly removed: readonly Range[]
  readonly added: readonly Range[]
}

/** A removed line that became an added one, by their places in what was given. */
export interface LinePair extends ChangedWords {
  readonly removedAt: number
  readonly addedAt: number
}

/** Longer lines, in UTF-16 units, are not looked at. */
const LONGEST = 1_000
/** Lines that differ in more words than this are too unlike. */
const MOST_EDITS = 200
/** How much of two lines must be the same, of all that isn't space. */
const LEAST_LIKENESS = 0.4
/** With more comparisons than this, lines of a block are paired by their places alone. */
const MOST_COMPARISONS = 400

/** Bounds the work for many lines together: 1,000,000 steps take some 50 ms. Once they are used up nothing is marked any more. */
export interface Steps {
  left: number
}

const unlimited = (): Steps => ({ left: Number.POSITIVE_INFINITY })

/**
 * The words that differ; undefined for lines that are too long, or too unlike for marks to help a reader. Words are runs of letters and digits, runs of
 * spaces, and single other characters. Takes some 10 µs for usual lines. Swapped lines give swapped ranges.
 */
export function changedWords(removed: string, added: string, steps = unlimited()): ChangedWords | undefined {
  if (steps.left <= 0 || removed.length > LONGEST || added.length > LONGEST) return undefined
  // Where several results are equally good, one is chosen: always the same.
  const isSwapped = removed > added
  const [a, b] = isSwapped ? [wordsOf(added), wordsOf(removed)] : [wordsOf(removed), wordsOf(added)]
  const kept = keptParts(a, b, steps)
  if (!kept || likeness(weigh(a, kept.a), weigh(a), weigh(b)) < LEAST_LIKENESS) return undefined
  const [first, second] = [rangesOf(a, kept.a), rangesOf(b, kept.b)]
  return isSwapped ? { removed: second, added: first } : { removed: first, added: second }
}

const likeness = (same: number, one: number, other: number): number => (one + other === 0 ? 1 : (2 * same) / (one + other))

/** How many characters there are that are no spaces, in all words or those that are kept. */
function weigh(words: readonly string[], kept?: readonly boolean[]): number {
  let sum = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if ((kept === undefined || kept[at] === true) && kindOf(word, 0) !== "space") sum += word.length
  }
  return sum
}

type Kind = "word" | "space" | "mark"

const LETTER = /[\p{L}\p{N}\p{M}]/u

function kindOf(text: string, at: number): Kind {
  const code = text.charCodeAt(at)
  if (code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000) return "space"
  if (code < 128) return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) ? "word" : "mark"
  return LETTER.test(String.fromCodePoint(text.codePointAt(at) ?? 0)) ? "word" : "mark"
}

const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  let at = 0
  while (at < line.length) {
    const from = at
    const kind = kindOf(line, at)
    at += unitsAt(line, at)
    if (kind !== "mark") while (at < line.length && kindOf(line, at) === kind) at += unitsAt(line, at)
    words.push(line.slice(from, at))
  }
  return words
}

/** Which parts of two texts are in both. */
interface Kept {
  readonly a: readonly boolean[]
  readonly b: readonly boolean[]
}

/** Which words, or lines, stay when one text becomes the other with the fewest edits (E. W. Myers, 1986); undefined beyond `mostEdits`. */
export function keptParts(a: readonly string[], b: readonly string[], steps = unlimited(), mostEdits = MOST_EDITS): Kept | undefined {
  steps.left -= a.length + b.length
  const kept = { a: Array.from(a, () => false), b: Array.from(b, () => false) }
  const keep = (x: number, y: number): void => {
    kept.a[x] = true
    kept.b[y] = true
  }
  let start = 0
  let [endA, endB] = [a.length, b.length]
  while (start < endA && start < endB && a[start] === b[start]) keep(start, start++)
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) keep(--endA, --endB)
  const [n, m] = [endA - start, endB - start]
  if (n === 0 || m === 0) return kept

  const most = Math.min(mostEdits, n + m)
  /** How far each diagonal got, for each number of edits. */
  const traces: Int32Array[] = []
  let reached = new Int32Array(2 * most + 3)
  const middle = most + 1
  for (let edits = 0; edits <= most; edits++) {
    traces.push(reached)
    steps.left -= edits + 1
    const next = reached.slice()
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = goesDown(reached, middle, diagonal, edits) ? at(reached, middle + diagonal + 1) : at(reached, middle + diagonal - 1) + 1
      while (x < n && x - diagonal < m && a[start + x] === b[start + x - diagonal]) x++
      next[middle + diagonal] = x
      if (x >= n && x - diagonal >= m) {
        walkBack(traces, middle, n, m, (across, down) => keep(start + across, start + down))
        return kept
      }
    }
    reached = next
  }
  return undefined
}

const at = (values: Int32Array, index: number): number => values[index] ?? 0

/** Whether the furthest way to this diagonal with one edit more adds a word instead of removing one. */
const goesDown = (reached: Int32Array, middle: number, diagonal: number, edits: number): boolean =>
  diagonal === -edits || (diagonal !== edits && at(reached, middle + diagonal - 1) < at(reached, middle + diagonal + 1))

function walkBack(traces: readonly Int32Array[], middle: number, n: number, m: number, keep: (x: number, y: number) => void): void {
  let [x, y] = [n, m]
  for (let edits = traces.length - 1; edits >= 0; edits--) {
    const reached = traces[edits]
    if (!reached) return
    const diagonal = x - y
    const down = goesDown(reached, middle, diagonal, edits)
    const before = edits === 0 ? 0 : at(reached, middle + (down ? diagonal + 1 : diagonal - 1))
    const fromX = edits === 0 ? 0 : down ? before : before + 1
    while (x > fromX && x - diagonal > 0) keep(--x, x - diagonal)
    x = before
    y = before - (down ? diagonal + 1 : diagonal - 1)
  }
}

/** Where the words stand that are not kept. Those with nothing but spaces between them are one. */
function rangesOf(words: readonly string[], kept: readonly boolean[]): readonly Range[] {
  const ranges: Range[] = []
  let end = 0
  let open: { from: number; to: number } | undefined
  for (const [index, word] of words.entries()) {
    const from = end
    end += word.length
    if (kept[index] !== true) {
      if (open) open.to = end
      else open = { from, to: end }
    } else if (open && kindOf(word, 0) !== "space") {
      ranges.push([open.from, open.to])
      open = undefined
    }
  }
  if (open) ranges.push([open.from, open.to])
  return ranges
}

/**
 * Which removed lines became which added ones, in a block of changes: each at most one, none crossing another, so that as much as possible of their words
 * stays; and which of their words differ. Lines in large blocks are paired by their places.
 */
export function pairLines(removed: readonly string[], added: readonly string[], steps = unlimited()): readonly LinePair[] {
  if (steps.left <= 0) return []
  const places =
    removed.length === added.length && removed.length === 1
      ? [[0, 0] as const]
      : removed.length * added.length > MOST_COMPARISONS
        ? Array.from({ length: Math.min(removed.length, added.length) }, (_, place) => [place, place] as const)
        : alike(removed, added, steps)
  const pairs: LinePair[] = []
  for (const [removedAt, addedAt] of places) {
    const words = changedWords(removed[removedAt] ?? "", added[addedAt] ?? "", steps)
    if (words) pairs.push({ removedAt, addedAt, ...words })
  }
  return pairs
}

type Places = readonly (readonly [removedAt: number, addedAt: number])[]

/** The pairs with the greatest sum of likenesses. */
function alike(removed: readonly string[], added: readonly string[], steps: Steps): Places {
  const numbers = new Map<string, number>()
  const [before, after] = [removed.map((line) => bagOf(line, numbers)), added.map((line) => bagOf(line, numbers))]
  const width = after.length + 1
  const likenesses = before.map((one) => after.map((other) => likenessOf(one, other)))
  const words = (bags: readonly (Bag | undefined)[]) => bags.reduce((sum, bag) => sum + (bag?.words.length ?? 0) + 1, 0)
  steps.left -= (before.length * words(after) + after.length * words(before)) >> 3
  /** The best sum of what comes from these lines on. */
  const sums = new Float64Array((before.length + 1) * width)
  const sumAt = (x: number, y: number) => sums[x * width + y] ?? 0
  for (let x = before.length - 1; x >= 0; x--)
    for (let y = after.length - 1; y >= 0; y--)
      sums[x * width + y] = Math.max(sumAt(x + 1, y), sumAt(x, y + 1), sumAt(x + 1, y + 1) + (likenesses[x]?.[y] ?? 0))
  const places: [number, number][] = []
  for (let [x, y] = [0, 0]; x < before.length && y < after.length; ) {
    const here = likenesses[x]?.[y] ?? 0
    if (here > 0 && sumAt(x, y) === sumAt(x + 1, y + 1) + here) places.push([x++, y++])
    else if (sumAt(x, y) === sumAt(x + 1, y)) x++
    else y++
  }
  return places
}

interface Bag {
  /** The words that are no spaces, as numbers in ascending order. */
  readonly words: Int32Array
  readonly weights: readonly number[]
  readonly weight: number
}

function bagOf(line: string, numbers: Map<string, number>): Bag | undefined {
  if (line.length > LONGEST) return undefined
  const words = wordsOf(line).filter((word) => kindOf(word, 0) !== "space")
  const known = words.map((word) => {
    const number = numbers.get(word) ?? numbers.size
    numbers.set(word, number)
    return { number, weight: word.length }
  })
  known.sort((a, b) => a.number - b.number)
  return {
    words: Int32Array.from(known, ({ number }) => number),
    weights: known.map(({ weight }) => weight),
    weight: weigh(words),
  }
}

/** How much of two lines is the same in any order; 0 where it is too little. */
function likenessOf(one: Bag | undefined, other: Bag | undefined): number {
  if (!one || !other || one.weight === 0 || other.weight === 0) return 0
  let same = 0
  for (let [x, y] = [0, 0]; x < one.words.length && y < other.words.length; ) {
    const difference = at(one.words, x) - at(other.words, y)
    if (difference === 0) same += one.weights[x] ?? 0
    if (difference <= 0) x++
    if (difference >= 0) y++
  }
  const found = likeness(same, one.weight, other.weight)
  return found < LEAST_LIKENESS ? 0 : found
}
