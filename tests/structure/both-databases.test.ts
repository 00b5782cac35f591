import { expect, test } from "vitest"
import { unreasoned } from "./both-databases-check.ts"

const both = `import { ${"database"}Kinds } from "../support/database.ts"`

test("the check of tests on both databases asks for a reason, and for its end", () => {
  const files = new Map([
    ["tests/a.test.ts", both],
    ["tests/b.test.ts", both],
    ["tests/c.test.ts", "withHearth"],
  ])
  expect(unreasoned(files, { locks: ["tests/a.test.ts", "tests/b.test.ts"] })).toEqual([])
  expect(unreasoned(files, { locks: ["tests/a.test.ts", "tests/c.test.ts"] })).toEqual([
    expect.stringMatching(/^tests\/b.test.ts runs on both databases: leave it on SQLite, or name it/),
    expect.stringMatching(/names tests\/c.test.ts, which does not run on both/),
  ])
})
