import { describe, expect, it } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { ownersOf, readOwners } from "./owners.ts"

const owners = (text: string, ...paths: string[]) => ownersOf(readOwners(text), paths)

describe("owners of files", () => {
  it("are the people and teams whose expression stands for a whole path", async () => {
    const rules = ".*\\.go @Ann @ben\ndocs/.* @acme/Writers"
    expect(await owners(rules, "cmd/main.go")).toEqual({ people: ["ann", "ben"], teams: [] })
    expect(await owners(rules, "docs/how.md", "main.gone")).toEqual({ people: [], teams: [{ organization: "acme", team: "writers" }] })
    expect(await owners(rules, "src/docs/how.md")).toEqual({ people: [], teams: [] })
  })

  it("are named once each, whatever the number of files and rules", async () => {
    expect((await owners("a @ann\nb @ben @ann\n. @ann", "a", "b")).people).toEqual(["ann", "ben"])
  })

  it("own all other files where the expression is negated", async () => {
    const rules = "!assets/.* @ann"
    expect((await owners(rules, "assets/a.png")).people).toEqual([])
    expect((await owners(rules, "assets/a.png", "b")).people).toEqual(["ann"])
  })

  it("are read past remarks, escapes, doubled backslashes and a slash in front", async () => {
    const rules = "# all of it\n\n/a\\ b @ann # who else\nc\\#.* @ben\nd\\\\.x @cal\r\n"
    expect((await owners(rules, "a b")).people).toEqual(["ann"])
    expect((await owners(rules, "c#1")).people).toEqual(["ben"])
    expect((await owners(rules, "d.x")).people).toEqual(["cal"])
    expect((await owners(rules, "dyx")).people).toEqual([])
  })

  it.each(["*.js @ann", "a", "a ann", "@ann", "a @acme/", "(a @ann", `${"a".repeat(1_001)} @ann`])("pass over the line %s", (line) => {
    expect(readOwners(`${line}\nb @ben`)).toHaveLength(1)
  })

  it("ignore case where the expression says so", async () => {
    expect((await owners("(?i)readme\\.md @ann", "README.md")).people).toEqual(["ann"])
  })

  it("don't own paths of an unreasonable length", async () => {
    expect((await owners(".* @ann", "x".repeat(2_000))).people).toEqual([])
  })

  it("are found in bounded time, and others go on meanwhile", async () => {
    const rules = readOwners(Array.from({ length: 300 }, (_, index) => `(x*)*(x*)*(x*)*y${index} @p${index}`).join("\n"))
    const paths = Array.from({ length: 1_000 }, (_, index) => `${"x".repeat(900)}${index}`)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const effort = await effortOf(async () => expect((await ownersOf(rules, paths, 200)).people).toEqual([]))
    clearInterval(timer)
    expect(effort).toBeLessThan(2)
    expect(turns).toBeGreaterThan(0)
  })
})
