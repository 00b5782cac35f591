import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with its totals on a line of their own, for whoever reads the output by machine. */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const count = (state: string) => states.filter((given) => given === state).length
    // A file that could not be loaded has no tests, but must not look as if nothing had happened.
    const broken = modules.filter((module) => module.errors().length > 0).length
    const skipped = count("skipped")
    console.log(`${count("passed")} passed, ${count("failed") + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`)
  }
}
