import { configDefaults, defineConfig } from "vitest/config"

// These need programs that not every machine has. Where the variable is set (see .ci/run) they must be there.
const withPrograms = ["tests/clients/git-lfs.test.ts", "tests/clients/webhook.test.ts"]
const hasPrograms = process.env["HEARTH_TEST_PROGRAMS"] !== undefined

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/totals.ts"],
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(hasPrograms ? [] : withPrograms)],
    globalSetup: ["tests/support/postgres.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // node:sqlite is still marked as experimental in Node 24, and says so at every start.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  },
})
