import fc from "fast-check"
import { expect, test } from "vitest"
import { jsonBytes } from "./json.ts"

const large = (text: string) => Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`member-${index}`, index % 2 ? index : text]))

test("is what JSON.stringify writes, for every value and with the same record in several places", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string({ unit: "binary" }), (value, text) => {
      const record = large(text)
      const holder = {
        "ä\u2028\ud800": text,
        record,
        left: undefined,
        other: value,
        none: null,
        deep: { record, list: [value, undefined] },
      }
      for (const each of [value, [value, value], [holder, holder, record], { data: [holder, { record }], ok: true, when: new Date(0) }])
        expect(jsonBytes(each).toString()).toBe(Buffer.from(JSON.stringify(each)).toString())
    }),
    { numRuns: 30 },
  )
})

test("grows for long answers, and gives bytes of their own", () => {
  const record = large("é".repeat(100_000))
  const list = [{ record }, { record }, { record }]
  expect(jsonBytes(list).toString()).toBe(JSON.stringify(list))
  const [one, two] = [large("one"), large("two")].map((each) => [{ each }, { each }])
  const first = jsonBytes(one)
  jsonBytes(two)
  expect(JSON.parse(first.toString())).toEqual(one)
})

test("is the same in every answer in which a record stands", () => {
  const record = large("é")
  for (const each of [record, record, [record], { data: [record, large("other")], holder: { record } }, record])
    expect(jsonBytes(each).toString()).toBe(JSON.stringify(each))
})
