import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { sql } from "kysely"
import { describe, expect, it } from "vitest"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import { openDatabase } from "./open.ts"

// A commit that was acknowledged must outlive the process, and a transaction that was cut short must leave nothing.
describe("kill -9", () => {
  it("loses nothing that was acknowledged and keeps no half of a transaction", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hearth-database-"))
    const url = `sqlite:${join(folder, "hearth.db")}`
    try {
      let acknowledged = 0
      for (let cycle = 0; cycle < 4; cycle++) {
        const child = spawn(
          process.execPath,
          ["--disable-warning=ExperimentalWarning", new URL("../../../tests/support/endless-writer.ts", import.meta.url).pathname, url],
          {
            stdio: ["ignore", "pipe", "inherit"],
          },
        )
        const exit = once(child, "exit")
        const enough = acknowledged + 20 + Math.floor(Math.random() * 50)
        for await (const line of createInterface({ input: child.stdout })) {
          acknowledged = Number(line)
          if (acknowledged >= enough) child.kill("SIGKILL")
        }
        const [, signal] = await exit
        expect(signal).toBe("SIGKILL")

        const database = await openDatabase<Shelf>({ url, migrations: shelfMigrations })
        const { places, total } = await database.read
          .selectFrom("books")
          .select((eb) => [eb.fn.max("place").as("places"), eb.fn.countAll<number>().as("total")])
          .executeTakeFirstOrThrow()
        const { size } = await database.read.selectFrom("shelves").select("size").executeTakeFirstOrThrow()
        const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.read)
        await database.close()
        expect(check.rows).toEqual([{ integrity_check: "ok" }])
        expect(places).toBeGreaterThanOrEqual(acknowledged)
        // Every transaction adds two books and counts them: no half of one is left.
        expect(total).toBe(places * 2)
        expect(size).toBe(total)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
