import { sql } from "kysely"
import { openDatabase } from "../src/core/database/open.ts"
import { type Spread, spread } from "./issues.ts"
import { ADMIN, startServer } from "./server.ts"

/** Pages of the newest notifications of a user who has this many, each requested right after a write. */
export async function notificationFigures(threads: number): Promise<Spread> {
  const server = await startServer()
  try {
    await server.api("POST", "/user/repos", { name: "busy" })
    const database = await openDatabase({ url: server.databaseUrl, idleLimit: 600_000 })
    const { id: user } = await database.read.selectFrom("users").select("id").where("lower_name", "=", ADMIN.name).executeTakeFirstOrThrow()
    const { id: repository } = await database.read.selectFrom("repositories").select("id").executeTakeFirstOrThrow()
    const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${threads}) `
    await database.write(async (tx) => {
      await sql`${numbers} insert into issues (repository_id, number, is_pull, author_id, title, content, created_at, updated_at)
        select ${repository}, i, 0, ${user}, 'Plan ' || i, '', 1700000000 + i, 1700000000 + i from n`.execute(tx)
      await sql`insert into notifications (user_id, repository_id, subject, issue_id, status, created_at, updated_at)
        select ${user}, repository_id, 'issue', id, case number % 3 when 0 then 'read' else 'unread' end, created_at, updated_at from issues`.execute(
        tx,
      )
    })
    await database.close()
    const times: number[] = []
    for (let round = 0; round < 300; round++) {
      await server.api("PATCH", `/repos/${ADMIN.name}/busy`, { description: `Round ${round}` })
      const at = performance.now()
      await (await server.api("GET", "/notifications?limit=30")).arrayBuffer()
      times.push(performance.now() - at)
    }
    return spread(times)
  } finally {
    await server.stop()
  }
}
