import { describe, expect, it } from "vitest"
import { eventRefusals, type Import, importsOf, lengthRefusal, queryRefusal, refusals, writeRefusals } from "./check.ts"
import { OTHER_WRITERS } from "./tables.ts"

const byValue = (from: string, to: string): Import => ({ from, to, isType: false })
const byType = (from: string, to: string): Import => ({ from, to, isType: true })

describe("the check of imports", () => {
  it("lets downward imports pass", () => {
    expect(refusals([byValue("features/planning/issues/rules.ts", "features/code/repositories/store.ts")])).toEqual([])
    expect(refusals([byValue("app.ts", "features/code/repositories/store.ts"), byValue("access/policy.ts", "core/errors.ts")])).toEqual([])
  })
  it.each([
    [byValue("features/code/pushes/push.ts", "features/planning/issues/rules.ts"), "features/code knows nothing of features/planning"],
    [byType("features/people/users/rules.ts", "features/events/feed/rules.ts"), "features/people knows nothing of features/events"],
    [byValue("core/jobs/jobs.ts", "features/people/users/rules.ts"), "core knows nothing of features"],
    [byValue("features/people/users/rules.ts", "operations.ts"), "features knows nothing of root"],
  ])("refuses %o with a sentence that says what to do instead", (each, words) => {
    const [sentence] = refusals([each])
    expect(sentence).toContain(words)
    expect(sentence).toContain("Publish an event and listen to it")
  })
  it("keeps HTML out of features", () => {
    for (const to of ["core/html.ts", "core/page.ts", "core/forms/form.ts"])
      expect(refusals([byType("features/code/pushes/push.ts", to)])).toEqual([expect.stringContaining("features know nothing of HTML")])
    expect(refusals([byValue("pages/search/page.ts", "core/html.ts")])).toEqual([])
    expect(refusals([byValue("features/code/pushes/push.ts", "pages/search/page.ts")])).toHaveLength(1)
  })
  it("finds circles of files, also by type", () => {
    const [sentence] = refusals([byType("core/a.ts", "core/b.ts"), byType("core/b.ts", "core/a.ts")])
    expect(sentence).toContain("these files import each other in a circle")
  })
  it("finds circles of folders by value, and none by type", () => {
    const there = byValue("features/code/one/a.ts", "features/code/two/b.ts")
    expect(refusals([there, byValue("features/code/two/c.ts", "features/code/one/d.ts")])).toHaveLength(1)
    expect(refusals([there, byType("features/code/two/c.ts", "features/code/one/d.ts")])).toEqual([])
  })
  it("keeps queries in stores", () => {
    for (const file of [
      "pages/search/page.ts",
      "servers/web/raw.ts",
      "features/code/stars/operations.ts",
      "features/code/lifecycle/edit-operations.ts",
    ])
      for (const query of ['db.selectFrom("users")', "sql<number>`1`"])
        expect(queryRefusal(file, `first\n${query}`)).toBe(
          `${file}:2 has a query of its own: it belongs into the store.ts of the feature whose table it is.`,
        )
    expect(queryRefusal("features/code/stars/store.ts", 'db.selectFrom("stars")')).toBeUndefined()
    expect(queryRefusal("pages/search/page.ts", "findStars(db)")).toBeUndefined()
  })
  it("keeps events of features out of the core", () => {
    const event = ["features/code/pins/events.ts", 'type PinEvent = Undated<"pin.moved"> & OfRepository'] as const
    expect(eventRefusals([event, ["core/events/log.ts", "kind: string"]])).toEqual([])
    expect(eventRefusals([event, ["core/events/log.ts", 'kind === "pin.moved"']])).toEqual([
      'core/events/log.ts names "pin.moved": core knows no feature.',
    ])
  })
  it("lets only the owner of a table write it, and others as they are listed", () => {
    const all = Object.entries(OTHER_WRITERS).flatMap(([table, folders]) =>
      folders.map((folder) => [`${folder}/old.ts`, `db.updateTable("${table}")`] as const),
    )
    const more = (file: string, text: string) => writeRefusals([...all, [file, text]])
    expect(more("features/code/stars/store.ts", 'db.insertInto("stars")')).toEqual([])
    expect(more("features/code/stars/below/store.ts", 'db\n .insertInto("stars")')).toEqual([])
    expect(more("features/planning/labels/rules.ts", 'db.deleteFrom("stars")')).toEqual([
      expect.stringContaining("which is features/code/stars's"),
    ])
    expect(more("features/planning/labels/rules.ts", 'db.deleteFrom("pins")')).toEqual([expect.stringContaining("has no owner")])
    expect(more("features/planning/labels/rules.ts", 'db.selectFrom("stars")')).toEqual([])
    expect(writeRefusals(all.slice(1))).toEqual([expect.stringContaining("nothing is written there any more")])
  })
  it("keeps lines of pages short", () => {
    const words = "x".repeat(150)
    expect(lengthRefusal("pages/search/page.ts", `one\n<p>${words}</p>`)).toContain("pages/search/page.ts:2 has more than 140 characters")
    for (const line of [`"${words}",`, `hint: "${words}",`, `/^${words}$/i,`, `// ${words}`, ` * ${words}`])
      expect(lengthRefusal("web/form.ts", line)).toBeUndefined()
    expect(lengthRefusal("core/errors.ts", words)).toBeUndefined()
  })
  it("reads imports of every form", () => {
    const text = [
      'import type { A } from "./a.ts"',
      'import { type B, type C } from "../b.ts"',
      'import { type D, e } from "./d.ts"',
      'export { f } from "./f.ts"',
      'const g = await import("./g.ts")',
    ].join("\n")
    expect(importsOf("core/text/x.ts", text)).toEqual([
      byType("core/text/x.ts", "core/text/a.ts"),
      byType("core/text/x.ts", "core/b.ts"),
      byValue("core/text/x.ts", "core/text/d.ts"),
      byValue("core/text/x.ts", "core/text/f.ts"),
      byValue("core/text/x.ts", "core/text/g.ts"),
    ])
  })
})
