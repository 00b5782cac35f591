import { appendFileSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"

const SLOWEST = 10

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
    // `.ci/run` adds up the totals of several runs.
    const ledger = process.env["HEARTH_TEST_TOTALS"]
    if (ledger) appendFileSync(ledger, `${totals.passed} ${totals.failed} ${totals.skipped}\n`)
  }
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
