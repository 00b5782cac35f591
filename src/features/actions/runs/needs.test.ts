import { expect, test } from "vitest"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import { needsAmong } from "./needs.ts"

const job = (key: string, state: ActionState, outputs: object = {}, more: object = {}) => ({
  key,
  state,
  outputs: JSON.stringify(outputs),
  parent_id: 0,
  continue_on_error: 0 as const,
  ...more,
})
const needing = (...needs: string[]) => ({ needs: JSON.stringify(needs), parent_id: 0 })

test.each([
  [["success"], "success"],
  [["success", "failure"], "failure"],
  [["cancelled", "failure"], "failure"],
  [["cancelled", "success"], "cancelled"],
  [["skipped", "success"], "success"],
  [["skipped", "skipped"], "skipped"],
] as const)("jobs of a matrix that ended as %j are %s", (states, result) =>
  expect(
    needsAmong(
      states.map((state) => job("a", state)),
      needing("a"),
    ),
  ).toEqual({ a: { result, outputs: {} } }),
)

test("outputs of a matrix are merged: the last that is not empty", () => {
  const jobs = [job("a", "success", { x: "1", y: "" }), job("a", "success", { x: "2" }), job("a", "success", { x: "", z: "" })]
  expect(needsAmong(jobs, needing("a"))).toEqual({ a: { result: "success", outputs: { x: "2", y: "", z: "" } } })
})

test("only jobs of the same workflow count that are needed directly and have ended", () => {
  const jobs = [
    job("a", "failure", { x: "1" }, { continue_on_error: 1 }),
    job("b", "success"),
    job("c", "running"),
    job("a", "failure", { x: "no" }, { parent_id: 7 }),
  ]
  expect(needsAmong(jobs, needing("a", "c", "d"))).toEqual({ a: { result: "success", outputs: { x: "1" } } })
})
