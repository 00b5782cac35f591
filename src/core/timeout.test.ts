import { test } from "vitest"
import { waitAtMost } from "./timeout.ts"

test("waiting ends with the work or the time", async () => {
  await waitAtMost(60_000, undefined)
  await waitAtMost(60_000, Promise.resolve())
  await waitAtMost(1, new Promise<void>(() => {}))
})
