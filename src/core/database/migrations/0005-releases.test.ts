import { sql } from "kysely"
import { describe, expect, test } from "vitest"
import { databaseKinds, freshUrl } from "../../../../tests/support/database.ts"
import { openDatabase } from "../open.ts"
import { migrations } from "./index.ts"

describe.each(databaseKinds)("the step to releases on %s", (kind) => {
  test("asks for what is not known yet of the repositories that are there", async () => {
    const fresh = await freshUrl(kind, { empty: true })
    try {
      const before = await openDatabase({ url: fresh.url, migrations: migrations.filter(({ id }) => id < 5) })
      await before.write(async (tx) => {
        await sql`insert into users (kind, name, lower_name, created_at, updated_at) values ('person', 'ann', 'ann', 0, 0)`.execute(tx)
        for (const [name, empty] of [
          ["full", 0],
          ["void", 1],
        ] as const)
          await sql`insert into repositories (owner_id, name, lower_name, storage, default_branch, object_format, is_empty, created_at, updated_at)
            values ((select min(id) from users), ${name}, ${name}, ${name}, 'main', 'sha1', ${sql.lit(empty)}, 0, 0)`.execute(tx)
      })
      await before.close()
      const after = await openDatabase({ url: fresh.url, migrations: migrations.filter(({ id }) => id <= 5) })
      const jobs = await after.read.selectFrom("jobs").select(["kind", "payload", "state"]).orderBy("kind").execute()
      const { id } = await after.read.selectFrom("repositories").select("id").where("name", "=", "full").executeTakeFirstOrThrow()
      await after.close()
      const payload = JSON.stringify({ repositoryId: id })
      expect(jobs).toEqual([
        { kind: "repository.survey", payload, state: "waiting" },
        { kind: "tags.align", payload, state: "waiting" },
      ])
    } finally {
      await fresh.drop()
    }
  })
})
