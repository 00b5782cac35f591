/** In which order the files are run. */
import { randomInt } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const ROOT = join(import.meta.dirname, "../..")
const FILE = join(import.meta.dirname, "../durations.json")

/** Files that take less come in any order; without them few runs change anything. */
const LEAST_SECONDS = 2

/** Seconds by the path of a file. */
export type Durations = Readonly<Record<string, number>>

/**
 * Projects in the order in which they are run. What takes longest comes first, for at the end of a run with nothing but long files one process has nothing
 * left to do. Files of one project follow each other: a process that runs many files does so only until one of another project is next.
 */
const PROJECTS = ["faults", "alone", "runner", "browser", "tests"]

/** The number that HEARTH_TEST_SHUFFLE says; "random" draws one for this run. Undefined where nothing is to be shuffled. */
export function shuffleSeed(): number | undefined {
  const said = process.env["HEARTH_TEST_SHUFFLE"] ?? ""
  if (said === "") return undefined
  if (said === "random") {
    const drawn = randomInt(1_000_000)
    // Vitest loads the configuration and the reporter apart from each other: both must know the same number.
    process.env["HEARTH_TEST_SHUFFLE"] = String(drawn)
    return drawn
  }
  if (!/^\d{1,9}$/.test(said)) throw new TypeError(`HEARTH_TEST_SHUFFLE must be a number of up to nine digits, or "random", and is ${said}`)
  return Number(said)
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [known, seed] = [readDurations(), shuffleSeed()]
    const placed = seed === undefined ? longestFirst(files, known) : shuffled(files.toSorted(byPath), seed)
    const rank = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name)
    return placed.toSorted((a, b) => rank(a) - rank(b))
  }
}

const pathOf = (file: TestSpecification): string => relative(ROOT, file.moduleId)

const byPath = (a: TestSpecification, b: TestSpecification): number => (pathOf(a) < pathOf(b) ? -1 : 1)

function longestFirst(files: readonly TestSpecification[], known: Durations): TestSpecification[] {
  const seconds = (file: TestSpecification) => known[pathOf(file)] ?? 0
  return files.toSorted((a, b) => seconds(b) - seconds(a) || byPath(a, b))
}

/** The same order for the same seed: to find tests that lean on what ran before them. */
function shuffled(files: readonly TestSpecification[], from: number): TestSpecification[] {
  let state = from
  // A linear congruential generator, with the constants of Numerical Recipes.
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  return files
    .map((file) => ({ file, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ file }) => file)
}

function readDurations(): Durations {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {}
}

/** Keeps what files took in place of what they took before, and forgets files that are gone. */
export function keepDurations(measured: Durations): void {
  const all = { ...readDurations(), ...measured }
  const lasting = Object.entries(all)
    .filter(([path, seconds]) => seconds >= LEAST_SECONDS && existsSync(join(ROOT, path)))
    .map(([path, seconds]) => [path, Math.round(seconds)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(lasting), null, 2)}\n`)
}
