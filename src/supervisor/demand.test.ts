import { expect, it } from "vitest"
import { createDemand } from "./demand.ts"

const looks = (demand: ReturnType<typeof createDemand>, times: number, ...loads: readonly number[]) =>
  Array.from({ length: times }, () => demand(loads))

it("asks for another worker when those at work have been busy for three looks, up to the most", () => {
  const demand = createDemand(3)
  expect(looks(demand, 4, 0.8)).toEqual([undefined, undefined, "more", undefined])
  expect(looks(demand, 3, 0.9, 0.9)).toEqual([undefined, "more", undefined])
  expect(looks(demand, 5, 1, 1, 1)).toEqual(Array(5).fill(undefined))
})

it("takes no short burst, and none of one worker alone, for busy", () => {
  const demand = createDemand(3)
  expect([...looks(demand, 2, 1), ...looks(demand, 1, 0.1), ...looks(demand, 2, 1)]).toEqual(Array(5).fill(undefined))
  expect(looks(demand, 9, 1, 0.3)).toEqual(Array(9).fill(undefined))
})

it("lets one go when the others would be quiet without it, for a minute, but never the last", () => {
  const demand = createDemand(3)
  expect(looks(demand, 59, 0.1, 0.1)).toEqual(Array(59).fill(undefined))
  expect(looks(demand, 1, 0.2, 0.2)).toEqual([undefined])
  expect(looks(demand, 60, 0.1, 0.2).at(-1)).toBe("fewer")
  expect(looks(demand, 100, 0)).toEqual(Array(100).fill(undefined))
})
