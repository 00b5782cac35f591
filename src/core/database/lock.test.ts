import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import type { Transaction } from "./database.ts"
import { lockRow, lockRows } from "./lock.ts"

describe.each(databaseKinds)("a lock on rows of %s", (kind) => {
  let fresh: FreshDatabase
  const ids: number[] = []

  beforeAll(async () => {
    fresh = await freshDatabase(kind)
    await fresh.database.write(async (tx) => {
      for (const name of ["ann", "bea"]) {
        const person = { kind: "person", name, lower_name: name, created_at: 0, updated_at: 0 } as const
        ids.push((await tx.insertInto("users").values(person).returning("id").executeTakeFirstOrThrow()).id)
      }
    })
  })
  afterAll(() => fresh.drop())

  const first = () => ids[0] ?? 0

  it("gives the rows, in the order of their ids, and nothing for those that are missing", async () => {
    await fresh.database.write(async (tx) => {
      expect(await lockRow(tx, "users", first())).toMatchObject({ id: first(), name: "ann" })
      expect(await lockRow(tx, "users", 99)).toBeUndefined()
      expect((await lockRows(tx, "users", [99, ...ids.toReversed()])).map(({ name }) => name)).toEqual(["ann", "bea"])
      expect(await lockRows(tx, "users", [])).toEqual([])
    })
  })

  it("waits for the transaction that has it, and then gives the row as it was left", async () => {
    const { database } = fresh
    let second: Promise<string | undefined> | undefined
    await database.write(async (tx) => {
      await lockRow(tx, "users", first())
      second = database.write(async (other) => (await lockRow(other, "users", first()))?.full_name)
      while (kind === "postgres" && !(await isWaitedFor(tx)));
      await tx.updateTable("users").set({ full_name: "Ann Other" }).where("id", "=", first()).execute()
    })
    expect(await second).toBe("Ann Other")
  })

  it("lets others refer to the row meanwhile", async () => {
    const { database } = fresh
    if (kind === "sqlite") return
    await database.write(async (tx) => {
      await lockRow(tx, "users", first())
      await database.write((other) => other.insertInto("emails").values(addressOf(first())).execute())
    })
    const stored = await database.read.selectFrom("emails").select("user_id").execute()
    expect(stored).toEqual([{ user_id: first() }])
  })
})

const addressOf = (userId: number) => ({
  user_id: userId,
  email: "a@b.example",
  lower_email: "a@b.example",
  is_activated: 1 as const,
  is_primary: 1 as const,
  created_at: 0,
})

/** Whether another transaction waits for this one. */
async function isWaitedFor(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select 1 as waiting from pg_locks where not granted and transactionid = pg_current_xact_id_if_assigned()::xid`.execute(tx)
  return rows.length > 0
}
