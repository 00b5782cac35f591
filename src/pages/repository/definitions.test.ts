import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../tests/support/hearth.ts"

withHearth("definitions", { people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  test("of a name are the lines that define it, for who may read them", async () => {
    expect((await call(ann, "POST /user/repos", { name: "mill", private: true, auto_init: true })).status).toBe(201)
    const write = async (file: string, text: string) =>
      expect((await call(ann, `POST /repos/ann/mill/contents/${file}`, { content: btoa(text) })).status).toBe(201)
    await write(
      "grind.js",
      'import { wheel } from "./wheel.js"\n\nexport async function grind(corn) {\n  return wheel(corn)\n}\ngrind(1)\n',
    )
    await write("grind.go", "package mill\n\nfunc (m *Mill) grind(corn int) int {\n\treturn corn\n}\n")
    await write("grind.c", "static int grind(int corn)\n{\n\treturn grind(corn);\n}\nint grinder(void)\n{\n}\n")
    await write("grind.txt", "grind, and grind again\n")
    await forge.settle()
    const of = async (name: string, q: string) => {
      const browser = openBrowser(forge.hearth.url)
      await browser.signIn(name, PASSWORD)
      const { status, text } = await browser.get(`/ann/mill/search?${new URLSearchParams({ q, search_mode: "words" })}`)
      const list = /id="definitions"[\s\S]*?<\/ul>/.exec(text)?.[0] ?? ""
      return [status, ...Array.from(list.matchAll(/\/([\w.]+#L\d+)"/g), ([, line = ""]) => line).sort()]
    }
    expect(await of("ann", "grind")).toEqual([200, "grind.c#L1", "grind.go#L3", "grind.js#L3"])
    expect(await of("ann", "grinder")).toEqual([200, "grind.c#L5"])
    // What is no name of code, and names that would be costly as an expression.
    for (const q of ["grind corn", "(grind|", "$$", "a".repeat(100), "toString", ".*"]) expect(await of("ann", q)).toEqual([200])
    expect(await of("ben", "grind")).toEqual([404])
  })
})
