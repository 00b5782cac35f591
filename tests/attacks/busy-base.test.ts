/*
 * Someone pushes to the default branch all the time, a small commit every 50 milliseconds: nine of nine merges were refused after ten attempts and five to eleven seconds, because the branch
 * had moved whenever a merge was prepared. Now a merge that has lost twice gets a turn, for which others wait before they move the branch.
 */
import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { commitFile } from "./repositories.ts"

withHearth("a base that never rests", { people: ["ann", "ben"], on: databaseKinds }, ({ test, forge, call, ann, ben }) => {
  const content = (text: string) => Buffer.from(text).toString("base64")

  test("lets merges pass in turn, and loses nothing that is pushed", async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true, default_branch: "main" })
    await call(ann, "PUT /repos/ann/tool/collaborators/ben", { permission: "write" })
    const numbers: number[] = []
    for (const branch of ["one", "two"]) {
      await call(ann, `POST /repos/ann/tool/contents/${branch}`, { content: content(branch), branch: "main", new_branch: branch })
      numbers.push((await call(ann, "POST /repos/ann/tool/pulls", { base: "main", head: branch, title: branch })).body.number)
    }
    await forge.settle()
    let moves = 0
    let isMoving = true
    const moving = (async () => {
      for (; isMoving; moves++) await commitFile(call, ben, "ann/tool", `file${moves}`, "")
    })()
    const merged = await Promise.all(numbers.map((number) => call(ann, `POST /repos/ann/tool/pulls/${number}/merge`, { Do: "merge" })))
    isMoving = false
    await moving
    expect(merged.map(({ status }) => status)).toEqual([200, 200])
    const { body: files } = await call(ann, "GET /repos/ann/tool/contents")
    expect(files.length).toBe(moves + 3)
    expect(await forge.hearth.services.database.read.selectFrom("branch_turns").selectAll().execute()).toEqual([])
  })

  test("waits no longer for a turn than that lasts, nor for another branch's", async () => {
    const { database, now } = forge.hearth.services
    const { body } = await call(ann, "GET /repos/ann/tool")
    const turn = (branch: string, ends_at: number) => ({ repository_id: body.id, branch, holder: "killed", ends_at })
    await database.write(async (tx) => {
      await tx
        .insertInto("branch_turns")
        .values([turn("main", now()), turn("other", now() + 1000)])
        .execute()
    })
    await commitFile(call, ben, "ann/tool", "more", "")
    await database.write(
      async (tx) =>
        void (await tx
          .updateTable("branch_turns")
          .set({ ends_at: now() + 1000 })
          .execute()),
    )
    const waiting = commitFile(call, ben, "ann/tool", "last", "").then(() => "written")
    expect(await Promise.race([waiting, pause(300, "waits")])).toBe("waits")
    await database.write(async (tx) => void (await tx.deleteFrom("branch_turns").execute()))
    expect(await waiting).toBe("written")
  })
})
