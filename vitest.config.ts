import { configDefaults, defineConfig } from "vitest/config"

// Needs a program that not every machine has. Where the variable is set (see .ci/run) it must be there.
const gitLfs = process.env["HEARTH_TEST_GIT_LFS"] === undefined ? ["tests/clients/git-lfs.test.ts"] : []

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/totals.ts"],
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...gitLfs],
    globalSetup: ["tests/support/postgres.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // node:sqlite is still marked as experimental in Node 24, and says so at every start.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  },
})
