import { expect, test } from "vitest"
import { distinctAnchors, withDistinctAnchors } from "./anchors.ts"

test("equal anchors are numbered, and never with a number that another one has", () => {
  const distinct = distinctAnchors()
  expect(["use", "use-1", "use", "use", "other"].map(distinct)).toEqual(["use", "use-1", "use-2", "use-3", "other"])
})

test("only headings of a rendered text are numbered, over several texts", () => {
  const distinct = distinctAnchors()
  const text = '<h2 id="user-content-a">A</h2><p id="user-content-a">a</p>'
  expect(withDistinctAnchors(text, distinct)).toBe(text)
  expect(withDistinctAnchors(text, distinct)).toBe('<h2 id="user-content-a-1">A</h2><p id="user-content-a">a</p>')
})
