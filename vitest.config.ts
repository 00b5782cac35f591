import { configDefaults, defineConfig } from "vitest/config"
import { folderForTests } from "./tests/support/folder.ts"
import LongestFirst from "./tests/support/order.ts"

// These need programs that not every machine has. Where the variable is set (see .ci/run) they must be there.
const withPrograms = ["tests/clients/git-lfs.test.ts", "tests/clients/webhook.test.ts"]
const hasPrograms = process.env["HEARTH_TEST_PROGRAMS"] !== undefined

/** What kills servers, makes every statement fail, floods and waits: minutes, for `npm run test:faults`. */
const faults = ["tests/faults/**/*.test.ts", "src/**/crash.test.ts", "src/**/attacks.test.ts"]

/** What looks at everything that a process has loaded, remembers or holds open: each file in a process of its own. */
const alone = ["tests/golden/**/*.test.ts", "tests/queries/**/*.test.ts", "tests/library/**/*.test.ts"]

const common = {
  env: { TMPDIR: folderForTests() },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // node:sqlite is still marked as experimental in Node 24, and says so at every start.
  execArgv: ["--disable-warning=ExperimentalWarning"],
}

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/totals.ts"],
    globalSetup: ["tests/support/postgres.ts", "tests/support/sqlite.ts"],
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: "tests",
          include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...faults, ...alone, ...(hasPrograms ? [] : withPrograms)],
          // One process runs many files: what they import is loaded once.
          isolate: false,
        },
      },
      { test: { ...common, name: "alone", include: alone } },
      { test: { ...common, name: "faults", include: faults } },
    ],
  },
})
