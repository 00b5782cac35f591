import fc from "fast-check"
import { expect, test } from "vitest"
import { jsonBytes } from "./json.ts"

test("is what JSON.stringify writes, for every value and with the same object in several places", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.jsonValue({ maxDepth: 3 }), (value, shared) => {
      const person = { login: "ä\u2028\ud800", shared, left: undefined }
      for (const each of [
        value,
        [value, value],
        { a: person, b: [person, value, { person }], when: new Date(0), list: [undefined, () => 1] },
      ])
        expect(jsonBytes(each).toString()).toBe(Buffer.from(JSON.stringify(each)).toString())
    }),
  )
})

test("grows for long answers, and gives bytes of their own", () => {
  const long = "é".repeat(3_000_000)
  const first = jsonBytes(["first"])
  expect(jsonBytes([long, long, long]).length).toBe(3 * (6_000_000 + 2) + 4)
  expect([first.toString(), jsonBytes(["second"]).toString(), first.toString()]).toEqual(['["first"]', '["second"]', '["first"]'])
})
