import type { Work } from "../work.ts"

/**
 * Matching in linear time by simulating a nondeterministic automaton. JavaScript's own regular expressions backtrack, so that a user's pattern could
 * block the whole service. The sets of states that texts lead to are kept, so that a character of a further text usually costs one look-up, however many
 * patterns are compared at once.
 */

/** A pattern for texts. */
export type Pattern =
  /** One character, by its code point; `literal` where it is always the same one, apart from its case. */
  | { readonly kind: "one"; readonly of: (codePoint: number) => boolean; readonly literal?: number }
  /** A position between two characters, by the code points before and after it; -1 at the ends. */
  | { readonly kind: "place"; readonly fits: (before: number, after: number) => boolean }
  | { readonly kind: "sequence"; readonly parts: readonly Pattern[] }
  | { readonly kind: "choice"; readonly parts: readonly Pattern[] }
  | { readonly kind: "repeat"; readonly part: Pattern; readonly min: number; readonly max: number }

export type Matcher = (text: string) => boolean

export const anyCharacter: Pattern = { kind: "one", of: () => true }
export const sequence = (...parts: readonly Pattern[]): Pattern => ({ kind: "sequence", parts })
export const character = (codePoint: number): Pattern => ({
  kind: "one",
  of: (other) => other === codePoint,
  literal: codePoint,
})
export const repeat = (part: Pattern, min = 0, max = Number.POSITIVE_INFINITY): Pattern => ({ kind: "repeat", part, min, max })

type Step =
  | { readonly kind: "one"; readonly of: (codePoint: number) => boolean }
  | { readonly kind: "place"; readonly fits: (before: number, after: number) => boolean }
  | { readonly kind: "ways"; ways: readonly number[] }
  /** The pattern at this place of the list matches. */
  | { readonly kind: "found"; readonly index: number }

/** The most states of a pattern; repetitions are expanded, so that a short pattern could need millions. And of patterns that are compared at once. */
const MOST_STEPS = 4000

/** A matcher for the whole text, from its beginning to its end. Undefined for a pattern that is too large. */
export function wholeMatcher(pattern: Pattern): Matcher | undefined {
  const steps: Step[] = []
  if (!write(pattern, steps)) return undefined
  steps.push({ kind: "found", index: 0 })
  const automaton = createAutomaton(steps, [0])
  return (text) => {
    const following = foundBy(automaton, codePointsOf(text), () => undefined)
    for (;;) {
      const { done, value } = following.next()
      if (done) return value.length > 0
    }
  }
}

/** Patterns that are compared with whole texts together. */
export interface PatternSet {
  /** The places in the list, in order, of the patterns that match. Takes steps in proportion to the text, and lets others have their turn. */
  readonly matching: (text: string, work: Work) => Promise<readonly number[]>
}

/** Compiles patterns. One that is undefined or too large matches nothing. */
export function patternSet(patterns: readonly (Pattern | undefined)[]): PatternSet {
  const automata: Automaton[] = []
  let steps: Step[] = []
  let starts: number[] = []
  const close = (): void => {
    if (starts.length > 0) automata.push(createAutomaton(steps, starts))
    steps = []
    starts = []
  }
  const add = (pattern: Pattern, index: number): boolean => {
    const start = steps.length
    if (!write(pattern, steps)) {
      steps.length = start
      return false
    }
    starts.push(start)
    steps.push({ kind: "found", index })
    return true
  }
  for (const [index, pattern] of patterns.entries()) {
    if (pattern === undefined || add(pattern, index) || starts.length === 0) continue
    close()
    add(pattern, index)
  }
  close()
  return {
    async matching(text, work) {
      const characters = codePointsOf(text)
      const found: number[] = []
      for (const automaton of automata) {
        await work.step(characters.length + 1)
        const following = foundBy(automaton, characters, work.spend)
        let next = following.next()
        for (; !next.done; next = following.next()) await work.step(0)
        found.push(...next.value)
      }
      return found.toSorted((one, other) => one - other)
    },
  }
}

const codePointsOf = (text: string): readonly number[] => Array.from(text, (one) => one.codePointAt(0) ?? -1)

/** Steps after which the clock is looked at. */
const STEPS_AT_ONCE = 100_000

/** The patterns that match a text. Stops where it is time to look at the clock. */
function* foundBy({ begin, follow }: Automaton, characters: readonly number[], spend: Spend): Generator<undefined, readonly number[]> {
  let taken = 0
  const count: Spend = (steps) => {
    taken += steps
    spend(steps)
  }
  let states = begin(characters[0] ?? -1, count)
  for (const [at, codePoint] of characters.entries()) {
    if (states.open.length === 0) return []
    states = follow(states, codePoint, characters[at + 1] ?? -1, count)
    if (taken < STEPS_AT_ONCE) continue
    yield
    taken = 0
  }
  return states.found
}

/** Appends the states of a pattern; false if there are too many. */
function write(pattern: Pattern, steps: Step[]): boolean {
  if (steps.length > MOST_STEPS) return false
  switch (pattern.kind) {
    case "one":
    case "place":
      steps.push(pattern)
      return true
    case "sequence":
      return pattern.parts.every((part) => write(part, steps))
    case "choice":
      return writeChoice(pattern.parts, steps)
    case "repeat":
      return writeRepeat(pattern, steps)
  }
}

