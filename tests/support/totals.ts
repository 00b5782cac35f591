import { appendFileSync, readFileSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"
import { keepDurations, shuffleSeed } from "./order.ts"
import { secondsOfAll } from "./processor.ts"
import { slowWithoutReason } from "./slow.ts"

const SLOWEST = 10

/** Characters of the reason of one failure. */
const REASON = 600

/** The projects that are run all day. */
const DAILY = ["tests", "alone"]

interface Taken {
  readonly file: string
  /** As it went by, which depends on what else the machine does. */
  readonly seconds: number
}

/** Ends a run with the files that took longest, and its totals on one line, to be parsed by scripts. */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const count = (state: string) => states.filter((given) => given === state).length
    // A file that could not be loaded has no tests, but counts as a failure; so do errors outside of tests.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length
    const unreasoned = modules.flatMap(unreasonedOf)
    if (unreasoned.length > 0) process.exitCode = 1
    const totals = { passed: count("passed"), failed: count("failed") + broken + unreasoned.length, skipped: count("skipped") }

    const taken = modules.map(takenBy)
    if (process.env["HEARTH_TEST_KEEP_DURATIONS"]) keepDurations(Object.fromEntries(taken.map(({ file, seconds }) => [file, seconds])))
    for (const { seconds, file } of slowestOf(taken)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
    for (const sentence of unreasoned) console.log(sentence)
    const seed = shuffleSeed()
    if (seed !== undefined) console.log(`Shuffled by ${seed}. The same order again: ${commandFor(seed)}`)
    const minutes = secondsOfAll()
    if (minutes !== undefined) console.log(`${(minutes / 60).toFixed(1)} processor minutes`)
    console.log(`${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ""}`)
    // `.ci/run` ends with the names of what failed, and the totals.
    const ledger = process.env["HEARTH_TEST_TOTALS"]
    if (ledger) {
      appendFileSync(ledger, `${totals.passed} ${totals.failed} ${totals.skipped}\n`)
      for (const failure of [...failures(modules, unhandled), ...unreasoned]) appendFileSync(ledger, `! ${failure}\n`)
    }
  }
}

function takenBy(module: TestModule): Taken {
  const { collectDuration, duration } = module.diagnostic()
  return { file: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 }
}

const slowestOf = (taken: readonly Taken[]): readonly Taken[] => taken.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)

/** Daily files that are slow, and do not say why. */
function unreasonedOf(module: TestModule): readonly string[] {
  if (!DAILY.includes(module.project.name)) return []
  const { processorSeconds = 0 } = module.meta()
  const { relativeModuleId: file, moduleId } = module
  return [slowWithoutReason({ file, seconds: processorSeconds, source: readFileSync(moduleId, "utf8") })].filter(
    (each) => each !== undefined,
  )
}

const commandFor = (drawn: number): string => `HEARTH_TEST_SHUFFLE=${drawn} npx vitest ${process.argv.slice(2).join(" ")}`

/** What failed and why, each on lines of its own; the lines of the reason are bounded, as the end of a log may be all that is kept of it. */
function failures(modules: readonly TestModule[], unhandled: readonly unknown[]): readonly string[] {
  const because = (errors: readonly unknown[]) =>
    errors
      .map((error) => (typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)))
      .join("\n")
      .slice(0, REASON)
      .replaceAll("\n", "\n!   ")
  const tests = modules.flatMap((module) =>
    [...module.children.allTests("failed")].map(
      (test) => `${module.relativeModuleId} > ${test.fullName}: ${because(test.result().errors ?? [])}`,
    ),
  )
  const files = modules
    .filter((module) => module.errors().length > 0)
    .map((module) => `${module.relativeModuleId}: ${because(module.errors())}`)
  return [...tests, ...files, ...unhandled.map((error) => `outside of tests: ${because([error])}`)]
}
