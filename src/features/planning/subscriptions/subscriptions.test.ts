import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

withHearth(
  "subscriptions to issues",
  { on: databaseKinds, people: ["ann", "ben", "cal"] },
  ({ test, forge, call, status, ann, ben, cal }) => {
    const issue = async (name: string, author: Caller = ann, options: object = {}) => {
      await call(ann, "POST /user/repos", { name, ...options })
      expect(await status(author, `POST /repos/ann/${name}/issues`, { title: "an issue" })).toBe(201)
      return `/repos/ann/${name}/issues/1`
    }
    const names = async (caller: Caller, at: string, query = "") => {
      const { body, headers } = await call(caller, `GET ${at}/subscriptions${query}`)
      return [body.map(({ login }: { login: string }) => login), headers.get("x-total-count")]
    }
    const told = async (caller: Caller, at: string): Promise<boolean> => {
      const { body } = await call(caller, `GET ${at}/subscriptions/check`)
      expect(body.ignored).toBe(!body.subscribed)
      return body.subscribed
    }

    test("begin and end, and say whether that was new", async () => {
      const at = await issue("begin")
      expect(await names(undefined, at)).toEqual([["ann"], "1"])
      expect(await status(ben, `PUT ${at}/subscriptions/ben`)).toBe(201)
      expect(await status(ben, `PUT ${at}/subscriptions/BEN`)).toBe(200)
      expect(await status(forge.root, `PUT ${at}/subscriptions/cal`)).toBe(201)
      expect(await names(undefined, at)).toEqual([["ann", "ben", "cal"], "3"])
      expect(await names(undefined, at, "?limit=1&page=2")).toEqual([["ben"], "3"])
      expect(await status(ben, `DELETE ${at}/subscriptions/ben`)).toBe(201)
      expect(await status(ben, `DELETE ${at}/subscriptions/ben`)).toBe(200)
      expect(await names(undefined, at)).toEqual([["ann", "cal"], "2"])
    })

    test("are shown in the form of a repository's watch", async () => {
      const at = await issue("words")
      const { body: record } = await call(ann, `GET ${at}`)
      const url = `${forge.hearth.services.site.rootUrl}/api/v1${at}`
      expect((await call(ben, `GET ${at}/subscriptions/check`)).body).toEqual({
        subscribed: false,
        ignored: true,
        reason: null,
        created_at: record.created_at,
        url: `${url}/subscriptions`,
        repository_url: url.replace("/issues/1", ""),
      })
    })

    test("are implicit for assignees, who can decline too", async () => {
      const at = await issue("assigned")
      expect(await status(ann, `POST ${at}/assignees`, { assignees: ["ben"] })).toBe(201)
      expect(await told(ben, at)).toBe(true)
      expect(await status(ben, "PUT /notifications")).toBe(205)
      expect(await status(ben, `DELETE ${at}/subscriptions/ben`)).toBe(201)
      expect(await told(ben, at)).toBe(false)
      expect(await status(ann, `POST ${at}/comments`, { body: "still open" })).toBe(201)
      expect((await call(ben, "GET /notifications/new")).body).toEqual({ new: 0 })
    })

    test("are implicit for watchers, authors and commenters, until they are declined", async () => {
      const at = await issue("unsaid", ben)
      expect([await told(ann, at), await told(ben, at), await told(cal, at)]).toEqual([true, true, false])
      expect(await status(ann, `PUT ${at}/subscriptions/ann`)).toBe(200)
      expect(await names(undefined, at)).toEqual([["ann", "ben"], "2"])
      for (const [caller, name] of [
        [ann, "ann"],
        [ben, "ben"],
      ] as const) {
        expect(await status(caller, `DELETE ${at}/subscriptions/${name}`)).toBe(201)
        expect(await told(caller, at)).toBe(false)
        expect((await names(undefined, at))[0]).not.toContain(name)
        expect(await status(caller, `PUT ${at}/subscriptions/${name}`)).toBe(201)
      }
      expect(await names(undefined, at)).toEqual([["ann", "ben"], "2"])
      // A declined watch of the repository doesn't count.
      const other = await issue("declined", ben)
      await call(ann, "DELETE /repos/ann/declined/subscription")
      expect(await told(ann, other)).toBe(false)

      const { database, now } = forge.hearth.services
      const { id: issue_id } = (await call(ann, `GET ${other}`)).body
      await database.write(async (tx) => {
        const { id } = await tx.selectFrom("users").select("id").where("lower_name", "=", "cal").executeTakeFirstOrThrow()
        const written = { issue_id, author_id: id, content: "words", created_at: now(), updated_at: now() }
        // Other timeline entries are not comments.
        await tx
          .insertInto("comments")
          .values({ ...written, kind: "label" })
          .execute()
      })
      expect(await told(cal, other)).toBe(false)
      await database.write((tx) => tx.updateTable("comments").set({ kind: "comment" }).where("kind", "=", "label").execute())
      expect(await told(cal, other)).toBe(true)
    })

    test("are listed as they are told, of issues and pull requests", async () => {
      const people = ["ann", "ben", "cal", "dan", "gus", "hal", "ida", "jon", "kay"]
      const headers = new Map([
        ["ann", ann],
        ["ben", ben],
        ["cal", cal],
      ])
      for (const name of people.slice(3)) headers.set(name, await forge.person(name))
      const as = (name: string) => headers.get(name)
      await issue("all", as("ben"), { auto_init: true, default_branch: "main" })
      const on = "/repos/ann/all"
      const created = { content: "", message: "new", new_branch: "work" }
      expect(await status(ann, `POST ${on}/contents/a.txt`, created)).toBe(201)
      expect(await status(ann, `POST ${on}/pulls`, { title: "it", head: "work", base: "main" })).toBe(201)
      // cal watches, dan asks, gus comments, hal is assigned, ida comments and declines, jon watches and declines; kay does nothing.
      expect(await status(cal, `PUT ${on}/subscription`)).toBe(200)
      expect(await status(as("jon"), `PUT ${on}/subscription`)).toBe(200)
      await call(ann, `PUT ${on}/collaborators/hal`)
      for (const number of [1, 2]) {
        const at = `${on}/issues/${number}`
        expect(await status(as("dan"), `PUT ${at}/subscriptions/dan`)).toBe(201)
        for (const name of ["gus", "ida"]) expect(await status(as(name), `POST ${at}/comments`, { body: "well" })).toBe(201)
        expect(await status(ann, `POST ${at}/assignees`, { assignees: ["hal"] })).toBe(201)
        for (const name of ["ida", "jon"]) expect(await status(as(name), `DELETE ${at}/subscriptions/${name}`)).toBe(201)
      }
      expect(await status(ann, `POST ${on}/pulls/2/requested_reviewers`, { reviewers: ["hal"] })).toBe(201)
      const expected = {
        1: ["ann", "ben", "cal", "dan", "gus", "hal"],
        2: ["ann", "cal", "dan", "gus", "hal"],
      }
      for (const number of [1, 2] as const) {
        const at = `${on}/issues/${number}`
        expect(await names(undefined, at)).toEqual([expected[number], String(expected[number].length)])
        expect(await names(as("kay"), at, "?limit=2&page=2")).toEqual([expected[number].slice(2, 4), String(expected[number].length)])
        const checked = await Promise.all(people.map(async (name) => ((await told(as(name), at)) ? [name] : [])))
        expect(checked.flat()).toEqual(expected[number])
      }
      // Who may read it no longer is told no longer, and so listed no longer.
      expect(await status(ann, `PATCH ${on}`, { private: true })).toBe(200)
      expect(await names(ann, `${on}/issues/1`)).toEqual([["ann", "hal"], "2"])
      expect(await status(as("gus"), `GET ${on}/issues/1/subscriptions/check`)).toBe(404)
    })

    test("can be changed only by their user", async () => {
      const at = await issue("own")
      for (const method of ["PUT", "DELETE"]) {
        expect(await status(cal, `${method} ${at}/subscriptions/ben`)).toBe(403)
        expect(await status(ann, `${method} ${at}/subscriptions/ben`)).toBe(403)
        expect(await status(undefined, `${method} ${at}/subscriptions/ben`)).toBe(401)
        expect(await status(ben, `${method} ${at}/subscriptions/nobody`)).toBe(404)
        expect(await status(ben, `${method} /repos/ann/own/issues/9/subscriptions/ben`)).toBe(404)
      }
      await call(ann, "POST /orgs", { username: "crowd" })
      expect(await status(forge.root, `PUT ${at}/subscriptions/crowd`)).toBe(404)
      expect(await status(undefined, `GET ${at}/subscriptions/check`)).toBe(401)
      for (const tail of ["subscriptions", "subscriptions/check"])
        expect(await status(ben, `GET /repos/ann/own/issues/9/${tail}`)).toBe(404)
      const secret = await issue("secret", ann, { private: true })
      for (const caller of [undefined, ben]) expect(await status(caller, `GET ${secret}/subscriptions`)).toBe(404)
      expect(await status(ben, `PUT ${secret}/subscriptions/ben`)).toBe(404)
    })

    test("show neither hidden users nor those who can't sign in", async () => {
      const at = await issue("shown")
      const eve = await forge.person("eve", { visibility: "private" })
      const fay = await forge.person("fay")
      for (const [caller, name] of [
        [eve, "eve"],
        [fay, "fay"],
      ] as const)
        expect(await status(caller, `PUT ${at}/subscriptions/${name}`)).toBe(201)
      expect(await names(ben, at)).toEqual([["ann", "fay"], "2"])
      expect(await names(eve, at)).toEqual([["ann", "eve", "fay"], "3"])
      const barred = { source_id: 0, login_name: "fay", prohibit_login: true }
      expect(await status(forge.root, "PATCH /admin/users/fay", barred)).toBe(200)
      expect(await names(eve, at)).toEqual([["ann", "eve"], "2"])
    })
  },
)
