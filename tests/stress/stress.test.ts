import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { type PausePoint, setPause } from "../../src/seams/pause.ts"
import { databaseKinds, freshDatabase } from "../support/database.ts"
import { delayAt } from "./delays.ts"
import { stressed } from "./files.ts"
import { shuffled } from "./shuffled.ts"

const counts = Array.from({ length: 1_000 }, (_, index) => index + 1)
const delaysOf = (seed: number, point: PausePoint) => counts.map((count) => delayAt(seed, point, count))

test("pauses follow from the seed, differ between points, and stay far below what a transaction may take", () => {
  const delays = delaysOf(7, "file.rename")
  expect(delaysOf(7, "file.rename")).toEqual(delays)
  expect(delaysOf(8, "file.rename")).not.toEqual(delays)
  expect(delaysOf(7, "file.open")).not.toEqual(delays)
  expect(Math.min(...delays)).toBe(0)
  expect(Math.max(...delays)).toBeGreaterThan(10)
  expect(Math.max(...delays)).toBeLessThan(50)
})

test("the order follows from the seed", () => {
  expect(shuffled(stressed, 7)).toEqual(shuffled([...stressed].reverse(), 7))
  expect(shuffled(stressed, 7)).not.toEqual(shuffled(stressed, 8))
  expect([...shuffled(stressed, 7)].sort()).toEqual([...stressed].sort())
})

test("nothing of the service sets a pause", async () => {
  const root = new URL("../../src/", import.meta.url).pathname
  const files = (await readdir(root, { recursive: true })).filter((name) => /(?<!\.test|\.fixture)\.ts$/.test(name))
  const setting = files.map(async (name) => ((await readFile(join(root, name), "utf8")).includes("setPause") ? name : undefined))
  expect((await Promise.all(setting)).filter((name) => name !== undefined)).toEqual([join("seams", "pause.ts")])
})

describe.each(databaseKinds)("a transaction on %s", (kind) => {
  afterEach(() => setPause(undefined))

  test("pauses at its points, where a pause is set", async () => {
    const { database, drop } = await freshDatabase(kind)
    const passed: PausePoint[] = []
    const once = () => database.write((tx) => tx.selectFrom("users").select("id").execute())
    setPause(async (point) => void passed.push(point))
    await once()
    await database.read.selectFrom("users").select("id").execute()
    setPause(undefined)
    await once()
    expect(passed).toEqual([
      "transaction.begin",
      ...(kind === "postgres" ? ["transaction.statement"] : []),
      "transaction.beforeCommit",
      "transaction.afterCommit",
      "read.done",
    ])
    await drop()
  })
})
