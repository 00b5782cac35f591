import { appendFileSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"

const SLOWEST = 10

/** Characters of the reason of one failure. */
const REASON = 600

/** Ends a run with the files that took longest, and its totals on one line, to be parsed by scripts. */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const count = (state: string) => states.filter((given) => given === state).length
    // A file that could not be loaded has no tests, but counts as a failure; so do errors outside of tests.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length
    const totals = { passed: count("passed"), failed: count("failed") + broken, skipped: count("skipped") }
    for (const { seconds, file } of slowest(modules)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
    console.log(`${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ""}`)
    // `.ci/run` adds up the totals of several runs, and ends with the names of what failed in them.
    const ledger = process.env["HEARTH_TEST_TOTALS"]
    if (ledger) {
      appendFileSync(ledger, `${totals.passed} ${totals.failed} ${totals.skipped}\n`)
      for (const failure of failures(modules, unhandled)) appendFileSync(ledger, `! ${failure}\n`)
    }
  }
}

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

function slowest(modules: readonly TestModule[]): readonly { readonly file: string; readonly seconds: number }[] {
  return modules
    .map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return { file: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 }
    })
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
}
