import { expect, test } from "vitest"
import { coalesce } from "./coalesce.ts"

/** A query that resolves when the test says so. */
function slow() {
  const open: { readonly number: number; readonly answer: (failure?: Error) => Promise<void> }[] = []
  let count = 0
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const number = ++count
      const answer = async (failure?: Error) => {
        if (failure) reject(failure)
        else resolve(number)
        await new Promise(setImmediate)
      }
      open.push({ number, answer })
    })
  return { ask: coalesce(ask), open, asked: () => count }
}

test("calls made during a run share the next run", async () => {
  const { ask, open, asked } = slow()
  const first = ask()
  const rest = [ask(), ask(), ask()]
  expect(asked()).toBe(1)
  await open[0]?.answer()
  expect(await first).toBe(1)
  expect(asked()).toBe(2)
  const late = ask()
  await open[1]?.answer()
  expect(await Promise.all(rest)).toEqual([2, 2, 2])
  await open[2]?.answer()
  expect(await late).toBe(3)
  const alone = ask()
  expect(asked()).toBe(4)
  await open[3]?.answer()
  expect(await alone).toBe(4)
})

test("a question that fails fails for those who share it, and the next is asked anew", async () => {
  const { ask, open } = slow()
  const first = ask()
  const second = ask()
  const outcome = Promise.allSettled([first])
  await open[0]?.answer(new Error("gone"))
  expect(await outcome).toMatchObject([{ status: "rejected" }])
  await open[1]?.answer()
  expect(await second).toBe(2)
})
