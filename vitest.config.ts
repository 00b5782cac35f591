import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/totals.ts"],
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/support/postgres.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // node:sqlite is still marked as experimental in Node 24, and says so at every start.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  },
})
