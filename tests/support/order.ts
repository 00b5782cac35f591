import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Small files whose tests take longest: begun last, they would run while the other process has nothing left to do. */
const LONGEST = ["tests/traces/", "tests/examples/", "tests/queries/", "tests/faults/statements", "tests/faults/input"]

/** Vitest's own order, which goes by size where no earlier run is known, but for what is known to be long. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seed = process.env["HEARTH_TEST_SHUFFLE"]
    if (seed !== undefined) return shuffled(files, Number(seed))
    const rank = ({ moduleId }: TestSpecification): number => (LONGEST.some((path) => moduleId.includes(path)) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** The same order for the same seed: to find tests that lean on what ran before them. */
function shuffled(files: readonly TestSpecification[], seed: number): TestSpecification[] {
  let state = seed
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
