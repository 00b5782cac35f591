import { expect, it } from "vitest"
import { agreed, endOf, type RefMove } from "./references.ts"

const main = "refs/heads/main"
const move = (from: string, to: string): RefMove => ({ ref: main, from, to })
const of = (there: string, row: string, moves: readonly RefMove[] = []) =>
  agreed(new Map([[main, there]]), new Map([[main, row]]), moves).get(main)

it("takes the value of the row where the folder was read later, and leaves out what has no row", () => {
  expect(of("later", "row", [move("before", "row")])).toBe("row")
  const there = new Map([
    [main, "a"],
    ["refs/heads/new", "b"],
    ["refs/notes/x", "c"],
    ["refs/pull/1/merge", "d"],
  ])
  const rows = new Map([
    [main, "a"],
    ["refs/tags/gone-since", "e"],
  ])
  expect([...agreed(there, rows, []).keys()].toSorted()).toEqual([
    "refs/heads/main",
    "refs/notes/x",
    "refs/pull/1/merge",
    "refs/tags/gone-since",
  ])
})

it("goes by what was told of moves where two pushes were settled in the other order", () => {
  expect(of("2", "1", [move("1", "2"), move("0", "1")])).toBe("2")
  // Moved there and back: the row is right.
  expect(of("2", "1", [move("1", "2"), move("2", "1")])).toBe("1")
  expect(endOf([move("", "1"), move("1", "")])).toBeUndefined()
  expect(endOf([])).toBeUndefined()
})
