import { sql } from "kysely"
import { describe, expect, test } from "vitest"
import { databaseKinds, freshUrl } from "../../../../tests/support/database.ts"
import { openDatabase } from "../open.ts"
import { migrations } from "./index.ts"

describe.each(databaseKinds)("the step to parts of logs on %s", (kind) => {
  test("makes a part of each log that is not compressed, and leaves the others", async () => {
    const fresh = await freshUrl(kind, { empty: true })
    try {
      const before = await openDatabase({ url: fresh.url, migrations: migrations.filter(({ id }) => id < 39) })
      await before.write(async (tx) => {
        await sql`insert into users (kind, name, lower_name, created_at, updated_at) values ('person', 'ann', 'ann', 0, 0)`.execute(tx)
        await sql`insert into repositories (owner_id, name, lower_name, storage, default_branch, object_format, created_at, updated_at)
          values ((select min(id) from users), 'lamp', 'lamp', 'ab', 'main', 'sha1', 0, 0)`.execute(tx)
        await sql`insert into action_runs (repository_id, number) values ((select min(id) from repositories), 1)`.execute(tx)
        await sql`insert into action_jobs (run_id, repository_id)
          values ((select min(id) from action_runs), (select min(id) from repositories))`.execute(tx)
        for (const [file, size, sealed, packed] of [
          ["growing", 100, 0, 0],
          ["ended", 200, 1, 0],
          ["packed", 300, 1, 1],
          ["empty", 0, 1, 0],
          ["", 0, 0, 0],
        ] as const)
          await sql`insert into action_tasks (job_id, repository_id, log_file, log_size, log_sealed, log_packed)
            values ((select min(id) from action_jobs), (select min(id) from repositories), ${file}, ${sql.lit(size)}, ${sql.lit(sealed)}, ${sql.lit(packed)})`.execute(
            tx,
          )
      })
      await before.close()
      const after = await openDatabase({ url: fresh.url, migrations: migrations.filter(({ id }) => id <= 39) })
      const tasks = await after.read.selectFrom("action_tasks").select(["id", "log_file", "log_size", "log_packed"]).orderBy("id").execute()
      const parts = await after.read.selectFrom("action_log_parts").selectAll().orderBy("task_id").execute()
      await after.close()
      expect(tasks.map(({ log_file, log_size, log_packed }) => [log_file, log_size, log_packed])).toEqual([
        ["", 100, 0],
        ["", 200, 0],
        ["packed", 300, 1],
        ["", 0, 0],
        ["", 0, 0],
      ])
      const [growing, ended] = tasks
      expect(parts).toEqual([
        { task_id: growing?.id, start_at: 0, size: 100, file: "growing", content: null },
        { task_id: ended?.id, start_at: 0, size: 200, file: "ended", content: null },
      ])
    } finally {
      await fresh.drop()
    }
  })
})
