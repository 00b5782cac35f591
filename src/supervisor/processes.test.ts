import { expect, test } from "vitest"
import { mostProcesses } from "./processes.ts"

const GB = 2 ** 30

test.each([
  ["as many as there are cores", 4, 64 * GB, 4],
  ["no more than eight", 64, 64 * GB, 8],
  ["no more than have 512 MB each", 8, 1.75 * GB, 3],
  ["one, however small the machine is", 1, GB / 4, 1],
])("by default there are %s", (_, cores, memory, most) => expect(mostProcesses(0, cores, memory)).toBe(most))

test("what is set is what there is, on any machine", () => {
  expect([1, 3, 64].map((set) => mostProcesses(set, 2, GB))).toEqual([1, 3, 64])
})

test("this machine has room for one", () => {
  expect(mostProcesses(0)).toBeGreaterThanOrEqual(1)
  expect(mostProcesses(0)).toBeLessThanOrEqual(8)
})
