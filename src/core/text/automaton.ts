/**
 * Matching in linear time by simulating a nondeterministic automaton. JavaScript's own regular expressions backtrack, so that a user's pattern could
 * block the whole service.
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
  | { readonly kind: "found" }

/** The most states of a pattern; repetitions are expanded, so that a short pattern could need millions. */
const MOST_STEPS = 4000

/** A matcher for the whole text, from its beginning to its end. Undefined for a pattern that is too large. */
export function wholeMatcher(pattern: Pattern): Matcher | undefined {
  const steps: Step[] = []
  if (!write(pattern, steps)) return undefined
  steps.push({ kind: "found" })
  return (text) => run(steps, text)
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

function run(steps: readonly Step[], text: string): boolean {
  const characters = Array.from(text, (one) => one.codePointAt(0) ?? -1)
  // The position at which each state was last reached: none is followed twice from one position.
  const reached = new Int32Array(steps.length).fill(-1)
  let current = reach(steps, [0], reached, characters, 0)
  for (const [at, codePoint] of characters.entries()) {
    if (current.length === 0) return false
    const next: number[] = []
    for (const index of current) {
      const step = steps[index]
      if (step?.kind === "one" && step.of(codePoint)) next.push(index + 1)
    }
    current = reach(steps, next, reached, characters, at + 1)
  }
  return current.some((index) => steps[index]?.kind === "found")
}

/** The states that need a character, or accept, reachable from these. */
function reach(
  steps: readonly Step[],
  from: readonly number[],
  reached: Int32Array,
  characters: readonly number[],
  at: number,
): readonly number[] {
  const waiting: number[] = []
  const open = [...from]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (reached[index] === at) continue
    reached[index] = at
    const step = steps[index]
    if (step === undefined) continue
    if (step.kind === "ways") open.push(...step.ways)
    else if (step.kind === "place") {
      if (step.fits(characters[at - 1] ?? -1, characters[at] ?? -1)) open.push(index + 1)
    } else waiting.push(index)
  }
  return waiting
}
