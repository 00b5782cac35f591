/*
 * Someone opens thousands of issues and deletes their repository; an administrator deletes a person with hundreds of repositories. Each was one statement or transaction of seconds, in
 * which no one got an answer. Now a large repository is out of everyone's reach at once and deleted in batches by a job, and the repositories of a person are deleted one by one.
 */
import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { longestTickOf } from "../support/ticks.ts"
import { times } from "./sockets.ts"

withHearth(
  "large deletions",
  { people: ["ann", "ben", "eve"], on: databaseKinds },
  ({ kind, test, forge, call, status, settle, ann, eve }) => {
    const repositoryOf = async (name: string): Promise<number> => (await call(ann, `GET /repos/ann/${name}`)).body.id
    const open = async (repositoryId: number, count: number) => {
      const { services } = forge.hearth
      const now = services.now()
      for (const part of times(count / 500, (at) => at))
        await services.database.write(async (tx) => {
          const author_id = 2
          const rows = times(500, (at) => {
            const number = part * 500 + at + 1
            return {
              repository_id: repositoryId,
              is_pull: 0 as const,
              number,
              title: `issue ${number}`,
              content: "many words",
              author_id,
              created_at: now,
              updated_at: now,
            }
          })
          const issues = await tx.insertInto("issues").values(rows).returning("id").execute()
          const comments = issues.map(({ id }) => ({
            issue_id: id,
            kind: "comment" as const,
            content: "more words",
            author_id,
            created_at: now,
            updated_at: now,
          }))
          await tx.insertInto("comments").values(comments).execute()
        })
    }
    const rest = async () => {
      const { read } = forge.hearth.services.database
      const counts = []
      for (const table of ["repositories", "issues", "comments"] as const)
        counts.push(
          (
            await read
              .selectFrom(table)
              .select((eb) => eb.fn.countAll<number>().as("total"))
              .executeTakeFirstOrThrow()
          ).total,
        )
      return counts
    }

    test("of a repository hide it at once, and remove the rest in batches", async () => {
      await call(ann, "POST /user/repos", { name: "kept" })
      const before = await rest()
      await call(ann, "POST /user/repos", { name: "large", auto_init: true })
      await call(eve, "POST /repos/ann/large/forks", {})
      await settle()
      const id = await repositoryOf("large")
      await open(id, kind === "sqlite" ? 3_000 : 1_000)
      const tick = await longestTickOf(async () => expect(await status(ann, "DELETE /repos/ann/large")).toBe(204))
      expect(tick).toBeLessThan(250)

      for (const who of [ann, eve, forge.root, undefined]) {
        expect(await status(who, "GET /repos/ann/large")).toBe(404)
        expect(await status(who, "GET /repos/ann/large/issues")).toBe(404)
        if (who !== undefined) expect(await status(who, `GET /repositories/${id}`)).toBe(404)
        const names = (await call(who, "GET /repos/search")).body.data.map((each: { full_name: string }) => each.full_name)
        expect(names.toSorted()).toEqual(["ann/kept", "eve/large"])
        expect((await call(who, "GET /repos/issues/search?q=issue")).body).toEqual([])
      }
      const people = (await call(forge.root, "GET /admin/users")).body.map((each: { login: string }) => each.login)
      expect([...people, ...(await call(forge.root, "GET /admin/orgs")).body].toSorted()).toEqual(["ann", "ben", "eve", "root"])
      expect((await call(eve, "GET /repos/eve/large")).body.parent ?? null).toBeNull()
      // The name is free.
      expect(await status(ann, "POST /user/repos", { name: "large" })).toBe(201)

      // It could be restored until it is deleted for good.
      const [gone] = (await call(ann, "GET /user/deleted")).body
      expect(await longestTickOf(async () => expect(await status(ann, `DELETE /user/deleted/${gone.id}`)).toBe(204))).toBeLessThan(250)
      expect(await longestTickOf(settle)).toBeLessThan(250)
      const [repositories = 0, ...others] = before
      expect(await rest()).toEqual([repositories + 2, ...others])
    })

    test("of a person with many repositories let others have their turn", async () => {
      const { services } = forge.hearth
      const { id } = (await call(ann, "GET /users/ben")).body
      const now = services.now()
      const rows = times(kind === "sqlite" ? 400 : 20, (at) => ({
        owner_id: id,
        name: `r${at}`,
        lower_name: `r${at}`,
        storage: `zz${at}`,
        default_branch: "main",
        object_format: "sha1" as const,
        created_at: now,
        updated_at: now,
      }))
      await services.database.write((tx) => tx.insertInto("repositories").values(rows).execute())
      const tick = await longestTickOf(async () => expect(await status(forge.root, "DELETE /admin/users/ben?purge=true")).toBe(204))
      expect(tick).toBeLessThan(250)
      expect(await status(ann, "GET /users/ben")).toBe(404)
    })
  },
)
