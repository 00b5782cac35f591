import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"

/** A bot that loses answers, edits what others edit too, and tidies up a hundred issues at once. */
withHearth(
  "writes that are repeated, and many at once",
  { people: ["bot", "ann"], on: databaseKinds },
  ({ test, forge, call, bot, ann }) => {
    const AT = "/repos/bot/garden"
    test.beforeAll(async () => {
      await call(bot, "POST /user/repos", { name: "garden", auto_init: true, default_branch: "main" })
      await call(bot, `PUT ${AT}/collaborators/ann`, { permission: "write" })
    })

    const issues = async () => (await call(bot, `GET ${AT}/issues?state=all&limit=50`)).headers.get("x-total-count")

    test("a write that is sent again with its key is done once, and answered as it was", async () => {
      const send = (title: string, key = "water-1") => call(bot, `POST ${AT}/issues`, { title }, { "idempotency-key": key })
      const before = Number(await issues())
      const first = await send("water the beans")
      expect(first.status).toBe(201)
      expect(first.headers.get("idempotent-replayed")).toBeNull()
      const again = await send("water the beans")
      expect([again.status, again.body]).toEqual([201, first.body])
      expect(again.headers.get("idempotent-replayed")).toBe("true")
      const other = await send("water the peas")
      expect(other.status).toBe(422)
      expect(other.body.message).toContain("[Idempotency-Key]")
      expect(await send("water the peas", "water-2")).toMatchObject({ status: 201 })
      // Fifty at once, of which one does it.
      const many = await Promise.all(Array.from({ length: 50 }, () => send("dig", "dig-1")))
      expect(new Set(many.map(({ status }) => status))).toEqual(new Set([201]))
      expect(new Set(many.map(({ body }) => body.number)).size).toBe(1)
      expect(Number(await issues())).toBe(before + 3)
    })

    test("a change of git data is done once too, and what was refused can be sent again", async () => {
      const key = { "idempotency-key": "file-1" }
      const body = { content: Buffer.from("beans\n").toString("base64"), message: "plant", branch: "main" }
      const refused = await call(bot, `POST ${AT}/contents/beans.txt`, { ...body, branch: "nowhere" }, key)
      expect(refused.status).toBeGreaterThanOrEqual(400)
      const first = await call(bot, `POST ${AT}/contents/beans.txt`, body, key)
      const again = await call(bot, `POST ${AT}/contents/beans.txt`, body, key)
      expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
      expect(
        (await call(bot, `GET ${AT}/commits?limit=10`)).body.filter((each: { commit: { message: string } }) =>
          each.commit.message.startsWith("plant"),
        ),
      ).toHaveLength(1)
    })

    test("what was deleted or renamed is answered as before too", async () => {
      await call(bot, "POST /user/repos", { name: "shed" })
      const rename = () => call(bot, "PATCH /repos/bot/shed", { name: "barn" }, { "idempotency-key": "rename-1" })
      const remove = (repo: string) => call(bot, `DELETE /repos/bot/${repo}`, undefined, { "idempotency-key": "delete-1" })
      const [renamed, again] = [await rename(), await rename()]
      expect([renamed.status, again.status, again.body]).toEqual([200, 200, renamed.body])
      expect([(await remove("barn")).status, (await remove("barn")).status, (await remove("garden")).status]).toEqual([204, 204, 422])
      expect((await call(bot, "DELETE /repos/bot/barn", undefined, { "idempotency-key": "delete-2" })).status).toBe(404)
    })

    test("a new token is in the kept answer, and nowhere in clear", async () => {
      const send = () => call(bot, "POST /users/bot/tokens", { name: "kept", scopes: ["read:user"] }, { "idempotency-key": "token-1" })
      const first = await send()
      const again = await send()
      expect(again.body).toEqual(first.body)
      expect(first.body.sha1).toMatch(/^\w{20,}$/)
      const rows = await forge.hearth.services.database.read.selectFrom("kept_answers").selectAll().execute()
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toContain(first.body.sha1)
    })

    test("an edit under a condition is refused when somebody was faster", async () => {
      const { body: issue } = await call(bot, `POST ${AT}/issues`, { title: "prune" })
      const path = `${AT}/issues/${issue.number}`
      const tag = async () => (await call(bot, `GET ${path}`)).headers.get("etag") ?? ""
      const edit = (who: string, title: string, ifMatch: string) => call(who, `PATCH ${path}`, { title }, { "if-match": ifMatch })
      const known = await tag()
      const done = await edit(bot, "prune the roses", known)
      expect(done.status).toBe(201)
      expect(done.headers.get("etag")).toBe(await tag())
      const late = await edit(bot, "prune the tulips", known)
      expect(late.status).toBe(412)
      expect(late.body.message).toContain("[If-Match]")
      expect((await edit(bot, "prune the tulips", `W/${await tag()}`)).status).toBe(412)
      expect((await edit(bot, "prune everything", `"other", ${await tag()}`)).status).toBe(201)
      expect((await edit(bot, "prune", "*")).status).toBe(201)
      expect((await edit(bot, "prune", "unquoted")).status).toBe(422)
      expect((await call(bot, `POST ${AT}/issues`, { title: "no" }, { "if-match": "*" })).status).toBe(422)
      // Twenty at once with the same tag: one wins.
      const now = await tag()
      const many = await Promise.all(Array.from({ length: 20 }, (_, index) => edit(bot, `title ${index}`, now)))
      expect(many.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(many.filter(({ status }) => status === 412)).toHaveLength(19)
      const gone = await call(bot, `DELETE ${path}`, undefined, { "if-match": await tag() })
      expect(gone.status).toBe(204)
    })

    test("the same holds for what is in the repository: of those who delete a branch or write a file under a condition, one wins", async () => {
      await call(bot, `POST ${AT}/branches`, { new_branch_name: "topic", old_branch_name: "main" })
      const tag = async (path: string) => (await call(bot, `GET ${AT}/${path}`)).headers.get("etag") ?? ""
      const branch = await tag("branches/topic")
      const content = Buffer.from("topic\n").toString("base64")
      await call(bot, `POST ${AT}/contents/topic.txt`, { content, message: "move on", branch: "topic" })
      const remove = (ifMatch: string) => call(bot, `DELETE ${AT}/branches/topic`, undefined, { "if-match": ifMatch })
      expect((await remove(branch)).status).toBe(412)
      const now = await tag("branches/topic")
      const both = await Promise.all([remove(now), remove(now), remove(now)])
      // Those who come later find that it is gone.
      expect(both.map(({ status }) => status).sort()).toEqual([204, 412, 412])
      const page = await tag("contents/README.md")
      const { body: file } = await call(bot, `GET ${AT}/contents/README.md`)
      const write = (ifMatch: string) =>
        call(
          bot,
          `PUT ${AT}/contents/README.md`,
          { content, message: "new", sha: file.sha },
          { "if-match": ifMatch, "idempotency-key": `w${ifMatch}` },
        )
      expect((await write('"old"')).status).toBe(412)
      const written = await write(page)
      expect(written.status).toBe(200)
      expect(written.headers.get("etag")).toBe(await tag("contents/README.md"))
    })

    test("a batch does what its operations would do, with answers of earlier ones", async () => {
      const { status, body } = await call(bot, "POST /batch", {
        operations: [
          { method: "POST", path: `${AT}/labels`, body: { name: "green", color: "00aa00" } },
          { method: "POST", path: `${AT}/issues`, body: { title: "mow", labels: ["$0.id"] } },
          {
            method: "POST",
            path: `/api/v1${AT}/issues/$1.number/comments`,
            body: { body: "see #$1.number ($1.user.login), costs $5.99, not $$1.number" },
          },
          { method: "POST", path: `${AT}/issues`, body: { body: "no title" } },
          { method: "GET", path: `${AT}/issues/$1.number?x=$1.state` },
          { method: "POST", path: `${AT}/issues/$3.number/comments`, body: { body: "of what was refused" } },
          { method: "POST", path: "/repos/nobody/nothing/issues", body: { title: "missing" } },
          { method: "DELETE", path: `${AT}/issues/$1.number/labels/$0.id` },
        ],
      })
      expect(status).toBe(200)
      expect(body.results.map((each: { status: number }) => each.status)).toEqual([201, 201, 201, 422, 200, 424, 404, 204])
      const [label, issue, comment, , read] = body.results
      expect(issue.body.labels[0].id).toBe(label.body.id)
      expect(comment.body.body).toBe(`see #${issue.body.number} (bot), costs $5.99, not $1.number`)
      expect(read.body.number).toBe(issue.body.number)
      expect(body.results[7]).toEqual({ status: 204 })
    })

    test("a batch of all or nothing does all, or nothing and says which was refused; a dry run does nothing", async () => {
      const before = await issues()
      const events = async () => (await forge.hearth.services.database.read.selectFrom("events").select("id").execute()).length
      const eventsBefore = await events()
      const three = (title: unknown) => [
        { method: "POST", path: `${AT}/issues`, body: { title: "a" } },
        { method: "POST", path: `${AT}/issues`, body: { title } },
        { method: "PATCH", path: `${AT}/issues/$0.number`, body: { state: "closed" } },
      ]
      const refused = await call(bot, "POST /batch", { atomic: true, operations: three(5) })
      expect(refused.status).toBe(422)
      expect(refused.body.message).toMatch(/^\[operations\.1\]: .*nothing was done/)
      expect(refused.body.results.map((each: { status: number }) => each.status)).toEqual([424, 422, 424])
      const dry = await call(bot, "POST /batch", { dry_run: true, operations: three(5) })
      expect(dry.body.results.map((each: { status: number }) => each.status)).toEqual([201, 422, 201])
      expect(dry.body.results[2].body.state).toBe("closed")
      expect(await issues()).toBe(before)
      expect(await events()).toBe(eventsBefore)
      const done = await call(bot, "POST /batch", { atomic: true, operations: three("b") })
      expect(done.body.results.map((each: { status: number }) => each.status)).toEqual([201, 201, 201])
      expect(Number(await issues())).toBe(Number(before) + 2)
      expect(await events()).toBeGreaterThan(eventsBefore)
      const outside = await call(bot, "POST /batch", {
        atomic: true,
        operations: [
          { method: "POST", path: `${AT}/issues`, body: { title: "not without the branch" } },
          { method: "POST", path: `${AT}/branches`, body: { new_branch_name: "b", old_branch_name: "main" } },
        ],
      })
      expect(outside.status).toBe(422)
      expect(outside.body.results[1].body.message).toContain("repoCreateBranch")
      expect(Number(await issues())).toBe(Number(before) + 2)
    })

    test("a batch that is sent again with its key is done once", async () => {
      const before = Number(await issues())
      const send = () =>
        call(
          bot,
          "POST /batch",
          {
            operations: [
              { method: "POST", path: `${AT}/issues`, body: { title: "once" } },
              { method: "POST", path: `${AT}/issues`, body: {} },
            ],
          },
          { "idempotency-key": "batch-1" },
        )
      const first = await send()
      const again = await send()
      expect(first.body.results.map((each: { status: number }) => each.status)).toEqual([201, 422])
      expect(again.body).toEqual(first.body)
      expect(Number(await issues())).toBe(before + 1)
    })

    test("each person has keys of their own", async () => {
      const send = (who: string) => call(who, `POST ${AT}/issues`, { title: "mine" }, { "idempotency-key": "shared" })
      const [one, two] = [await send(bot), await send(ann)]
      expect(one.body.user.login).toBe("bot")
      expect(two.body.user.login).toBe("ann")
    })
  },
)
