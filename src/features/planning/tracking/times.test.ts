import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

interface Time {
  readonly id: number
  readonly time: number
  readonly user_name: string
  readonly issue: { readonly number: number; readonly user: { readonly email: string } }
}

withHearth(
  "tracked time",
  { on: databaseKinds, people: ["ann", "ben", "cal", "dan"] },
  ({ test, forge, call, status, ann, ben, cal, dan }) => {
    /** A repository of ann's to which ben may write, with an issue of ann's and one of cal's. */
    const repository = async (name: string, options: object = {}) => {
      await call(ann, "POST /user/repos", { name, ...options })
      await call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
      expect(await status(ann, `POST /repos/ann/${name}/issues`, { title: "ann's" })).toBe(201)
      expect(await status("private" in options ? ann : cal, `POST /repos/ann/${name}/issues`, { title: "cal's" })).toBe(201)
      return `/repos/ann/${name}`
    }
    const track = (caller: Caller, at: string, body: object) => call(caller, `POST ${at}/times`, body)
    const list = async (caller: Caller, route: string) => {
      const { status, body, headers } = await call(caller, `GET ${route}`)
      if (status !== 200) return status
      return [body.map((time: Time) => [time.user_name, time.time, time.issue.number]), headers.get("x-total-count")]
    }
    const tracker = (at: string, options: object) =>
      call(ann, `PATCH ${at}`, {
        has_issues: true,
        internal_tracker: {
          enable_time_tracker: true,
          allow_only_contributors_to_track_time: true,
          enable_issue_dependencies: true,
          ...options,
        },
      })
    const timeline = async (at: string) => {
      const { read } = forge.hearth.services.database
      const { id } = (await call(ann, `GET ${at}`)).body
      return read
        .selectFrom("comments")
        .innerJoin("users", "users.id", "comments.author_id")
        .select(["comments.kind", "comments.content", "users.name", "comments.tracked_time_id"])
        .where("issue_id", "=", id)
        .orderBy("comments.id")
        .execute()
    }

    test("is recorded only by users who may write, the author and assignees", async () => {
      const at = await repository("who")
      expect((await track(ann, `${at}/issues/1`, { time: 100 })).status).toBe(200)
      expect((await track(ben, `${at}/issues/1`, { time: 200 })).status).toBe(200)
      expect((await track(cal, `${at}/issues/2`, { time: 300 })).status).toBe(200)
      for (const caller of [cal, dan]) expect((await track(caller, `${at}/issues/1`, { time: 1 })).status).toBe(403)
      expect((await track(undefined, `${at}/issues/1`, { time: 1 })).status).toBe(401)
      expect((await track(ann, `${at}/issues/3`, { time: 1 })).status).toBe(404)

      expect(await status(ann, `POST ${at}/issues/1/assignees`, { assignees: ["dan"] })).toBe(201)
      expect((await track(dan, `${at}/issues/1`, { time: 400 })).status).toBe(200)
      expect(await list(ben, `${at}/times`)).toEqual([
        [
          ["ann", 100, 1],
          ["ben", 200, 1],
          ["cal", 300, 2],
          ["dan", 400, 1],
        ],
        "4",
      ])
    })

    test("is recorded by all users who may read, where the repository allows it", async () => {
      const at = await repository("everybody")
      await tracker(at, { allow_only_contributors_to_track_time: false })
      expect((await track(dan, `${at}/issues/1`, { time: 5 })).status).toBe(200)
      expect((await track(undefined, `${at}/issues/1`, { time: 5 })).status).toBe(401)
    })

    test("refuses with words what is no length of time, and writes nothing", async () => {
      const at = await repository("lengths")
      for (const body of [{}, { time: 0 }, { time: -60 }, { time: 1.5 }, { time: "60" }, { time: 1e12 }]) {
        const { status, body: refused } = await track(ann, `${at}/issues/1`, body)
        expect([body, status, refused.message]).toEqual([body, 422, expect.stringContaining("[time]")])
      }
      expect((await track(ann, `${at}/issues/1`, { time: 60, created: "yesterday" })).body.message).toContain("[created]")
      expect(await list(ann, `${at}/issues/1/times`)).toEqual([[], "0"])
      expect(await timeline(`${at}/issues/1`)).toEqual([])
    })

    test("is booked for others by administrators only", async () => {
      const at = await repository("others")
      const { status: made, body } = await track(ann, `${at}/issues/1`, { time: 60, user_name: "Ben" })
      expect([made, body.user_name]).toEqual([200, "ben"])
      expect((await track(forge.root, `${at}/issues/1`, { time: 70, user_name: "cal" })).body.user_name).toBe("cal")
      expect((await track(ben, `${at}/issues/1`, { time: 80, user_name: "ben" })).body.user_name).toBe("ben")
      // Not silently booked for the caller.
      expect((await track(ben, `${at}/issues/1`, { time: 90, user_name: "ann" })).status).toBe(403)
      expect((await track(ben, `${at}/issues/1`, { time: 90, user_name: "nobody" })).status).toBe(403)
      expect((await track(ann, `${at}/issues/1`, { time: 90, user_name: "nobody" })).status).toBe(404)
      await call(ann, "POST /orgs", { username: "crowd" })
      expect((await track(ann, `${at}/issues/1`, { time: 90, user_name: "crowd" })).body.message).toContain("[user_name]")
      expect(await list(ann, `${at}/issues/1/times`)).toEqual([
        [
          ["ben", 60, 1],
          ["cal", 70, 1],
          ["ben", 80, 1],
        ],
        "3",
      ])
      expect((await timeline(`${at}/issues/1`)).map(({ kind, content, name }) => [kind, content, name])).toEqual([
        ["add_time_manual", "1 minute", "ben"],
        ["add_time_manual", "1 minute 10 seconds", "cal"],
        ["add_time_manual", "1 minute 20 seconds", "ben"],
      ])
    })

    test("keeps the moment that it was spent at, and is found by the moment that it was recorded at", async () => {
      const at = await repository("moments")
      const { body } = await track(ann, `${at}/issues/1`, { time: 1, created: "2020-02-02T12:00:00+02:00" })
      expect(body.created).toBe("2020-02-02T10:00:00Z")
      // How some clients send that nothing was given.
      const { body: now } = await track(ann, `${at}/issues/1`, { time: 2, created: "0001-01-01T00:00:00Z" })
      expect(Math.abs(Date.parse(now.created) / 1000 - forge.hearth.services.now())).toBeLessThan(60)
      const { body: leap } = await track(ann, `${at}/issues/1`, { time: 3, created: "2016-12-31T23:59:60Z" })
      expect(leap.created).toBe("2016-12-31T23:59:59Z")
      const found = async (query: string) => {
        const all = []
        for (const route of [`${at}/issues/1/times?${query}`, `${at}/times?${query}`, `/user/times?${query}`]) {
          const answer = await list(ann, route)
          all.push(
            Array.isArray(answer)
              ? answer[0].filter(([, time]: [string, number]) => time < 3).map(([, time]: [string, number]) => time)
              : answer,
          )
        }
        return all
      }
      const thrice = <T>(value: T) => [value, value, value]
      // Both were recorded just now, whenever they were spent.
      expect(await found("before=2020-02-02T10:00:01Z")).toEqual(thrice([]))
      expect(await found("since=2020-02-02T10:00:01Z")).toEqual(thrice([1, 2]))
      const recorded = Date.parse("2021-03-04T05:06:07Z") / 1000
      await forge.hearth.services.database.write((tx) =>
        tx.updateTable("tracked_times").set({ updated_at: recorded }).where("id", "=", body.id).execute(),
      )
      expect(await found("before=2021-03-04T05:06:08Z")).toEqual(thrice([1]))
      expect(await found("before=2021-03-04T05:06:07Z")).toEqual(thrice([]))
      expect(await found("since=2021-03-04T05:06:06Z&before=2021-03-04T05:06:08Z")).toEqual(thrice([1]))
      expect(await found("since=2021-03-04T05:06:07Z")).toEqual(thrice([2]))
      expect(await found("since=")).toEqual(thrice([1, 2]))
      expect(await found("since=tomorrow")).toEqual(thrice(422))
      await call(ann, `DELETE ${at}/issues/1/times`)
    })

    test("is listed for managers of the issues; others see their own", async () => {
      const at = await repository("listing")
      for (const [caller, time] of [
        [ann, 1],
        [ben, 2],
        [cal, 3],
      ] as const)
        await track(caller, `${at}/issues/2`, { time })
      const all = [
        ["ann", 1, 2],
        ["ben", 2, 2],
        ["cal", 3, 2],
      ]
      for (const route of [`${at}/issues/2/times`, `${at}/times`]) {
        for (const caller of [ann, ben, forge.root]) expect(await list(caller, route)).toEqual([all, "3"])
        expect(await list(cal, route)).toEqual([[["cal", 3, 2]], "1"])
        expect(await list(dan, route)).toEqual([[], "0"])
        expect(await list(undefined, route)).toBe(401)
        expect(await list(ben, `${route}?user=CAL`)).toEqual([[["cal", 3, 2]], "1"])
        expect(await list(cal, `${route}?user=cal`)).toEqual([[["cal", 3, 2]], "1"])
        expect(await list(cal, `${route}?user=ben`)).toBe(403)
        expect(await list(cal, `${route}?user=nobody`)).toBe(404)
        expect(await list(ann, `${route}?limit=1&page=2`)).toEqual([[["ben", 2, 2]], "3"])
      }
      expect(await list(ann, `${at}/issues/9/times`)).toBe(404)
      expect(await list(ann, `${at}/times/ben`)).toEqual([[["ben", 2, 2]], null])
      expect(await list(cal, `${at}/times/Cal`)).toEqual([[["cal", 3, 2]], null])
      expect(await list(ben, `${at}/times/ann`)).toBe(403)
      expect(await list(ben, `${at}/times/nobody`)).toBe(404)
      expect(await list(undefined, `${at}/times/ben`)).toBe(401)
      expect(await list(undefined, "/user/times")).toBe(401)
    })

    test("of what one can no longer read is not listed", async () => {
      const at = await repository("closed", { private: true })
      await track(ben, `${at}/issues/1`, { time: 77 })
      const own = async () => (await call(ben, "GET /user/times?limit=50")).body.filter(({ time }: Time) => time === 77).length
      expect(await own()).toBe(1)
      expect(await list(dan, `${at}/times`)).toBe(404)
      const total = Number((await call(ben, "GET /user/times")).headers.get("x-total-count"))
      await call(ann, "DELETE /repos/ann/closed/collaborators/ben")
      expect(await own()).toBe(0)
      expect((await call(ben, "GET /user/times")).headers.get("x-total-count")).toBe(String(total - 1))
      expect(await list(ann, `${at}/times`)).toEqual([[["ben", 77, 1]], "1"])
    })

    test("is deleted by who spent it and by site administrators, and stays in the timeline", async () => {
      const at = await repository("deleting")
      const ids: number[] = []
      for (const [caller, time] of [
        [ann, 60],
        [ben, 120],
        [ben, 180],
        [cal, 240],
      ] as const)
        ids.push((await track(caller, `${at}/issues/2`, { time })).body.id)
      const [anns, bens, , cals] = ids
      for (const caller of [ben, cal]) expect(await status(caller, `DELETE ${at}/issues/2/times/${anns}`)).toBe(403)
      expect(await status(ann, `DELETE ${at}/issues/2/times/${bens}`)).toBe(403)
      expect(await status(dan, `DELETE ${at}/issues/2/times/${anns}`)).toBe(403)
      expect(await status(undefined, `DELETE ${at}/issues/2/times/${anns}`)).toBe(401)
      expect(await status(ann, `DELETE ${at}/issues/1/times/${anns}`)).toBe(404)
      expect(await status(ann, `DELETE ${at}/issues/2/times/${anns}`)).toBe(204)
      expect(await status(ann, `DELETE ${at}/issues/2/times/${anns}`)).toBe(404)
      expect(await status(forge.root, `DELETE ${at}/issues/2/times/${cals}`)).toBe(204)
      expect(await status(ben, `DELETE ${at}/issues/2/times`)).toBe(204)
      expect(await status(ben, `DELETE ${at}/issues/2/times`)).toBe(404)
      expect(await status(dan, `DELETE ${at}/issues/2/times`)).toBe(403)
      expect(await list(ann, `${at}/issues/2/times`)).toEqual([[], "0"])
      const entries = await timeline(`${at}/issues/2`)
      expect(entries.map(({ kind, content, name }) => [kind, content, name])).toEqual([
        ["add_time_manual", "1 minute", "ann"],
        ["add_time_manual", "2 minutes", "ben"],
        ["add_time_manual", "3 minutes", "ben"],
        ["add_time_manual", "4 minutes", "cal"],
        ["delete_time_manual", "1 minute", "ann"],
        ["delete_time_manual", "4 minutes", "root"],
        ["delete_time_manual", "5 minutes", "ben"],
      ])
      expect(entries.slice(0, 4).map(({ tracked_time_id }) => tracked_time_id)).toEqual(ids)
    })

    test("is deleted once, however many ask at once", async () => {
      const at = await repository("once")
      const { id } = (await track(ann, `${at}/issues/1`, { time: 60 })).body
      const answers = await Promise.all([1, 2, 3].map(() => status(ann, `DELETE ${at}/issues/1/times/${id}`)))
      expect(answers.toSorted()).toEqual([204, 404, 404])
      expect((await timeline(`${at}/issues/1`)).map(({ kind }) => kind)).toEqual(["add_time_manual", "delete_time_manual"])
    })

    test("can be switched off, and is fixed in an archived repository", async () => {
      const at = await repository("switching")
      await track(ann, `${at}/issues/1`, { time: 60 })
      await tracker(at, { enable_time_tracker: false })
      expect(await list(ann, `${at}/issues/1/times`)).toBe(404)
      expect(await list(ann, `${at}/times`)).toBe(400)
      expect(await list(ann, `${at}/times/ann`)).toBe(400)
      expect((await track(ann, `${at}/issues/1`, { time: 1 })).status).toBe(400)
      expect(await status(ann, `DELETE ${at}/issues/1/times`)).toBe(400)
      await tracker(at, { enable_time_tracker: true })
      await call(ann, `PATCH ${at}`, { archived: true })
      expect((await track(ann, `${at}/issues/1`, { time: 0 })).status).toBe(423)
      expect(await status(ann, `DELETE ${at}/issues/1/times`)).toBe(423)
      expect(await status(ann, `DELETE ${at}/issues/1/times/1`)).toBe(423)
      expect(await list(ann, `${at}/issues/1/times`)).toEqual([[["ann", 60, 1]], "1"])
    })

    test("without issues, the repository's list is missing", async () => {
      const at = await repository("issueless")
      await call(ann, `PATCH ${at}`, { has_issues: false })
      for (const route of [`${at}/times`, `${at}/times/ann`]) expect(await list(ann, route)).toBe(404)
    })

    test("outlives who spent it, and shows issues as the caller may see them", async () => {
      const at = await repository("ghosts")
      const eve = await forge.person("eve")
      await call(ann, `PUT ${at}/collaborators/eve`, { permission: "write" })
      await track(eve, `${at}/issues/2`, { time: 9 })
      await call(cal, "PATCH /user/settings", { hide_email: true })
      // Recorded for cal but shown to ann: without the address that only cal may see.
      const { body } = await track(ann, `${at}/issues/2`, { time: 8, user_name: "cal" })
      expect(body.issue.user.email).not.toBe("cal@example.com")
      await call(cal, "PATCH /user/settings", { hide_email: false })
      expect(await status(forge.root, "DELETE /admin/users/eve")).toBe(204)
      expect(await list(ann, `${at}/times`)).toEqual([
        [
          ["Ghost", 9, 2],
          ["cal", 8, 2],
        ],
        "2",
      ])
    })
  },
)
