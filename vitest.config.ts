import { configDefaults, defineConfig } from "vitest/config"
import { folderForTests } from "./tests/support/folder.ts"
import LongestFirst from "./tests/support/order.ts"

// These need programs that not every machine has. Where the variable is set (see .ci/run) they must be there.
const withPrograms = [
  "tests/clients/git-lfs.test.ts",
  "tests/store/git-lfs.test.ts",
  "tests/clients/gpg.test.ts",
  "tests/clients/slapd.test.ts",
  "tests/clients/webhook.test.ts",
]
const hasPrograms = process.env["HEARTH_TEST_PROGRAMS"] !== undefined

/** What kills servers, makes every statement fail, floods and waits, or starts a slow program: minutes, for `npm run test:faults`. */
const faults = ["tests/faults/**/*.test.ts", "src/**/crash.test.ts", "src/**/attacks.test.ts", "tests/clients/npm.test.ts"]

/** What looks at everything that a process has loaded, remembers or holds open: each file in a process of its own. */
const alone = ["tests/golden/**/*.test.ts", "tests/queries/**/*.test.ts", "tests/library/**/*.test.ts"]

/** What needs the real runner, which is built with Go: for `npm run test:runner`. */
const runner = ["tests/runner/**/*.test.ts"]

/** What needs an object store, which is built with Go too: for `npm run test:store`. */
const store = ["tests/store/**/*.test.ts"]

/** What needs a browser, which an npm package ships: for `npm run test:browser`. */
const browser = ["tests/browser/**/*.test.ts"]

/** Set by `npm run test:stress`. */
const isStress = process.env["HEARTH_TEST_STRESS_SEED"] !== undefined

/**
 * A process of many files would grow to more than a gigabyte, of which a tenth is in use, and the kernel copies its page tables for each git process that
 * it begins. Node.js lets its heap grow the less, the less it may have; and glibc gives back what is free, as in `bin/hearth`.
 */
const smallMemory = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576" }

const common = {
  env: { TMPDIR: folderForTests(), ...smallMemory },
  // For what hangs: tests end and states come as late as it takes on a busy machine, and few tests need limits of their own.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ["tests/support/modules.ts", "tests/support/effort-of-file.ts", ...(isStress ? ["tests/stress/setup.ts"] : [])],
  // Node runs TypeScript as it is: to transform all sources for each project takes longer than many tests, and tests run what users do.
  experimental: { viteModuleRunner: false },
  // node:sqlite is still marked as experimental in Node 24, and says so at every start.
  execArgv: ["--disable-warning=ExperimentalWarning", "--max-old-space-size=1536"],
}

/** Daily tests: what they do, and the forges in their process, holds nobody up for long. */
const daily = { ...common, setupFiles: [...common.setupFiles, "tests/support/ticks-of-tests.ts"] }

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/totals.ts"],
    globalSetup: ["tests/support/postgres.ts", "tests/support/sqlite.ts", "tests/support/git-clients.ts"],
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...daily,
          name: "tests",
          include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...faults, ...alone, ...runner, ...store, ...browser, ...(hasPrograms ? [] : withPrograms)],
          // One process runs many files: what they import is loaded once.
          isolate: false,
        },
      },
      { test: { ...daily, name: "alone", include: alone } },
      { test: { ...common, name: "faults", include: faults } },
      // One process runs many files here too: they share a browser.
      { test: { ...common, name: "browser", include: browser, isolate: false } },
      {
        test: {
          ...common,
          name: "runner",
          include: runner,
          globalSetup: "tests/runner/support/build.ts",
        },
      },
      {
        test: {
          ...common,
          name: "store",
          include: store,
          exclude: [...configDefaults.exclude, ...(hasPrograms ? [] : withPrograms)],
          isolate: false,
          globalSetup: "tests/store/support/build.ts",
        },
      },
    ],
  },
})
