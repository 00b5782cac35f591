import { expect } from "vitest"
import { databaseKinds } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { openWorld, type Person, person, repository } from "../git-http/testing.ts"
import { ask, basic } from "./testing.ts"

withWorld("locks", { on: databaseKinds, open: openWorld }, ({ test, world }) => {
  let ada: Person
  let ben: Person
  let eve: Person
  test.beforeAll(async () => {
    ada = await person(world, "Ada")
    ben = await person(world, "ben")
    eve = await person(world, "eve")
    await repository(world, eve.user, "hers")
    for (const name of ["tool", "many", "secret"]) {
      const row = await repository(world, ada.user, name, { isPrivate: name === "secret" })
      await world.services.database.write((tx) =>
        tx.insertInto("collaborations").values({ repository_id: row.id, user_id: ben.user.id, mode: 2, created_at: 1 }).execute(),
      )
    }
  })
  test.afterEach(() => world.services.database.write((tx) => tx.deleteFrom("lfs_locks").execute()))

  const lock = (path: string, who: Person, file: string) =>
    ask(world, path, "locks", basic(who), { path: file, ref: { name: "refs/heads/main" } })
  const unlock = (path: string, who: Person, id: string, force?: boolean) => ask(world, path, `locks/${id}/unlock`, basic(who), { force })
  const list = async (path: string, query = "", who?: Person) => (await ask(world, path, `locks${query}`, who && basic(who))).body

  test("are made, listed, told apart, and given up", async () => {
    const made = await lock("ada/tool", ada, "art/logo.psd")
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      lock: {
        id: expect.stringMatching(/^\d+$/),
        path: "art/logo.psd",
        locked_at: expect.stringMatching(/^20.*Z$/),
        owner: { name: "Ada" },
      },
    })
    const again = await lock("ada/tool", ben, "art/logo.psd")
    expect([again.status, again.body.lock, again.body.message]).toEqual([409, made.body.lock, "already created lock"])
    const other = (await lock("ada/tool", ben, "art/film.mov")).body.lock
    expect(await list("ada/tool")).toEqual({ locks: [made.body.lock, other] })
    expect(await list("ada/tool", "?path=art/film.mov")).toEqual({ locks: [other] })
    expect(await list("ada/tool", `?id=${other.id}&refspec=refs/heads/main`)).toEqual({ locks: [other] })
    expect(await list("ada/tool", "?id=none")).toEqual({ locks: [] })
    expect(await list("ada/tool", "?path=art/%00")).toEqual({ locks: [] })
    expect((await ask(world, "ada/tool", "locks/verify", basic(ben), { ref: { name: "refs/heads/main" } })).body).toEqual({
      ours: [other],
      theirs: [made.body.lock],
    })
    expect((await ask(world, "ada/tool", "locks/verify", basic(ben), "")).status).toBe(200)

    const refused = await unlock("ada/tool", ben, made.body.lock.id)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("Ada")])
    expect((await unlock("ada/tool", ben, other.id)).body).toEqual({ lock: other })
    expect((await unlock("ada/tool", ben, other.id)).status).toBe(404)
    expect((await unlock("ada/tool", ben, made.body.lock.id, true)).body).toEqual({ lock: made.body.lock })
    expect(await list("ada/tool")).toEqual({ locks: [] })
  })

  test("come in pages", async () => {
    for (let index = 0; index < 5; index++) await lock("ada/many", index % 2 === 0 ? ada : ben, `file-${index}`)
    const seen: string[] = []
    let cursor = ""
    for (;;) {
      const page = await list("ada/many", `?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.locks.map((each: { path: string }) => each.path))
      if (page.next_cursor === undefined) break
      cursor = page.next_cursor
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((index) => `file-${index}`))
    const first = (await ask(world, "ada/many", "locks/verify", basic(ada), { limit: 3 })).body
    expect([first.ours.length, first.theirs.length]).toEqual([2, 1])
    const rest = (await ask(world, "ada/many", "locks/verify", basic(ada), { cursor: first.next_cursor })).body
    expect([rest.ours.length, rest.theirs.length, rest.next_cursor]).toEqual([1, 1, undefined])
    expect((await ask(world, "ada/many", "locks?cursor=x")).status).toBe(400)
  })

  test("are for those who write; to others what is hidden is missing", async () => {
    const { id } = (await lock("ada/tool", ada, "mine")).body.lock
    expect((await lock("ada/tool", eve, "file")).status).toBe(403)
    expect((await unlock("ada/tool", eve, id, true)).status).toBe(403)
    expect((await ask(world, "ada/tool", "locks/verify", basic(eve), {})).status).toBe(403)
    expect((await ask(world, "ada/tool", "locks", {}, { path: "file" })).status).toBe(401)
    expect((await ask(world, "ada/tool", `locks/${id}/unlock`, {}, {})).status).toBe(401)
    expect((await list("ada/tool", "", eve)).locks).toHaveLength(1)
    expect((await ask(world, "ada/secret", "locks")).status).toBe(401)
    expect((await ask(world, "ada/secret", "locks", basic(eve))).status).toBe(404)
    expect((await lock("ada/secret", eve, "file")).status).toBe(404)
  })

  test("belong to their repository: elsewhere their numbers lead to nothing", async () => {
    const { id } = (await lock("ada/secret", ada, "plans")).body.lock
    expect((await unlock("eve/hers", eve, id, true)).status).toBe(404)
    expect(await list("eve/hers", `?id=${id}`)).toEqual({ locks: [] })
    expect(await list("eve/hers", `?cursor=${id}`)).toEqual({ locks: [] })
    expect((await list("ada/secret", "", ada)).locks).toHaveLength(1)
    for (const odd of ["0", "-1", "1e1", "x", "99999999999999999999"]) expect((await unlock("eve/hers", eve, odd, true)).status).toBe(404)
  })

  test.each(["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a\0b", "x".repeat(5000)])("%j is no path", async (path) => {
    expect((await lock("ada/tool", ada, path)).status).toBe(422)
  })

  test("of two who ask at once one gets it", async () => {
    const answers = await Promise.all([ada, ben, ada, ben].map((who) => lock("ada/tool", who, "contested")))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  test("go with the account that holds them", async () => {
    const zoe = await person(world, "zoe")
    const row = await world.services.database.read
      .selectFrom("repositories")
      .select("id")
      .where("lower_name", "=", "tool")
      .executeTakeFirstOrThrow()
    const write = world.services.database.write
    await write((tx) =>
      tx.insertInto("collaborations").values({ repository_id: row.id, user_id: zoe.user.id, mode: 2, created_at: 1 }).execute(),
    )
    expect((await lock("ada/tool", zoe, "hers")).status).toBe(201)
    await write((tx) => tx.deleteFrom("users").where("id", "=", zoe.user.id).execute())
    expect((await lock("ada/tool", ada, "hers")).status).toBe(201)
  })
})
