import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { changedWords, pairLines, type Range } from "./intraline.ts"

/** The line with brackets around its marks. */
function marked(line: string, ranges: readonly Range[] = []): string {
  let [text, from] = ["", 0]
  for (const [start, end] of ranges) {
    text += `${line.slice(from, start)}[${line.slice(start, end)}]`
    from = end
  }
  return text + line.slice(from)
}

const both = (removed: string, added: string) => {
  const words = changedWords(removed, added)
  return words && [marked(removed, words.removed), marked(added, words.added)]
}

describe("words that changed", () => {
  test.each([
    ["const a = 1", "const b = 1", "const [a] = 1", "const [b] = 1"],
    ["f(a, b)", "f(a, b, c)", "f(a, b)", "f(a, b[, c])"],
    ["  return x", "    return x", "[  ]return x", "[    ]return x"],
    ["the old two words stay", "the new words stay", "the [old two] words stay", "the [new] words stay"],
    ["naïve café bar", "naïve cafés bar", "naïve [café] bar", "naïve [cafés] bar"],
    ["same here 😀", "same here 😁", "same here [😀]", "same here [😁]"],
    ["equal", "equal", "equal", "equal"],
    ["  ", "    ", "[  ]", "[    ]"],
  ])("%j → %j", (removed, added, one, other) => expect(both(removed, added)).toEqual([one, other]))

  test.each([
    ["lines with little in common", "const answer = 42", "return new Promise()"],
    ["long lines", `a${"b ".repeat(500)}`, "a"],
    ["lines with many changes", "a b ".repeat(200), "c b ".repeat(200)],
  ])("%s are left alone", (_, removed, added) => expect(both(removed, added)).toBeUndefined())

  test("is bounded for many lines together", () => {
    const steps = { left: 20_000 }
    const results = Array.from({ length: 50 }, () => changedWords("a( b ".repeat(60), "a( c ".repeat(60), steps))
    expect(results[0]).toBeDefined()
    expect(results.at(-1)).toBeUndefined()
    expect(pairLines(["a"], ["a b"], steps)).toEqual([])
  })

  const word = fc.constantFrom("a", "b", "foo", " ", "  ", "\t", "(", ")", "é", "漢", "😀", "_", "1", "\u202e", "\ud800")
  const line = fc.array(word, { maxLength: 60 }).map((words) => words.join(""))

  const gaps = (text: string, ranges: readonly Range[]): string => {
    let [rest, from] = ["", 0]
    for (const [start, end] of ranges) {
      rest += text.slice(from, start)
      from = end
    }
    return (rest + text.slice(from)).replace(/\s+/g, "")
  }

  test("what isn't marked is the same on both sides, and marks are in order", () => {
    fc.assert(
      fc.property(line, line, (removed, added) => {
        const words = changedWords(removed, added)
        if (!words) return
        expect(gaps(removed, words.removed)).toBe(gaps(added, words.added))
        for (const [text, ranges] of [
          [removed, words.removed],
          [added, words.added],
        ] as const) {
          let end = -1
          for (const [from, to] of ranges) {
            expect(from).toBeGreaterThan(end)
            expect(to).toBeGreaterThan(from)
            end = to
          }
          expect(end).toBeLessThanOrEqual(text.length)
          expect(marked(text, ranges).replace(/[[\]]/g, "")).toBe(text)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test("swapped lines have swapped marks, and equal ones none", () => {
    fc.assert(
      fc.property(line, line, (removed, added) => {
        const [one, other] = [changedWords(removed, added), changedWords(added, removed)]
        expect(other && { removed: other.added, added: other.removed }).toEqual(one)
        expect(changedWords(added, added)).toEqual({ removed: [], added: [] })
      }),
      { numRuns: 2_000 },
    )
  })

  test("any change of a few words in a long line is found", () => {
    const many = fc.array(fc.constantFrom<string>("one", "two", "three", "four"), { minLength: 20, maxLength: 100 })
    fc.assert(
      fc.property(many, fc.nat(), (words, place) => {
        const at = place % words.length
        const removed = words.join(" ")
        const added = words.with(at, "changed").join(" ")
        expect(both(removed, added)).toEqual([
          marked(removed, changedWords(removed, added)?.removed),
          words.with(at, "[changed]").join(" "),
        ])
      }),
    )
  })
})

describe("pairs of lines", () => {
  const placesOf = (removed: readonly string[], added: readonly string[]) =>
    pairLines(removed, added).map(({ removedAt, addedAt }) => [removedAt, addedAt])

  test("are those that are alike, wherever they stand", () => {
    const removed = ["const one = first(1)", "const two = second(2)"]
    const added = ["import { first } from 'elsewhere'", "", "const one = first(10)", "const two = second(20)"]
    expect(placesOf(removed, added)).toEqual([
      [0, 2],
      [1, 3],
    ])
    expect(placesOf(added, removed)).toEqual([
      [2, 0],
      [3, 1],
    ])
  })

  test("don't cross", () => {
    expect(placesOf(["alpha beta gamma", "delta epsilon zeta"], ["delta epsilon eta", "alpha beta eta"])).toHaveLength(1)
  })

  test("are in their order, each line once, in blocks of any size", () => {
    const line = fc.array(fc.constantFrom("a", "b", "c", " ", "("), { maxLength: 6 }).map((words) => words.join(""))
    const block = fc.array(line, { maxLength: 40 })
    fc.assert(
      fc.property(block, block, (removed, added) => {
        let [x, y] = [-1, -1]
        for (const { removedAt, addedAt } of pairLines(removed, added)) {
          expect(removedAt).toBeGreaterThan(x)
          expect(addedAt).toBeGreaterThan(y)
          ;[x, y] = [removedAt, addedAt]
        }
        expect(x).toBeLessThan(removed.length)
        expect(y).toBeLessThan(added.length)
      }),
    )
  })
})