function writeChoice(parts: readonly Pattern[], steps: Step[]): boolean {
  const fork = pushWays(steps)
  const ends: { ways: readonly number[] }[] = []
  const starts: number[] = []
  for (const part of parts) {
    starts.push(steps.length)
    if (!write(part, steps)) return false
    ends.push(pushWays(steps))
  }
  fork.ways = starts
  for (const end of ends) end.ways = [steps.length]
  return true
}

function writeRepeat({ part, min, max }: Extract<Pattern, { kind: "repeat" }>, steps: Step[]): boolean {
  for (let times = 0; times < min; times++) {
    const before = steps.length
    if (!write(part, steps)) return false
    // A repetition of the empty pattern is empty.
    if (steps.length === before) return true
  }
  if (max === Number.POSITIVE_INFINITY) {
    const again = steps.length
    const fork = pushWays(steps)
    if (!write(part, steps)) return false
    pushWays(steps).ways = [again]
    fork.ways = [again + 1, steps.length]
    return true
  }
  const forks: { ways: readonly number[] }[] = []
  for (let times = min; times < max; times++) {
    const fork = pushWays(steps)
    fork.ways = [steps.length]
    forks.push(fork)
    if (!write(part, steps)) return false
    if (steps.length === (fork.ways[0] ?? 0)) break
  }
  for (const fork of forks) fork.ways = [...fork.ways, steps.length]
  return true
}

function pushWays(steps: Step[]): { ways: readonly number[] } {
  const step: Extract<Step, { kind: "ways" }> = { kind: "ways", ways: [] }
  steps.push(step)
  return step
}

/** A set of states that a text can lead to. */
interface States {
  /** Those that need a character. */
  readonly open: readonly number[]
  /** The patterns that match if the text ends here. */
  readonly found: readonly number[]
  /** Where each character leads that has been seen here. */
  readonly next: Map<number, States>
}

interface Automaton {
  /** The states at the beginning of a text. `spend` is told of what is looked at. */
  readonly begin: (after: number, spend: Spend) => States
  /** The states behind a character, with what comes after it; -1 at the end. */
  readonly follow: (states: States, codePoint: number, after: number, spend: Spend) => States
}

type Spend = (steps: number) => void

/** The most numbers that are kept of sets of states, some megabytes; beyond it all are forgotten. And the largest set that is kept. */
const MOST_KEPT = 500_000
const LARGEST_KEPT = 500

/** The largest number that the array of times holds. */
const LAST_TIME = 2 ** 31 - 1

function createAutomaton(steps: readonly Step[], starts: readonly number[]): Automaton {
  // What comes before and after a place decides where it leads: such states are not kept.
  const isKept = steps.every(({ kind }) => kind !== "place")
  const known = new Map<string, States>()
  let first: States | undefined
  let kept = 0
  // When each state was last reached: none is followed twice at one character.
  const reached = new Int32Array(steps.length)
  let time = 0

  /** The states reachable from these without a character, between these two. */
  function reach(from: readonly number[], before: number, after: number, spend: Spend): States {
    const open: number[] = []
    const found: number[] = []
    const waiting = [...from]
    let taken = 0
    if (time === LAST_TIME) {
      reached.fill(0)
      time = 0
    }
    time += 1
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      taken += 1
      const step = steps[index]
      if (step === undefined || reached[index] === time) continue
      reached[index] = time
      if (step.kind === "ways") waiting.push(...step.ways)
      else if (step.kind === "found") found.push(step.index)
      else if (step.kind === "one") open.push(index)
      else if (step.fits(before, after)) waiting.push(index + 1)
    }
    spend(taken)
    return { open, found, next: new Map() }
  }

  function follow(states: States, codePoint: number, after: number, spend: Spend): States {
    const seen = states.next.get(codePoint)
    if (seen !== undefined) return seen
    const from = states.open.filter((index) => {
      const step = steps[index]
      return step?.kind === "one" && step.of(codePoint)
    })
    spend(states.open.length)
    const made = reach(
      from.map((index) => index + 1),
      codePoint,
      after,
      spend,
    )
    return isKept && made.open.length <= LARGEST_KEPT ? keep(states, codePoint, made) : made
  }

  /** Notes where a character leads: to an equal set that is known already, or to this one. */
  function keep(states: States, codePoint: number, made: States): States {
    const name = `${made.open.join()} ${made.found.join()}`
    const next = known.get(name) ?? made
    if (next === made) {
      kept += made.open.length + made.found.length + 1
      known.set(name, made)
    }
    states.next.set(codePoint, next)
    if (++kept > MOST_KEPT) {
      for (const each of known.values()) each.next.clear()
      known.clear()
      first?.next.clear()
      kept = 0
    }
    return next
  }

  return {
    begin(after, spend) {
      const begun = isKept && first !== undefined ? first : reach(starts, -1, after, spend)
      first = begun
      return begun
    },
    follow,
  }
}
