import fc from "fast-check"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic } from "../../../../tests/support/hearth.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { commentOn, happen, issueOf, userNamed } from "./testing.ts"

const ann = basic("ann", "pass-word-1")
const ben = basic("ben", "pass-word-1")
const cal = basic("cal", "pass-word-1")

withHearth("notification threads", { on: databaseKinds }, ({ test, forge }) => {
  test.beforeAll(async () => {
    for (const name of ["ann", "ben", "cal", "dee"]) await forge.person(name)
  })

  let last = 0
  const repository = async (more: object = {}) => {
    const name = `r${++last}`
    return { name, id: (await forge.call(ann, "POST /user/repos", { name, ...more })).body.id as number }
  }
  /** Clears ben's list, and fills it with events of issues of a new repository at these times. */
  async function happened(
    ...moments: readonly number[]
  ): Promise<{ readonly name: string; readonly id: number; readonly issues: readonly Issue[] }> {
    await forge.hearth.services.database.write((tx) => tx.deleteFrom("notifications").execute())
    const made = await repository()
    const issues: Issue[] = []
    for (const [index, at] of moments.entries()) {
      const issue = await issueOf(forge.hearth, made.id, "ben", { number: index + 1, title: `t${index + 1}`, isPull: index % 2 === 1 })
      await happen(forge.hearth, issue, "cal", { kind: "commented", at })
      issues.push(issue)
    }
    return { ...made, issues }
  }
  const list = async (query = "", path = "/notifications") => {
    const { status, body, headers } = await forge.call(ben, `GET ${path}${query}`)
    expect(status).toBe(200)
    return {
      titles: body.map((thread: { subject: { title: string } }) => thread.subject.title).join(" "),
      total: Number(headers.get("x-total-count")),
    }
  }
  const idOf = async (title: string): Promise<number> => {
    const { body } = await forge.call(ben, "GET /notifications?all=true")
    return body.find((thread: { subject: { title: string } }) => thread.subject.title === title).id
  }

  test("show repository, subject and its newest comment", async () => {
    const { name, issues } = await happened(100, 200)
    const [issue, pull] = issues
    if (!issue || !pull) throw new Error("two were made")
    await commentOn(forge.hearth, issue, "cal")
    const { id } = await commentOn(forge.hearth, issue, "cal")
    const root = forge.hearth.url
    const { body } = await forge.call(ben, "GET /notifications")
    expect(body[1]).toMatchObject({
      unread: true,
      pinned: false,
      updated_at: "1970-01-01T00:01:40Z",
      url: `${root}/api/v1/notifications/threads/${body[1].id}`,
      repository: { full_name: `ann/${name}`, owner: { login: "ann", email: "ann@example.com" } },
      subject: {
        title: "t1",
        type: "Issue",
        state: "open",
        url: `${root}/api/v1/repos/ann/${name}/issues/1`,
        html_url: `${root}/ann/${name}/issues/1`,
        latest_comment_url: `${root}/api/v1/repos/ann/${name}/issues/comments/${id}`,
        latest_comment_html_url: `${root}/ann/${name}/issues/1#issuecomment-${id}`,
      },
    })
    expect(body[1].repository).not.toHaveProperty("permissions")
    expect(body[0].subject).toMatchObject({
      type: "Pull",
      html_url: `${root}/ann/${name}/pulls/2`,
      latest_comment_url: "",
      latest_comment_html_url: "",
    })
    expect((await forge.call(ben, `GET /notifications/threads/${body[1].id}`)).body).toEqual(body[1])
  })

  test("are listed by status, subject and time, newest change first, in pages", async () => {
    const { name } = await happened(100, 200, 300, 300)
    const path = `/repos/ann/${name}/notifications`
    await forge.call(ben, `PATCH /notifications/threads/${await idOf("t1")}?to-status=pinned`)
    await forge.call(ben, `PATCH /notifications/threads/${await idOf("t2")}`)
    const { database } = forge.hearth.services
    await database.write((tx) => tx.updateTable("notifications").set({ updated_at: 100 }).where("status", "=", "pinned").execute())
    await database.write((tx) => tx.updateTable("notifications").set({ updated_at: 200 }).where("status", "=", "read").execute())
    for (const [query, titles] of [
      ["", "t4 t3 t1"],
      ["?all=true", "t4 t3 t2 t1"],
      ["?all=false&status-types=read", "t2"],
      ["?status-types=read&status-types=PINNED", "t2 t1"],
      ["?status-types=", "t4 t3 t1"],
      ["?status-types=&status-types=%20unread", "t4 t3"],
      ["?subject-type=pull", "t4"],
      ["?subject-type=Issue", "t3 t1"],
      ["?subject-type=Issue&subject-type=Commit", "t3 t1"],
      ["?subject-type=commit", ""],
      ["?subject-type=repository", ""],
      ["?since=1970-01-01T00:03:20Z", "t4 t3"],
      ["?since=1970-01-01T00:05:00Z", ""],
      ["?since=1970-01-01T00:04:59Z", "t4 t3"],
      ["?before=1970-01-01T00:01:40Z", ""],
      ["?before=1970-01-01T00:01:41Z", "t1"],
      ["?all=true&since=1970-01-01T00:01:40Z&before=1970-01-01T00:05:00Z", "t2"],
      ["?all=true&since=1970-01-01T00:01:39Z&before=1970-01-01T00:03:21Z", "t2 t1"],
      ["?since=2030-01-01T00:00:00Z", ""],
    ] as const)
      for (const where of ["/notifications", path])
        expect(await list(query, where), `${where}${query}`).toEqual({ titles, total: titles === "" ? 0 : titles.split(" ").length })
    expect(await list("?limit=2&page=1")).toEqual({ titles: "t4 t3", total: 3 })
    expect(await list("?limit=2&page=2")).toEqual({ titles: "t1", total: 3 })
    expect(await list("?limit=2&page=3")).toEqual({ titles: "", total: 3 })
    expect(await list("?limit=2&page=2&before=2030-01-01T00:00:00Z")).toEqual({ titles: "t1", total: 3 })
    const { headers } = await forge.call(ben, "GET /notifications?limit=2")
    expect(headers.get("link")).toContain('page=2>; rel="next"')
    const other = await repository()
    expect(await list("", `/repos/ann/${other.name}/notifications`)).toEqual({ titles: "", total: 0 })
    expect((await forge.call(ben, "GET /notifications/new")).body).toEqual({ new: 2 })
  })

  test("are refused where they can't be asked for", async () => {
    const { name } = await happened(100)
    for (const [who, route, status] of [
      [ben, "GET /notifications?since=today", 422],
      [ben, "GET /notifications?before=today", 422],
      [ben, `GET /repos/ann/${name}/notifications?status-types=unread&status-types=bogus`, 422],
      [ben, `GET /repos/ann/${name}/notifications?subject-type=bogus`, 422],
      [ben, "GET /notifications?all=perhaps", 422],
      [ben, "PUT /notifications?all=perhaps", 422],
      [ben, "PUT /notifications?status-types=bogus", 422],
      [ben, "PUT /notifications?to-status=bogus", 422],
      [ben, `PATCH /notifications/threads/${await idOf("t1")}?to-status=bogus`, 422],
      [ben, "PUT /notifications?last_read_at=now", 400],
      [ben, `PUT /repos/ann/${name}/notifications?last_read_at=2026-13-01T00:00:00Z`, 400],
      [undefined, "GET /notifications", 401],
      [undefined, "GET /notifications/new", 401],
      [undefined, "PUT /notifications", 401],
      [undefined, "GET /notifications/threads/1", 401],
      [undefined, `GET /repos/ann/${name}/notifications`, 401],
      [undefined, "GET /repos/ann/none/notifications", 404],
      [ben, "GET /notifications/threads/999999999", 404],
      [ben, "PATCH /notifications/threads/none", 404],
      [cal, `GET /notifications/threads/${await idOf("t1")}`, 403],
      [cal, `PATCH /notifications/threads/${await idOf("t1")}`, 403],
      [forge.root, `GET /notifications/threads/${await idOf("t1")}`, 200],
      [forge.root, `PATCH /notifications/threads/${await idOf("t1")}`, 403],
    ] as const)
      expect((await forge.call(who, route)).status, route).toBe(status)
    expect((await forge.call(forge.root, "GET /notifications")).body).toEqual([])
  })

  test("are marked one by one", async () => {
    await happened(100)
    const id = await idOf("t1")
    for (const [query, status] of [
      ["", { unread: false, pinned: false }],
      ["?to-status=pinned", { unread: false, pinned: true }],
      ["?to-status=UNREAD", { unread: true, pinned: false }],
      ["?to-status=", { unread: false, pinned: false }],
    ] as const) {
      expect((await forge.call(ben, `PATCH /notifications/threads/${id}${query}`)).status).toBe(205)
      expect((await forge.call(ben, `GET /notifications/threads/${id}`)).body).toMatchObject(status)
    }
    expect((await forge.call(ben, `GET /notifications/threads/${id}`)).body.updated_at).not.toBe("1970-01-01T00:01:40Z")
  })

  test("are marked together: the unread ones, or those that are asked for, of everywhere or of one repository", async () => {
    const { name } = await happened(100, 200, 300)
    await forge.call(ben, `PATCH /notifications/threads/${await idOf("t1")}?to-status=pinned`)
    const mark = async (route: string) => expect((await forge.call(ben, `PUT ${route}`)).status, route).toBe(205)
    await mark("/notifications?last_read_at=1970-01-01T00:03:20Z")
    expect(await list("?status-types=read")).toEqual({ titles: "t2", total: 1 })
    await mark(`/repos/ann/${(await repository()).name}/notifications`)
    expect(await list("?status-types=unread")).toEqual({ titles: "t3", total: 1 })
    await mark("/notifications")
    expect(await list("?status-types=read")).toMatchObject({ total: 2 })
    expect(await list("?status-types=pinned")).toEqual({ titles: "t1", total: 1 })
    await mark(`/repos/ann/${name}/notifications?all=true&to-status=unread`)
    expect(await list("?status-types=unread")).toMatchObject({ total: 3 })
    await mark("/notifications?status-types=read&to-status=pinned")
    expect(await list("?status-types=unread")).toMatchObject({ total: 3 })
    await mark("/notifications?status-types=unread&to-status=pinned")
    expect(await list("?status-types=pinned")).toMatchObject({ total: 3 })
  })

  test("are marked in steps, all of them", async () => {
    const { id } = await happened()
    const { database } = forge.hearth.services
    const me = await userNamed(forge.hearth, "ben")
    const issue = await issueOf(forge.hearth, id, "ann")
    await database.write((tx) =>
      tx
        .insertInto("notifications")
        .values(
          Array.from({ length: 2_500 }, (_, index) => ({
            user_id: me.id,
            repository_id: id,
            subject: "issue" as const,
            issue_id: index === 0 ? issue.id : null,
            status: index % 5 === 0 ? ("pinned" as const) : ("unread" as const),
            created_at: index,
            updated_at: index,
          })),
        )
        .execute(),
    )
    expect((await forge.call(ben, "GET /notifications/new")).body).toEqual({ new: 2_000 })
    expect((await forge.call(ben, "PUT /notifications?all=true")).status).toBe(205)
    expect((await forge.call(ben, "GET /notifications/new")).body).toEqual({ new: 0 })
    expect((await forge.call(ben, "GET /notifications?status-types=read&limit=1")).headers.get("x-total-count")).toBe("2500")
  })

  test("are neither shown nor counted once their subject may not be seen, and are back with the access", async () => {
    const { name } = await happened(100, 200)
    const hidden = await issueOf(forge.hearth, (await repository()).id, "ben", { title: "mine" })
    await happen(forge.hearth, hidden, "cal", { kind: "commented", at: 300 })
    const id = await idOf("t1")
    const gone = async (titles: string, count: number) => {
      expect(await list()).toEqual({ titles, total: count })
      expect(await list("?all=true&since=1970-01-01T00:00:00Z")).toEqual({ titles, total: count })
      expect(await list("?limit=1&page=2")).toMatchObject({ total: count })
      expect((await forge.call(ben, "GET /notifications/new")).body).toEqual({ new: count })
    }
    await gone("mine t2 t1", 3)
    await forge.call(ann, `PATCH /repos/ann/${name}`, { private: true })
    await gone("mine", 1)
    expect((await forge.call(ben, `GET /notifications/threads/${id}`)).status).toBe(404)
    expect((await forge.call(ben, `PATCH /notifications/threads/${id}`)).status).toBe(404)
    expect((await forge.call(ben, `GET /repos/ann/${name}/notifications`)).status).toBe(404)
    // Invisible threads are not marked either.
    expect((await forge.call(ben, "PUT /notifications?all=true&to-status=pinned")).status).toBe(205)
    await forge.call(ann, `PATCH /repos/ann/${name}`, { private: false })
    expect(await list("?status-types=unread")).toEqual({ titles: "t2 t1", total: 2 })

    await forge.call(ann, `PATCH /repos/ann/${name}`, { has_issues: false })
    expect(await list("?status-types=unread")).toEqual({ titles: "t2", total: 1 })
    expect((await forge.call(ben, `GET /notifications/threads/${id}`)).status).toBe(404)
    await forge.call(ann, `PATCH /repos/ann/${name}`, { has_pull_requests: false })
    expect(await list("?status-types=unread")).toEqual({ titles: "", total: 0 })
  })

  test("go with their issue, repository or person", async () => {
    const { id, issues } = await happened(100, 200)
    const { database } = forge.hearth.services
    await database.write((tx) =>
      tx
        .deleteFrom("issues")
        .where("id", "=", issues[0]?.id ?? 0)
        .execute(),
    )
    expect(await list()).toEqual({ titles: "t2", total: 1 })
    await forge.person("zoe")
    const issue = await issueOf(forge.hearth, id, "zoe", { number: 9 })
    await happen(forge.hearth, issue, "cal", { kind: "commented" })
    await database.write((tx) => tx.deleteFrom("users").where("name", "=", "zoe").execute())
    await database.write((tx) => tx.deleteFrom("repositories").where("id", "=", id).execute())
    expect(await list()).toEqual({ titles: "", total: 0 })
  })

  test("are counted by the database, whatever is done to them", async () => {
    const { database } = forge.hearth.services
    const places = await Promise.all([1, 2].map(() => repository()))
    const people = await Promise.all(["ann", "ben"].map((name) => userNamed(forge.hearth, name)))
    const statuses = ["unread", "read", "pinned"] as const
    const pick = fc.nat(1)
    const step = fc.oneof(
      fc.record({
        do: fc.constant("insert" as const),
        person: pick,
        place: pick,
        status: fc.constantFrom(...statuses),
        count: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ do: fc.constant("update" as const), person: pick, from: fc.constantFrom(...statuses), to: fc.constantFrom(...statuses) }),
      fc.record({ do: fc.constant("delete" as const), person: pick, status: fc.constantFrom(...statuses) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        await database.write(async (tx) => {
          await tx.deleteFrom("notifications").execute()
          for (const given of steps) {
            const user_id = people[given.person]?.id ?? 0
            if (given.do === "insert")
              await tx
                .insertInto("notifications")
                .values(
                  Array.from({ length: given.count }, () => ({
                    user_id,
                    repository_id: places[given.place]?.id ?? 0,
                    subject: "issue" as const,
                    issue_id: null,
                    status: given.status,
                    created_at: 1,
                    updated_at: 1,
                  })),
                )
                .execute()
            else if (given.do === "update")
              await tx
                .updateTable("notifications")
                .set({ status: given.to, updated_at: 2 })
                .where("user_id", "=", user_id)
                .where("status", "=", given.from)
                .execute()
            else await tx.deleteFrom("notifications").where("user_id", "=", user_id).where("status", "=", given.status).execute()
          }
        })
        const kept = await database.read
          .selectFrom("notification_totals")
          .selectAll()
          .where("total", "!=", 0)
          .orderBy("user_id")
          .orderBy("repository_id")
          .orderBy("status")
          .execute()
        const counted = await database.read
          .selectFrom("notifications")
          .select(["user_id", "repository_id", "subject", "status"])
          .select((eb) => eb.fn.countAll<number>().as("total"))
          .groupBy(["user_id", "repository_id", "subject", "status"])
          .orderBy("user_id")
          .orderBy("repository_id")
          .orderBy("status")
          .execute()
        expect(kept).toEqual(counted)
      }),
      { numRuns: 60 },
    )
  })
})
