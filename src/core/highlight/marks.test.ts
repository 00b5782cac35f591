import fc from "fast-check"
import { expect, test } from "vitest"
import { trusted } from "../html.ts"
import type { Range } from "../text/intraline.ts"
import { codeToHtml } from "./invisible.ts"
import { withMarks } from "./marks.ts"

test.each<[string, readonly Range[], string]>([
  ["plain", [[1, 3]], "p<mark>la</mark>in"],
  ["a&lt;b", [[1, 2]], "a<mark>&lt;</mark>b"],
  ['<span class="kw">let</span> a', [[2, 5]], '<span class="kw">le<mark>t</mark></span><mark> a</mark>'],
  ['a<span class="iv" title="U+202E">U+202E</span>b', [[1, 2]], 'a<mark><span class="iv" title="U+202E">U+202E</span></mark>b'],
  ['<span class="iv" title="U+E0041">U+E0041</span>b', [[2, 3]], '<span class="iv" title="U+E0041">U+E0041</span><mark>b</mark>'],
  [
    "abc",
    [
      [0, 1],
      [2, 3],
    ],
    "<mark>a</mark>b<mark>c</mark>",
  ],
])("%s with %j", (html, ranges, expected) => expect(String(withMarks(trusted(html), ranges))).toBe(expected))

test("marks hold the text of their ranges, and elements are within each other", () => {
  const word = fc.constantFrom("a", "<", "&", "\u202e", "\u{e0041}", "b c", '"', "é", "😀")
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.array(fc.nat(20), { maxLength: 6 }), (words, places) => {
      const text = words.join("")
      // Beyond five a line's characters are shown otherwise than a part of it shows them.
      fc.pre((text.match(/[\u202e\u{e0041}]/gu) ?? []).length <= 5)
      // Where words begin: a range never cuts one.
      const starts = words.map((_, at) => words.slice(0, at).join("").length).concat(text.length)
      const bounds = [...new Set(places.map((place) => starts[place % starts.length] ?? 0))].sort((a, b) => a - b)
      const ranges = bounds.flatMap((from, at): Range[] =>
        at % 2 === 0 && bounds[at + 1] !== undefined ? [[from, bounds[at + 1] ?? 0]] : [],
      )
      const html = String(withMarks(trusted(`<span class="st">${codeToHtml(text)}</span>`), ranges))
      expect([...html.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, marked]) => marked)).toEqual(
        ranges.map(([from, to]) => codeToHtml(text.slice(from, to))),
      )
      expect(html.replaceAll(/<\/?mark>/g, "")).toBe(`<span class="st">${codeToHtml(text)}</span>`)
    }),
  )
})
