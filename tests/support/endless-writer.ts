/** The child process of the kill -9 test: writes for ever, and prints the number of each transaction once it is committed. */
import { writeSync } from "node:fs"
import { openDatabase } from "../../src/core/database/open.ts"
import { type Shelf, shelfMigrations } from "./shelf.ts"

const database = await openDatabase<Shelf>({ url: process.argv[2] ?? "", migrations: shelfMigrations })
await database.write((tx) =>
  tx
    .insertInto("shelves")
    .values({ id: 1, name: "One", lower_name: "one" })
    .onConflict((c) => c.doNothing())
    .execute(),
)

for (;;) {
  const place = await database.write(async (tx) => {
    const { last } = await tx
      .selectFrom("books")
      .select((eb) => eb.fn.coalesce(eb.fn.max("place"), eb.lit(0)).as("last"))
      .executeTakeFirstOrThrow()
    const place = last + 1
    const title = "x".repeat(2_000)
    await tx
      .insertInto("books")
      .values({ shelf_id: 1, place, title: `${place} a ${title}`, half: 0 })
      .execute()
    await tx
      .insertInto("books")
      .values({ shelf_id: 1, place, title: `${place} b ${title}`, half: 1 })
      .execute()
    await tx
      .updateTable("shelves")
      .set((eb) => ({ size: eb("size", "+", 2) }))
      .execute()
    return place
  })
  writeSync(1, `${place}\n`)
}
