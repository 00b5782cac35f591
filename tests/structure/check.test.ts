import { describe, expect, it } from "vitest"

import { eventRefusals, type Import, importsOf, refusals } from "./check.ts"
import { lengthRefusals } from "./lengths.ts"

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
  it("keeps events of features out of the core", () => {
    const event = ["features/code/pins/events.ts", 'type PinEvent = Undated<"pin.moved"> & OfRepository'] as const
    expect(eventRefusals([event, ["core/events/log.ts", "kind: string"]])).toEqual([])
    expect(eventRefusals([event, ["core/events/log.ts", 'kind === "pin.moved"']])).toEqual([
      'core/events/log.ts names "pin.moved": core knows no feature.',
    ])
  })
  it("keeps lines, functions and files of pages short", () => {
    const of = (file: string, text: string) => lengthRefusals([[file, text]], {})
    const words = "x".repeat(150)
    expect(of("pages/search/page.ts", `const one = 1\nconst ${words} = 2`)).toEqual([
      expect.stringContaining("pages/search/page.ts:2 has more than 140 characters"),
    ])
    for (const line of [`"${words}",`, `hint: "${words}",`, `/^${words}$/i,`, `// ${words}`, ` * ${words}`])
      expect(of("web/form.ts", line)).toEqual([])
    expect(of("core/errors.ts", words)).toEqual([])
    const lines = (many: number) => "one()\n".repeat(many)
    expect(of("web/form.ts", `export function two() {\n${lines(58)}}\n`)).toEqual([])
    expect(of("web/form.ts", `one()\nexport const two = page({ answer: () => {\n${lines(59)}} })\n`)).toEqual([
      expect.stringContaining("web/form.ts:2 begins a function of 61 lines"),
    ])
    expect(of("web/form.ts", lines(400))).toEqual([])
    expect(of("web/form.ts", lines(401))).toEqual([expect.stringContaining("web/form.ts has 401 lines")])
    const isListed = { "web/form.ts": "a reason" }
    expect(lengthRefusals([["web/form.ts", lines(401)]], isListed)).toEqual([])
    expect(lengthRefusals([["web/form.ts", lines(1)]], isListed)).toEqual([expect.stringContaining("is short enough by now")])
    expect(lengthRefusals([], isListed)).toEqual(["web/form.ts is gone: take it off LONG in tests/structure/lengths.ts."])
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
