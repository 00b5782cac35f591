import { expect, test } from "vitest"
import { databaseKinds, freshDatabase } from "../../../tests/support/database.ts"
import { removeEndedJobs } from "./cleanup.ts"

const DAY = 86_400

test.each(databaseKinds)("jobs that ended are removed after a while, on %s", async (kind) => {
  const { database, drop } = await freshDatabase(kind)
  try {
    const ended = (payload: string, state: "done" | "failed", daysAgo: number) => ({
      kind: "note",
      payload,
      state,
      run_at: 0,
      created_at: 0,
      attempts: 1,
      held_until: 0,
      last_error: "",
      finished_at: (100 - daysAgo) * DAY,
    })
    await database.write((tx) =>
      tx
        .insertInto("jobs")
        .values([
          ended("done long ago", "done", 8),
          ended("done", "done", 6),
          ended("failed", "failed", 8),
          ended("failed long ago", "failed", 91),
          { ...ended("waiting", "done", 99), state: "waiting", finished_at: 0 },
        ])
        .execute(),
    )
    expect(await removeEndedJobs.run({ database, now: () => 100 * DAY }, new AbortController().signal)).toBe("2 removed")
    const kept = await database.read.selectFrom("jobs").select("payload").orderBy("id").execute()
    expect(kept.map(({ payload }) => payload)).toEqual(["done", "failed", "waiting"])
  } finally {
    await drop()
  }
})
