import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic } from "../../../../tests/support/hearth.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { NotificationKind } from "./rules.ts"
import { commentOn, happen, issueOf, owned, userNamed } from "./testing.ts"

withHearth("receivers of notifications", { on: databaseKinds }, ({ test, forge }) => {
  const auth = (name: string): string => basic(name, "pass-word-1")
  const ids = new Map<string, number>()
  test.beforeAll(async () => {
    for (const name of ["ann", "ben", "cal", "dee", "eve"]) await forge.person(name)
  })

  let last = 0
  /** A repository of ann's, which she watches. */
  async function repository(more: object = {}): Promise<number> {
    const name = `r${++last}`
    const { body } = await forge.call(auth("ann"), "POST /user/repos", { name, ...more })
    ids.set(name, body.id)
    return body.id
  }
  /** The users who have a thread on the issue, with its status. */
  async function told(issue: Issue): Promise<Readonly<Record<string, string>>> {
    const rows = await forge.hearth.services.database.read
      .selectFrom("notifications")
      .innerJoin("users", "users.id", "notifications.user_id")
      .select(["users.name", "notifications.status"])
      .where("issue_id", "=", issue.id)
      .orderBy("users.name")
      .execute()
    return Object.fromEntries(rows.map(({ name, status }) => [name, status]))
  }
  const forget = (issue: Issue) =>
    forge.hearth.services.database.write((tx) => tx.deleteFrom("notifications").where("issue_id", "=", issue.id).execute())

  async function set(issue: Issue, name: string, row: "subscribed" | "unsubscribed" | "assigned"): Promise<void> {
    const { id } = await userNamed(forge.hearth, name)
    await forge.hearth.services.database.write(async (tx) => {
      if (row === "assigned") await tx.insertInto("issue_assignees").values({ issue_id: issue.id, user_id: id }).execute()
      else
        await tx
          .insertInto("issue_watches")
          .values({ issue_id: issue.id, user_id: id, is_watching: row === "subscribed" ? 1 : 0, updated_at: 1 })
          .execute()
    })
  }

  test("author, assignees, commenters, watchers and subscribers, but not the actor", async () => {
    const issue = await issueOf(forge.hearth, await repository(), "ben")
    await commentOn(forge.hearth, issue, "cal")
    await set(issue, "dee", "assigned")
    await set(issue, "eve", "subscribed")
    for (const kind of ["created", "commented", "closed", "reopened", "merged", "pushed", "reviewed", "dismissed", "ready"] as const) {
      await forget(issue)
      await happen(forge.hearth, issue, "ben", { kind })
      expect(await told(issue), kind).toEqual({ ann: "unread", cal: "unread", dee: "unread", eve: "unread" })
    }
  })

  test("only those who are named, for what concerns them alone, even if they unsubscribed", async () => {
    const issue = await issueOf(forge.hearth, await repository(), "ben")
    await set(issue, "cal", "unsubscribed")
    for (const kind of ["assigned", "mentioned", "review_requested"] satisfies NotificationKind[]) {
      await forget(issue)
      await happen(forge.hearth, issue, "ann", { kind, users: ["cal", "ann"] })
      expect(await told(issue), kind).toEqual({ cal: "unread" })
    }
    await forget(issue)
    await happen(forge.hearth, issue, "ann", { kind: "assigned" })
    expect(await told(issue)).toEqual({})
  })

  test("no users who unsubscribed, unless named", async () => {
    const issue = await issueOf(forge.hearth, await repository(), "ben")
    for (const name of ["ann", "ben"]) await set(issue, name, "unsubscribed")
    await happen(forge.hearth, issue, "cal", { kind: "commented" })
    expect(await told(issue)).toEqual({})
    await happen(forge.hearth, issue, "cal", { kind: "commented", users: ["ben", "dee"] })
    expect(await told(issue)).toEqual({ ben: "unread", dee: "unread" })
  })

  test("no users who may not read it", async () => {
    const hidden = await repository({ private: true })
    const name = [...ids].find(([, id]) => id === hidden)?.[0]
    await forge.call(auth("ann"), `PUT /repos/ann/${name}/collaborators/cal`, { permission: "read" })
    const issue = await issueOf(forge.hearth, hidden, "ben")
    await set(issue, "eve", "subscribed")
    await happen(forge.hearth, issue, "ann", { kind: "commented", users: ["cal", "dee"] })
    expect(await told(issue)).toEqual({ cal: "unread" })

    const without = await issueOf(forge.hearth, await repository(), "ben")
    await forge.call(auth("ann"), `PATCH /repos/ann/r${last}`, { has_issues: false })
    await happen(forge.hearth, without, "cal", { kind: "commented", users: ["dee"] })
    expect(await told(without)).toEqual({})
    const pull = await issueOf(forge.hearth, without.repository_id, "ben", { isPull: true, number: 2 })
    await happen(forge.hearth, pull, "cal", { kind: "commented", users: ["dee"] })
    expect(await told(pull)).toEqual({ ann: "unread", ben: "unread", dee: "unread" })
  })

  test("no users whose account is inactive", async () => {
    const issue = await issueOf(forge.hearth, await repository(), "ben")
    await forge.call(forge.root, "PATCH /admin/users/eve", { login_name: "eve", source_id: 0, active: false })
    await happen(forge.hearth, issue, "ann", { kind: "commented", users: ["eve"] })
    await forge.call(forge.root, "PATCH /admin/users/eve", { login_name: "eve", source_id: 0, active: true })
    expect(await told(issue)).toEqual({ ben: "unread" })
  })

  test("no watchers of a pull request that is being worked on, until it is ready", async () => {
    const pull = await issueOf(forge.hearth, await repository(), "ben", { isPull: true, title: "WIP: not yet" })
    await happen(forge.hearth, pull, "cal", { kind: "commented" })
    expect(await told(pull)).toEqual({ ben: "unread" })
    await happen(forge.hearth, { ...pull, title: "done" }, "ben", { kind: "ready" })
    expect(await told(pull)).toEqual({ ann: "unread", ben: "unread" })
  })

  test("each person once: a thread that was read is unread again, one that is pinned stays pinned", async () => {
    const issue = await issueOf(forge.hearth, await repository(), "ben")
    await happen(forge.hearth, issue, "cal", { kind: "commented", at: 100 })
    await forge.hearth.services.database.write(async (tx) => {
      const mark = (name: string, status: "read" | "pinned") =>
        tx
          .updateTable("notifications")
          .set({ status })
          .where("issue_id", "=", issue.id)
          .where("user_id", "in", tx.selectFrom("users").select("id").where("name", "=", name))
          .execute()
      await mark("ann", "pinned")
      await mark("ben", "read")
    })
    await happen(forge.hearth, issue, "cal", { kind: "closed", at: 200 })
    expect(await told(issue)).toEqual({ ann: "pinned", ben: "unread" })
    const { read } = forge.hearth.services.database
    const rows = await read.selectFrom("notifications").select(["created_at", "updated_at"]).where("issue_id", "=", issue.id).execute()
    expect(rows).toEqual([
      { created_at: 100, updated_at: 200 },
      { created_at: 100, updated_at: 200 },
    ])
  })

  test("of a repository on offer, those who can say yes", async () => {
    const person = await repository()
    expect((await forge.call(auth("ann"), `POST /repos/ann/r${last}/transfer`, { new_owner: "dee" })).status).toBe(201)
    const offers = async (id: number) =>
      (
        await forge.hearth.services.database.read
          .selectFrom("notifications")
          .innerJoin("users", "users.id", "notifications.user_id")
          .select("users.name")
          .where("subject", "=", "repository")
          .where("repository_id", "=", id)
          .orderBy("users.name")
          .execute()
      ).map(({ name }) => name)
    expect(await offers(person)).toEqual(["dee"])
    const { body } = await forge.call(auth("dee"), "GET /notifications?subject-type=repository")
    const { repository: home } = await owned(forge.hearth, person)
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({
      repository: { id: home.id },
      subject: {
        title: `ann/${home.name}`,
        type: "Repository",
        state: "",
        url: `/ann/${home.name}`,
        html_url: `${forge.hearth.url}/ann/${home.name}`,
      },
    })

    await forge.call(auth("cal"), "POST /orgs", { username: "club" })
    for (const [name, member, can_create_org_repo] of [
      ["makers", "ben", true],
      ["others", "eve", false],
    ] as const) {
      const team = await forge.call(auth("cal"), "POST /orgs/club/teams", { name, can_create_org_repo, units_map: { "repo.code": "read" } })
      await forge.call(auth("cal"), `PUT /teams/${team.body.id}/members/${member}`)
    }
    const organization = await repository()
    expect((await forge.call(auth("ann"), `POST /repos/ann/r${last}/transfer`, { new_owner: "club" })).status).toBe(201)
    expect(await offers(organization)).toEqual(["ben", "cal"])
  })
})
