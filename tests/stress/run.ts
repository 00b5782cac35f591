/** Runs tests repeatedly in random order, with pauses: `npm run test:stress -- --help`. */
import { existsSync } from "node:fs"
import { relative } from "node:path"
import { Command, InvalidArgumentError } from "commander"
import { createVitest, type TestModule, type TestSpecification } from "vitest/node"
import { inAnyOrder, stressed } from "./files.ts"
import { shuffled } from "./shuffled.ts"

interface Options {
  readonly rounds: number
  readonly seed: number
  readonly files: number
  readonly only: string | undefined
  readonly keepGoing: boolean
}

const wholeNumber = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("Give a whole number.")
  return value
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

const { rounds, seed, files, only, keepGoing } = new Command("npm run test:stress --")
  .description(
    "Plays the tests of tests/stress/files.ts in random order, with random pauses at the points of src/seams/pause.ts. Round n has the seed plus n: " +
      "it says which files are played, in which order, and how long each pause is. A round that fails is the last.",
  )
  .option("--rounds <count>", "how many rounds to play", wholeNumber, 20)
  .option("--seed <number>", "the seed of the first round (default: the time)", wholeNumber, Date.now() % 1_000_000)
  .option("--files <count>", "how many files to play in a round", wholeNumber, 4)
  .option("--only <text>", "play only files whose path contains this")
  .option("--keep-going", "play the other rounds too when one failed", false)
  .parse()
  .opts<Options>()

const chosen = stressed.filter((path) => existsSync(path) && (only === undefined || path.includes(only)))
if (chosen.length === 0) {
  console.error(`No file of tests/stress/files.ts contains ${only}.`)
  process.exit(2)
}

// Read by vitest.config.ts, which adds the set-up to each project; and anew for each round by the workers, which are forked from this process.
process.env["HEARTH_TEST_STRESS_SEED"] = String(seed)
const vitest = await createVitest("test", {
  watch: false,
  reporters: [{}],
  sequence: { shuffle: { files: true, tests: true } },
  // Pauses must not make long tests exceed their timeout.
  testTimeout: 300_000,
  hookTimeout: 300_000,
})
const specifications = new Map<string, TestSpecification>()
for (const specification of await vitest.globTestSpecifications([...chosen]))
  specifications.set(relative(process.cwd(), specification.moduleId), specification)

const plays = new Map<string, number>()
let passed = 0
let failures = 0
const begin = performance.now()
for (let round = 0; round < rounds && (failures === 0 || keepGoing); round++) if (!(await play(round, seed + round))) failures++
const played = [...plays].map(([path, count]) => `${count} × ${path}`).sort()
console.log(`\n${played.join("\n")}\n${passed} tests passed, ${failures} rounds failed, ${seconds(begin)}`)
await vitest.close()
process.exitCode = failures === 0 ? 0 : 1

/** Runs one round; false if something in it failed. */
async function play(round: number, roundSeed: number): Promise<boolean> {
  const drawn = shuffled(chosen, roundSeed).slice(0, files)
  process.env["HEARTH_TEST_STRESS_SEED"] = String(roundSeed)
  vitest.config.sequence.seed = roundSeed
  const started = performance.now()
  const modules: TestModule[] = []
  const faults: string[] = []
  for (const shuffle of [true, false]) {
    const specified = drawn.flatMap((path) => (inAnyOrder.includes(path) === shuffle ? (specifications.get(path) ?? []) : []))
    if (specified.length === 0) continue
    vitest.config.sequence.shuffle = shuffle
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specified)
    const ids = specified.map(({ moduleId }) => moduleId)
    modules.push(...testModules.filter(({ moduleId }) => ids.includes(moduleId)))
    faults.push(...unhandledErrors.map(wordsOf))
  }
  faults.push(...modules.flatMap(faultsOf))
  const good = modules.flatMap((module) => [...module.children.allTests("passed")]).length
  for (const path of drawn) plays.set(path, (plays.get(path) ?? 0) + 1)
  passed += good
  console.log(
    `round ${round + 1} of ${rounds}, seed ${roundSeed}: ${good} passed, ${faults.length} failed, ${seconds(started)}  ${drawn.join(" ")}`,
  )
  if (faults.length === 0) return true
  console.error(
    `\n${faults.join("\n\n")}\n\nThe same round again: npm run test:stress -- --rounds 1 --seed ${roundSeed} --files ${files}${only ? ` --only ${only}` : ""}`,
  )
  for (const module of modules.filter((one) => !one.ok()))
    console.error(
      `This file alone: npm run test:stress -- --rounds 1 --seed ${roundSeed} --only ${relative(process.cwd(), module.moduleId)}`,
    )
  return false
}

/** What failed in a file, with its errors. */
function faultsOf(module: TestModule): readonly string[] {
  const suites = [module, ...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => `${relative(process.cwd(), module.moduleId)}\n${wordsOf(error)}`),
  )
  const tests = [...module.children.allTests("failed")].map((test) =>
    [`${relative(process.cwd(), module.moduleId)} > ${test.fullName}`, ...(test.result().errors ?? []).map(wordsOf)].join("\n"),
  )
  return [...suites, ...tests]
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Object)) return String(error)
  const { message, stack, diff }: { readonly message?: unknown; readonly stack?: unknown; readonly diff?: unknown } = error
  return [stack ?? message, diff].filter((words) => words !== undefined).join("\n")
}
