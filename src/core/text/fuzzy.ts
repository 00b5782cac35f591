/**
 * Finding paths by some of their letters, as `fvts` finds `src/file-view.ts`: on the server and in browsers, where 100,000 paths are looked through with each key.
 * Words may stand in any order; each must be found.
 */

export interface PathIndex {
  readonly paths: readonly string[]
  readonly lower: readonly string[]
  /** Which letters a path has, a bit each: most paths are passed over by them. */
  readonly letters: Int32Array
}

export interface FoundPath {
  readonly path: string
  /** Which characters were found, ascending. */
  readonly marked: readonly number[]
}

export interface PathSearch {
  /** Looks at the paths from one number up to another. */
  readonly scan: (from: number, to: number) => void
  /** The best so far, best first. */
  readonly found: () => readonly FoundPath[]
  /** The numbers of all that were found: a longer text is found among these alone. */
  readonly matching: () => readonly number[]
}

interface Options {
  readonly limit: number
  /** Of equal ones these come first. */
  readonly preferred?: ReadonlySet<string>
  /** The numbers of the paths that are looked at, in place of all. */
  readonly among?: readonly number[]
}

const CODE_A = 97
const OTHER_BITS: Readonly<Record<string, number>> = { "/": 26, ".": 27, "-": 28, _: 29 }

function lettersOf(text: string): number {
  let bits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) - CODE_A
    bits |= 1 << (code >= 0 && code < 26 ? code : (OTHER_BITS[text[at] ?? ""] ?? 30))
  }
  return bits
}

export function indexPaths(paths: readonly string[]): PathIndex {
  // A letter whose small form has another length, such as İ, keeps its place.
  const lower = paths.map((path) => {
    const small = path.toLowerCase()
    return small.length === path.length ? small : path
  })
  return { paths, lower, letters: Int32Array.from(lower, lettersOf) }
}

/** The words of what was typed. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().trim().split(/\s+/).filter(Boolean).slice(0, 8)

export function searchPaths(index: PathIndex, text: string, { limit, preferred, among }: Options): PathSearch {
  const words = wordsOf(text)
  const letters = lettersOf(words.join(""))
  const most = limit + SPARE
  const best: Scored[] = []
  const matching: number[] = []
  const look = (at: number): void => {
    if (((index.letters[at] ?? 0) & letters) !== letters) return
    const score = scoreOf(index, at, words, false)
    if (score === NONE) return
    matching.push(at)
    put(best, { at, score: preferred?.has(index.paths[at] ?? "") ? score + PREFERRED : score }, most)
  }
  return {
    scan: (from, to) => {
      for (let at = from; at < to; at++) look(among?.[at] ?? at)
    },
    found: () => {
      const exact = best.map(({ at, score }) => ({ at, score: score + scoreOf(index, at, words, true) - scoreOf(index, at, words, false) }))
      return exact
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ at }) => ({ path: index.paths[at] ?? "", marked: markedIn(index, at, words) }))
    },
    matching: () => matching,
  }
}

interface Scored {
  readonly at: number
  readonly score: number
}

function put(best: Scored[], one: Scored, most: number): void {
  if (best.length === most && one.score <= (best.at(-1)?.score ?? 0)) return
  let place = best.length
  while (place > 0 && (best[place - 1]?.score ?? 0) < one.score) place--
  best.splice(place, 0, one)
  if (best.length > most) best.pop()
}

/** So many more than are wanted are looked at closely. */
const SPARE = 100
const NONE = Number.NEGATIVE_INFINITY
const PREFERRED = 250
/** Points of a word that stands in one piece in the name of the file, or elsewhere in the path. */
const IN_NAME = 1000
const IN_PATH = 600
const LENGTH = 0.5
/** Further points where all letters of a word are in the name. */
const ALL_IN_NAME = 60

/** How well a path fits; closely, of two ways to find the letters of a word the better counts. */
function scoreOf({ paths, lower }: PathIndex, at: number, words: readonly string[], isClose: boolean): number {
  const [path = "", small = ""] = [paths[at], lower[at]]
  const name = small.lastIndexOf("/") + 1
  let score = -small.length * LENGTH
  for (const word of words) {
    const whole = small.lastIndexOf(word)
    if (whole >= 0) score += inOnePiece(path, small, name, word, whole)
    else {
      const inPieces = isClose ? (alignmentOf(path, small, name, word)?.score ?? NONE) : fromEnd(path, small, name, word)
      if (inPieces === NONE) return NONE
      score += Math.min(IN_PATH - 1, inPieces)
    }
  }
  return score
}

