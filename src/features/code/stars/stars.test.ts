import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Answer, Caller } from "../../../../tests/support/hearth.ts"

withHearth(
  "stars",
  { people: ["ann", "ben", { name: "cal", visibility: "private" }], on: databaseKinds },
  ({ test, forge, ann, ben, cal }) => {
    test.beforeAll(async () => {
      for (const name of ["open", "more", "left", "fled"]) await forge.call(ann, "POST /user/repos", { name })
      await forge.call(ann, "POST /user/repos", { name: "hush", private: true })
    })

    const status = async (caller: Caller, route: string) => (await forge.call(caller, route)).status
    const names = ({ body }: Answer): readonly string[] =>
      body.map((record: { name?: string; login?: string }) => record.name ?? record.login)
    const list = async (caller: Caller, route: string) => {
      const answer = await forge.call(caller, route)
      return { names: names(answer), total: answer.headers.get("x-total-count") }
    }
    const told = async (repository: string) => {
      const { id } = (await forge.call(forge.root, `GET /repos/ann/${repository}`)).body
      const { read } = forge.hearth.services.database
      return read
        .selectFrom("activities")
        .select("receiver_id")
        .where("repository_id", "=", id)
        .where("op_type", "=", "star_repo")
        .execute()
    }

    test("are given once, counted on both sides, told to the feed, and taken back", async () => {
      expect(await status(ben, "GET /user/starred/ann/open")).toBe(404)
      for (const _ of [1, 2]) expect(await status(ben, "PUT /user/starred/ANN/Open")).toBe(204)
      expect(await status(ben, "GET /user/starred/ann/open")).toBe(204)
      expect((await forge.call(ben, "GET /repos/ann/open")).body.stars_count).toBe(1)
      expect((await forge.call(ben, "GET /user")).body.starred_repos_count).toBe(1)
      // The user who starred, and the watching owner.
      expect(await told("open")).toHaveLength(2)

      for (const _ of [1, 2]) expect(await status(ben, "DELETE /user/starred/ann/open")).toBe(204)
      expect((await forge.call(ben, "GET /repos/ann/open")).body.stars_count).toBe(0)
      expect((await forge.call(ben, "GET /user")).body.starred_repos_count).toBe(0)
    })

    test("are listed for oneself, and for others as far as they are open to all", async () => {
      await forge.call(ann, "PUT /repos/ann/hush/collaborators/ben", { permission: "write" })
      await forge.call(ann, "PUT /repos/ann/more/collaborators/ben", { permission: "write" })
      for (const name of ["hush", "more", "open"]) expect(await status(ben, `PUT /user/starred/ann/${name}`)).toBe(204)
      expect(await list(ben, "GET /user/starred")).toEqual({ names: ["open", "more", "hush"], total: "3" })
      expect(await list(ben, "GET /users/ben/starred")).toEqual({ names: ["open", "more", "hush"], total: "3" })
      expect(await list(ann, "GET /users/ben/starred")).toEqual({ names: ["open", "more"], total: "2" })
      expect(await list(forge.root, "GET /users/ben/starred?limit=1&page=2")).toEqual({ names: ["more"], total: "2" })
      // The permissions are those of the user whose list it is.
      expect((await forge.call(cal, "GET /users/ben/starred")).body[1].permissions).toEqual({ admin: false, push: true, pull: true })

      await forge.call(ann, "DELETE /repos/ann/hush/collaborators/ben")
      expect(await list(ben, "GET /user/starred")).toEqual({ names: ["open", "more"], total: "2" })
      expect(await status(ben, "GET /user/starred/ann/hush")).toBe(404)
    })

    test("show who gave them, but not those who hide", async () => {
      expect(await status(ben, "PUT /user/starred/ann/left")).toBe(204)
      expect(await status(cal, "PUT /user/starred/ann/left")).toBe(204)
      expect(await list(undefined, "GET /repos/ann/left/stargazers")).toEqual({ names: ["ben"], total: "1" })
      expect(await list(ann, "GET /repos/ann/left/stargazers")).toEqual({ names: ["ben"], total: "1" })
      expect(await list(cal, "GET /repos/ann/left/stargazers")).toEqual({ names: ["ben", "cal"], total: "2" })
      expect(await list(forge.root, "GET /repos/ann/left/stargazers?limit=1&page=2")).toEqual({ names: ["cal"], total: "2" })
      expect((await forge.call(ann, "GET /repos/ann/left")).body.stars_count).toBe(2)
      expect(await status(cal, "GET /users/cal/starred")).toBe(200)
      expect(await status(ann, "GET /users/cal/starred")).toBe(404)
    })

    test("are given to an archived repository too", async () => {
      await forge.call(ann, "PATCH /repos/ann/fled", { archived: true })
      expect(await status(ben, "PUT /user/starred/ann/fled")).toBe(204)
      expect(await status(ben, "DELETE /user/starred/ann/fled")).toBe(204)
    })

    test("are refused to those who are blocked, on what is hidden or missing, and without signing in", async () => {
      const dan = await forge.person("dan")
      await forge.call(ann, "PUT /user/blocks/dan")
      expect(await forge.call(dan, "PUT /user/starred/ann/open")).toMatchObject({ status: 403, body: { message: "user is blocked" } })
      expect(await told("hush")).toHaveLength(2)
      for (const method of ["GET", "PUT", "DELETE"]) {
        expect(await status(dan, `${method} /user/starred/ann/hush`)).toBe(404)
        expect(await status(dan, `${method} /user/starred/ann/none`)).toBe(404)
        expect(await status(undefined, `${method} /user/starred/ann/none`)).toBe(401)
      }
      expect(await status(dan, "GET /repos/ann/hush/stargazers")).toBe(404)
      expect(await status(dan, "GET /users/nobody/starred")).toBe(404)
      expect(await status(undefined, "GET /users/ben/starred")).toBe(401)
      expect(await status(undefined, "GET /user/starred")).toBe(401)
    })

    test("go with a repository that is deleted", async () => {
      const before = (await forge.call(ben, "GET /user")).body.starred_repos_count
      expect(await status(ann, "DELETE /repos/ann/left")).toBe(204)
      expect((await forge.call(ben, "GET /user")).body.starred_repos_count).toBe(before - 1)
    })
  },
)
