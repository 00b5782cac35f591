import { hash, randomUUID } from "node:crypto"
import { expect } from "vitest"
import { statementsOf } from "../../../tests/support/database.ts"
import { withHearth } from "../../../tests/support/fixture.ts"

const RUNNERS = 1000
/** What runners allow for an answer, in milliseconds: as much as the server keeps for answering, and one to wait. */
const TIMEOUT = "1501"

withHearth("idle runners", {}, ({ test, forge }) => {
  test("cost one query each time that they ask, and no write", async () => {
    const { database, now } = forge.hearth.services
    const uuids = Array.from({ length: RUNNERS }, () => randomUUID())
    await database.write(async (tx) => {
      const at = now()
      for (let from = 0; from < RUNNERS; from += 100)
        await tx
          .insertInto("runners")
          .values(
            uuids.slice(from, from + 100).map((uuid) => ({
              repository_id: null,
              owner_id: null,
              uuid,
              name: uuid,
              digest: hash("sha256", uuid),
              online_at: at,
              created_at: at,
              updated_at: at,
            })),
          )
          .execute()
    })
    const poll = async (uuid: string, tasksVersion: string) => {
      const answer = await fetch(`${forge.hearth.url}/api/actions/runner.v1.RunnerService/FetchTask`, {
        method: "POST",
        headers: { "content-type": "application/json", "connect-timeout-ms": TIMEOUT, "x-runner-uuid": uuid, "x-runner-token": uuid },
        body: JSON.stringify({ tasksVersion }),
      })
      expect(answer.status).toBe(200)
      const { tasksVersion: version, task }: { readonly tasksVersion: string; readonly task?: object } = JSON.parse(await answer.text())
      expect(task).toBeUndefined()
      return version
    }
    const version = await poll(uuids[0] ?? "", "0")
    const statements = await statementsOf(database, async () => {
      for (let from = 0; from < RUNNERS; from += 50)
        expect(new Set(await Promise.all(uuids.slice(from, from + 50).map((uuid) => poll(uuid, version))))).toEqual(new Set([version]))
    })
    expect(Object.fromEntries([...Map.groupBy(statements, ({ name }) => name)].map(([name, all]) => [name, all.length]))).toEqual({
      "actions.findRunnerByUuid": RUNNERS,
    })
  })
})
