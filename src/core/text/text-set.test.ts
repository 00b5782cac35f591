import { describe, expect, test } from "vitest"
import { longestTickOf } from "../../../tests/support/ticks.ts"
import { beginWork } from "../work.ts"
import { textSet } from "./text-set.ts"

const work = () => beginWork({ what: "find texts", steps: 100_000_000 })
const find = async (texts: readonly string[], text: string) => (await textSet(texts, work())).placesIn(text, work())

describe("texts that are looked for together", () => {
  test("are found wherever they are, and what overlaps is one place", async () => {
    expect(await find(["abcd", "cdef"], "xabcdefx abcdabcd")).toEqual([
      [1, 7],
      [9, 13],
      [13, 17],
    ])
    expect(await find(["bc", "abcde", "d"], "abcd abcde bd")).toEqual([
      [1, 3],
      [3, 4],
      [5, 10],
      [12, 13],
    ])
    expect(await find([], "anything")).toEqual([])
    expect(await find(["", "ä😀"], "ää😀")).toEqual([[1, 4]])
  })

  test("are those that a comparison one by one finds", async () => {
    let seed = 1
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const word = (longest: number) => Array.from({ length: 1 + random(longest) }, () => "ab"[random(2)]).join("")
    for (let round = 0; round < 200; round++) {
      const texts = Array.from({ length: 1 + random(5) }, () => word(5))
      const text = word(40)
      const covered = new Set(
        texts.flatMap((each) =>
          Array.from(text, (_, at) => at)
            .filter((at) => text.startsWith(each, at))
            .flatMap((at) => Array.from(each, (_, offset) => at + offset)),
        ),
      )
      const places = await find(texts, text)
      expect(new Set(places.flatMap(([from, to]) => Array.from({ length: to - from }, (_, offset) => from + offset)))).toEqual(covered)
    }
  })

  test("may be large and alike without holding others up", async () => {
    const alike = ["a".repeat(500_000), ...Array.from({ length: 1_000 }, (_, index) => `${"a".repeat(300)}${index}`)]
    const tick = await longestTickOf(async () => {
      expect(await find(alike, `${"a".repeat(499_999)}b`.repeat(2))).toEqual([])
    })
    expect(tick).toBeLessThan(250)
  })
})
