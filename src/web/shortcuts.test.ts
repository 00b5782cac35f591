import { globSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { SHORTCUTS } from "./shortcuts.ts"

test("no page names a key that the help does not know", () => {
  const named = globSync("src/**/*.ts").filter((path) => {
    const isShared = path === "src/web/components.ts" || path === "src/web/browser/keys.ts" || path.endsWith(".test.ts")
    // The page of the API has a script of its own.
    return !isShared && !path.startsWith("src/servers/api/documents/") && /aria-keyshortcuts|data-key=/.test(readFileSync(path, "utf8"))
  })
  expect(named).toEqual([])
})

test("each key has one meaning on a page, and what it is like is a key", () => {
  for (const { title, keys } of SHORTCUTS) {
    const names: readonly string[] = keys.map((each) => each.keys)
    expect([title, new Set(names).size]).toEqual([title, names.length])
    for (const each of keys) if ("like" in each) expect(names).toContain(each.like)
  }
})