/** What the letters are worth where they are found from the end. */
function fromEnd(path: string, small: string, name: number, word: string): number {
  let score = 0
  let behind = small.length + 1
  for (let letter = word.length - 1, at = small.length; letter >= 0; letter--) {
    at = at === 0 ? -1 : small.lastIndexOf(word[letter] ?? "", at - 1)
    if (at < 0) return NONE
    score += worthOf(path, name, at, at === behind - 1)
    behind = at
  }
  return behind >= name ? score + ALL_IN_NAME : score
}

const worthOf = (path: string, name: number, at: number, isBeside: boolean): number =>
  (isBeside ? 12 : 0) + (beginsAt(path, at) ? 20 : 0) + (at >= name ? 5 : 1)

function inOnePiece(path: string, small: string, name: number, word: string, at: number): number {
  if (at < name) return IN_PATH + (beginsAt(path, at) ? 100 : 0)
  const first = small.indexOf(word, name)
  if (first === name) {
    const rest = small.length - name - word.length
    return IN_NAME + 300 + (rest === 0 ? 400 : small[name + word.length] === "." ? 200 : 0)
  }
  return IN_NAME + (beginsAt(path, at) || beginsAt(path, first) ? 150 : 0)
}

/** Whether a word of a path begins here: behind a sign, or with a capital letter behind a small one. */
function beginsAt(path: string, at: number): boolean {
  if (at === 0) return true
  const before = path.charCodeAt(at - 1)
  // / . - _ and the space
  if (before === 47 || before === 46 || before === 45 || before === 95 || before === 32) return true
  const here = path.charCodeAt(at)
  return here >= 65 && here <= 90 && !(before >= 65 && before <= 90)
}

interface Alignment {
  readonly score: number
  readonly marked: readonly number[]
}

/** The better of two ways to find the letters: from the end, and from the beginning of the name. */
function alignmentOf(path: string, small: string, name: number, word: string): Alignment | undefined {
  const back: number[] = []
  for (let letter = word.length - 1, at = small.length; letter >= 0; letter--) {
    at = at === 0 ? -1 : small.lastIndexOf(word[letter] ?? "", at - 1)
    if (at < 0) return undefined
    back.unshift(at)
  }
  const ahead: number[] = []
  for (let letter = 0, at = name - 1; letter < word.length; letter++) {
    at = nextOf(path, small, word[letter] ?? "", at + 1)
    if (at < 0) break
    ahead.push(at)
  }
  const fromEnd = valued(path, name, back)
  const fromName = ahead.length === word.length ? valued(path, name, ahead) : undefined
  return fromName && fromName.score >= fromEnd.score ? fromName : fromEnd
}

/** The next place of a letter: one at which a word begins, unless it follows at once. */
function nextOf(path: string, small: string, letter: string, from: number): number {
  const first = small.indexOf(letter, from)
  for (let at = first; at >= 0 && at !== from; at = small.indexOf(letter, at + 1)) if (beginsAt(path, at)) return at
  return first
}

function valued(path: string, name: number, marked: readonly number[]): Alignment {
  const score = marked.reduce((sum, at, index) => sum + worthOf(path, name, at, at === (marked[index - 1] ?? -2) + 1), 0)
  return { score: (marked[0] ?? 0) >= name ? score + ALL_IN_NAME : score, marked }
}

/** The characters that are shown as found. */
function markedIn({ paths, lower }: PathIndex, at: number, words: readonly string[]): readonly number[] {
  const [path = "", small = ""] = [paths[at], lower[at]]
  const name = small.lastIndexOf("/") + 1
  const all = words.flatMap((word) => {
    const inName = small.indexOf(word, name)
    const whole = inName >= 0 ? inName : small.lastIndexOf(word)
    if (whole >= 0) return Array.from({ length: word.length }, (_, index) => whole + index)
    return alignmentOf(path, small, name, word)?.marked ?? []
  })
  return [...new Set(all)].toSorted((a, b) => a - b)
}
