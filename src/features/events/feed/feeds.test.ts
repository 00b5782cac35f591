import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic, type Caller } from "../../../../tests/support/hearth.ts"

const as = (name: string): string => basic(name, "pass-word-1")

withHearth("feeds", { on: databaseKinds }, ({ test, forge }) => {
  test.beforeAll(async () => {
    for (const name of ["ann", "ben", "cal", "dee"]) await forge.person(name)
    await forge.call(as("ann"), "POST /orgs", { username: "club" })
    for (const name of ["open", "hush"]) await forge.call(as("ann"), "POST /orgs/club/repos", { name, private: name === "hush" })
    for (const [name, member, units_map] of [
      ["readers", "ben", { "repo.issues": "read", "repo.code": "read" }],
      ["coders", "cal", { "repo.code": "write" }],
    ] as const) {
      const { body } = await forge.call(as("ann"), "POST /orgs/club/teams", { name, units_map })
      teams.set(name, body.id)
      await forge.call(as("ann"), `PUT /teams/${body.id}/members/${member}`)
      await forge.call(as("ann"), `PUT /teams/${body.id}/repos/club/hush`)
    }
    await forge.call(as("dee"), "POST /repos/club/open/issues", { title: "Leak" })
    await forge.call(as("ann"), "POST /repos/club/open/issues/1/comments", { body: "Where?" })
    await forge.call(as("ann"), "POST /repos/club/hush/issues", { title: "Plan" })
  })

  const teams = new Map<string, number>()

  /** The entries of a feed, oldest first; checks its length. */
  async function entries(who: Caller, path: string) {
    const { status, body, headers } = await forge.call(who, `GET ${path}`)
    expect(status, path).toBe(200)
    const words = body.map((entry: { op_type: string; repo: { name: string } }) => `${entry.op_type} ${entry.repo.name}`).reverse()
    expect(Number(headers.get("x-total-count")), path).toBe(words.length)
    return words
  }
  const ORG = "/orgs/club/activities/feeds"
  const openRows = ["create_repo open", "create_issue open", "comment_issue open"]
  const allRows = ["create_repo open", "create_repo hush", "create_issue open", "comment_issue open", "create_issue hush"]

  test("of an organisation show members what they may read, and others what is public", async () => {
    expect(await entries(as("ann"), ORG)).toEqual(allRows)
    expect(await entries(as("ben"), ORG)).toEqual(allRows)
    // Users who may not read issues don't see them in feeds.
    expect(await entries(as("cal"), ORG)).toEqual(["create_repo open", "create_repo hush", "create_issue open", "comment_issue open"])
    expect(await entries(as("dee"), ORG)).toEqual(openRows)
    expect(await entries(undefined, ORG)).toEqual(openRows)
    expect(await entries(forge.root, ORG)).toEqual(allRows)
  })

  test("show actor, repository and comment", async () => {
    const { body } = await forge.call(as("dee"), `GET ${ORG}?limit=1`)
    const page = `${forge.hearth.url}/club/open/issues/1`
    expect(body[0]).toMatchObject({
      op_type: "comment_issue",
      act_user: { login: "ann" },
      repo: { full_name: "club/open", permissions: { admin: false, push: false, pull: true } },
      content: "1|Where?",
      is_private: false,
      comment: {
        body: "Where?",
        user: { login: "ann" },
        assets: [],
        issue_url: page,
        pull_request_url: "",
        html_url: `${page}#issuecomment-${body[0].comment_id}`,
      },
    })
  })

  test("of a team show its repositories only, to those who may see the team", async () => {
    const path = `/teams/${teams.get("readers")}/activities/feeds`
    expect(await entries(as("ben"), path)).toEqual(["create_repo hush", "create_issue hush"])
    for (const [who, status] of [
      [as("cal"), 404],
      [as("dee"), 404],
      [undefined, 401],
    ] as const)
      expect((await forge.call(who, `GET ${path}`)).status).toBe(status)
  })

  test("of a repository show each event once", async () => {
    expect(await entries(as("dee"), "/repos/club/open/activities/feeds")).toEqual(openRows)
    expect(await entries(as("ben"), "/repos/club/hush/activities/feeds")).toEqual(["create_repo hush", "create_issue hush"])
    for (const who of [as("dee"), undefined]) expect((await forge.call(who, "GET /repos/club/hush/activities/feeds")).status).toBe(404)
  })

  test("of a person tell what happened where it watches, private entries to the person alone and only as long as they may be seen", async () => {
    await forge.call(as("ann"), "POST /user/repos", { name: "own" })
    await forge.call(as("ann"), "PATCH /repos/club/hush/issues/1", { state: "closed" })
    await forge.call(as("ben"), "PUT /repos/ann/own/subscription")
    expect(await entries(as("ben"), "/users/ben/activities/feeds")).toEqual(["create_issue hush", "close_issue hush", "watch_repo own"])
    expect(await entries(as("ben"), "/users/ben/activities/feeds?only-performed-by=true")).toEqual(["watch_repo own"])
    // Others see nothing private, not even those who may read the repository.
    for (const who of [as("ann"), as("dee"), undefined])
      expect(await entries(who, "/users/ben/activities/feeds")).toEqual(["watch_repo own"])
    expect(await entries(forge.root, "/users/ben/activities/feeds")).toHaveLength(3)
    await forge.call(as("ann"), `DELETE /teams/${teams.get("readers")}/members/ben`)
    expect(await entries(as("ben"), "/users/ben/activities/feeds")).toEqual(["watch_repo own"])
    expect((await forge.call(as("ben"), "GET /users/none/activities/feeds")).status).toBe(404)
  })

  test("show one day on request", async () => {
    const today = new Date().toISOString().slice(0, 10)
    expect(await entries(as("dee"), `${ORG}?date=${today}`)).toEqual(openRows)
    expect(await entries(as("dee"), `${ORG}?date=2001-02-03`)).toEqual([])
    expect(await entries(as("dee"), `${ORG}?date=`)).toEqual(openRows)
    for (const date of ["someday", "2026-02-30", "2026-1-1", `${today}T00:00:00Z`])
      expect(await forge.call(as("dee"), `GET ${ORG}?date=${date}`)).toMatchObject({
        status: 422,
        body: { message: "[date]: must be a day such as 2026-01-31" },
      })
  })

  test("leave out users who hide their activity, but not for themselves", async () => {
    await forge.call(as("dee"), "PATCH /user/settings", { hide_activity: true })
    expect(await entries(as("ann"), ORG)).not.toContain("create_issue open")
    expect(await entries(as("dee"), ORG)).toContain("create_issue open")
    expect(await entries(as("ann"), "/users/dee/activities/feeds")).toEqual([])
    expect(await entries(as("dee"), "/users/dee/activities/feeds")).toEqual(["create_issue open"])
    await forge.call(as("dee"), "PATCH /user/settings", { hide_activity: false })
  })

  test("still have entries of deleted actors, for callers who see everything", async () => {
    await forge.person("eve")
    await forge.call(as("eve"), "PUT /user/starred/club/open")
    const { database } = forge.hearth.services
    await database.write((tx) => tx.deleteFrom("users").where("name", "=", "eve").execute())
    const { body } = await forge.call(forge.root, `GET ${ORG}?limit=1`)
    expect(body[0]).toMatchObject({ op_type: "star_repo", act_user: null })
    expect(await entries(as("ann"), ORG)).not.toContain("star_repo open")
  })

  test("forget comments and issues that are deleted", async () => {
    const { body: issue } = await forge.call(as("ann"), "POST /repos/club/open/issues", { title: "Drip" })
    const { body: comment } = await forge.call(as("ann"), `POST /repos/club/open/issues/${issue.number}/comments`, { body: "Drop" })
    await forge.call(as("ann"), `PATCH /repos/club/open/issues/${issue.number}`, { state: "closed" })
    const newest = async () => (await entries(as("ann"), "/repos/club/open/activities/feeds")).slice(3)
    expect(await newest()).toEqual(["create_issue open", "comment_issue open", "close_issue open"])
    await forge.call(as("ann"), `DELETE /repos/club/open/issues/comments/${comment.id}`)
    expect(await newest()).toEqual(["create_issue open", "close_issue open"])
    await forge.call(as("ann"), `DELETE /repos/club/open/issues/${issue.number}`)
    expect(await newest()).toEqual([])
  })

  test("know their lengths from the totals that the database keeps", async () => {
    const { read } = forge.hearth.services.database
    const key = ["receiver_id", "repository_id", "actor_id", "unit", "is_private", "is_hidden"] as const
    const counted = await read
      .selectFrom("activities")
      .select(key)
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .groupBy(key)
      .execute()
    const kept = await read
      .selectFrom("activity_totals")
      .select([...key, "total"])
      .where("total", "!=", 0)
      .execute()
    const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
    expect(sorted(kept)).toEqual(sorted(counted))
    expect(counted.length).toBeGreaterThan(5)
  })
})
