import { expect, test } from "vitest"
import { callerKey, identifyCaller, workFor } from "./caller.ts"

const at = (address: string, userId?: number): string =>
  workFor(
    address,
    () => undefined,
    () => {
      if (userId !== undefined) identifyCaller(userId)
      return callerKey()
    },
  )

test("a person is the same caller from wherever they come, and nobody else; without a sign-in the network counts", () => {
  expect(at("192.0.2.1", 7)).toBe(at("192.0.2.2", 7))
  const others = [at("192.0.2.1", 7), at("192.0.2.1", 8), at("192.0.2.1"), at("192.0.2.2"), at("7"), callerKey()]
  expect(new Set(others).size).toBe(others.length)
  expect(at("192.0.2.1")).toBe(at("192.0.2.1"))
})
