import { expect, test } from "vitest"
import { fakeWorkers } from "../../../tests/support/workers.ts"
import { shareIn } from "./share.ts"

test("a process that is alone may use all of a limit", () => {
  const share = shareIn(undefined)
  expect([0, 1, 10].map(share)).toEqual([0, 1, 10])
})

test("processes share a limit evenly, with one for each at least, as they come and go", () => {
  const [worker] = fakeWorkers(3)
  const share = shareIn(worker)
  expect([10, 3, 2, 1, 0].map(share)).toEqual([4, 1, 1, 1, 0])
  worker?.hearOfSharers(2)
  expect(share(10)).toBe(5)
  worker?.hearOfSharers(1)
  expect(share(10)).toBe(10)
})
