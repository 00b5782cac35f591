import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Small files whose tests take longest: begun last, they would run while the other process has nothing left to do. */
const LONGEST = ["tests/traces/", "tests/examples/", "tests/queries/", "tests/faults/statements", "tests/faults/input"]

/** Vitest's own order, which goes by size where no earlier run is known, but for what is known to be long. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (LONGEST.some((path) => moduleId.includes(path)) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
