import { sql } from "kysely"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { createToken } from "../sign-in/credentials/tokens.ts"
import { deleteOrganization } from "./rules.ts"
import { each, idOf, messageOf, openWorld, type Person, plainRepository } from "./testing.ts"

/** Members of organisations: who sees them, and how membership ends. */
withWorld("members of an organisation", { open: openWorld, on: databaseKinds }, ({ kind, test, world }) => {
  let alice: Person
  let bob: Person
  let carol: Person
  let dave: Person
  let org: string
  let crew: number
  let owners: number

  test.beforeAll(async () => {
    dave = await world.person("dave")
  })

  /** Alice's organisation with bob in the team crew; carol is restricted and in a team of her own. */
  const begin = async (): Promise<void> => {
    ;[alice, bob, carol] = [await world.person("alice"), await world.person("bob"), await world.person("carol", { restricted: true })]
    org = world.name("org")
    await world.call(alice, "POST /orgs", { username: org })
    crew = idOf(await world.call(alice, `POST /orgs/${org}/teams`, { name: "crew", units_map: { "repo.code": "write" } }))
    const solo = idOf(await world.call(alice, `POST /orgs/${org}/teams`, { name: "solo", units_map: { "repo.code": "read" } }))
    owners = Number(each(await world.call(alice, `GET /orgs/${org}/teams`), "id")[0])
    await world.call(alice, `PUT /teams/${crew}/members/${bob.name}`)
    await world.call(alice, `PUT /teams/${solo}/members/${carol.name}`)
  }
  const members = async (as: Person) => each(await world.call(as, `GET /orgs/${org}/members`), "login")

  test("members see all, strangers those who show themselves, a restricted member team mates", async () => {
    await begin()
    expect(await members(bob)).toEqual([alice.name, bob.name, carol.name])
    expect(await members(world.root)).toEqual([alice.name, bob.name, carol.name])
    expect(await members(dave)).toEqual([])
    expect(await members(carol)).toEqual([carol.name])
    expect((await world.call(undefined, `GET /orgs/${org}/members`)).status).toBe(401)
    await world.call(bob, `PUT /orgs/${org}/public_members/${bob.name}`)
    expect(await members(dave)).toEqual([bob.name])
    expect(await members(carol)).toEqual([bob.name, carol.name])
    expect(each(await world.call(undefined, `GET /orgs/${org}/public_members`), "login")).toEqual([bob.name])
  })

  test("a token for public things shows what is public, also to a member", async () => {
    await begin()
    const scopes = ["public-only", "read:organization"]
    const { token } = await world.services.database.write((tx) => createToken(tx, { userId: bob.user.id, name: "narrow", scopes, now: 1 }))
    const narrow = { ...bob, token }
    expect(await members(narrow)).toEqual([])
    expect((await world.call(narrow, `GET /orgs/${org}/members/${alice.name}`)).status).toBe(303)
    await world.call(alice, `PATCH /orgs/${org}`, { visibility: "limited" })
    expect((await world.call(narrow, `GET /orgs/${org}/members`)).status).toBe(404)
  })

  test("a hidden user is in no list for others, and is indistinguishable from a missing one", async () => {
    await begin()
    await world.call(bob, `PUT /orgs/${org}/public_members/${bob.name}`)
    await world.services.database.write((tx) =>
      tx.updateTable("users").set({ visibility: "private" }).where("id", "=", bob.user.id).execute(),
    )
    expect(await members(dave)).toEqual([])
    expect((await world.call(dave, `GET /orgs/${org}/members/${bob.name}`)).status).toBe(404)
    expect((await world.call(dave, `GET /orgs/${org}/public_members/${bob.name}`)).status).toBe(404)
    expect((await world.call(alice, `GET /orgs/${org}/members/${bob.name}`)).status).toBe(204)
  })

  test("whether a user is a member is answered to members; others are redirected", async () => {
    await begin()
    const ask = (as: Person, name: string) => world.call(as, `GET /orgs/${org}/members/${name}`)
    expect((await ask(bob, alice.name)).status).toBe(204)
    expect((await ask(bob, dave.name)).status).toBe(404)
    expect((await ask(bob, "nobody")).status).toBe(404)
    expect((await ask(dave, dave.name)).status).toBe(404)
    const sent = await ask(dave, bob.name)
    expect(sent.status).toBe(303)
    expect(sent.headers.get("location")).toBe(`/api/v1/orgs/${org}/public_members/${bob.name}`)
  })

  test("members show and conceal themselves, owners all members", async () => {
    await begin()
    const change = async (as: Person | undefined, method: string, who: Person) =>
      (await world.call(as, `${method} /orgs/${org}/public_members/${who.name}`)).status
    expect(await change(bob, "PUT", bob)).toBe(204)
    expect((await world.call(undefined, `GET /orgs/${org}/public_members/${bob.name}`)).status).toBe(204)
    expect(await change(bob, "PUT", carol)).toBe(403)
    expect(await change(alice, "PUT", carol)).toBe(204)
    expect(await change(dave, "PUT", dave)).toBe(403)
    expect(await change(undefined, "PUT", bob)).toBe(401)
    expect(await change(alice, "PUT", dave)).toBe(404)
    expect(await change(bob, "DELETE", bob)).toBe(204)
    expect(await change(bob, "DELETE", carol)).toBe(403)
    expect((await world.call(dave, `GET /orgs/${org}/public_members/${bob.name}`)).status).toBe(404)
  })

  test("a removed member loses teams, collaborations and watches", async () => {
    await begin()
    const { id } = await world.repository(org, bob)
    await world.watch(bob, id)
    expect((await world.call(bob, `DELETE /orgs/${org}/members/${carol.name}`)).status).toBe(403)
    expect((await world.call(alice, `DELETE /orgs/${org}/members/nobody`)).status).toBe(404)
    expect((await world.call(alice, `DELETE /orgs/${org}/members/${bob.name}`)).status).toBe(204)
    expect((await world.call(alice, `GET /orgs/${org}/members/${bob.name}`)).status).toBe(404)
    expect((await world.call(alice, `GET /teams/${crew}/members/${bob.name}`)).status).toBe(404)
    expect(await world.watchers(id)).toEqual([alice.user.id])
    const left = await world.services.database.read.selectFrom("collaborations").selectAll().where("user_id", "=", bob.user.id).execute()
    expect(left).toEqual([])
    // A second time: nothing to do.
    expect((await world.call(alice, `DELETE /orgs/${org}/members/${bob.name}`)).status).toBe(204)
  })

  test("the last owner stays", async () => {
    await begin()
    const refused = await world.call(alice, `DELETE /orgs/${org}/members/${alice.name}`)
    expect(refused.status).toBe(422)
    expect(messageOf(refused)).toContain("last owner")
    expect((await world.call(world.root, `DELETE /teams/${owners}/members/${alice.name}`)).status).toBe(422)
    await world.call(alice, `PUT /teams/${owners}/members/${bob.name}`)
    expect((await world.call(bob, `DELETE /orgs/${org}/members/${alice.name}`)).status).toBe(204)
    expect((await world.call(bob, `DELETE /orgs/${org}/members/${bob.name}`)).status).toBe(422)
  })

  test("two concurrent removals never remove both of two owners", async () => {
    for (let round = 0; round < 8; round++) {
      await begin()
      await world.call(alice, `PUT /teams/${owners}/members/${bob.name}`)
      const statuses = await Promise.all([
        world.call(world.root, `DELETE /orgs/${org}/members/${alice.name}`),
        world.call(world.root, `DELETE /teams/${owners}/members/${bob.name}`),
      ]).then((answers) => answers.map(({ status }) => status).sort())
      expect(statuses).toEqual([204, 422])
      expect(each(await world.call(world.root, `GET /teams/${owners}/members`), "login")).toHaveLength(1)
    }
  })

  // PostgreSQL cascades a deletion to rows that were added after its check, so the deletion has to wait for such a transaction.
  // SQLite has one writer, so the two never run concurrently.
  if (kind === "postgres")
    test("a repository that is being added keeps its organisation from being deleted", async () => {
      await begin()
      const { database, now } = world.services
      const { id: ownerId } = await database.read.selectFrom("users").select("id").where("lower_name", "=", org).executeTakeFirstOrThrow()
      const name = world.name("repo")
      let isAdded: () => void = () => {}
      const added = new Promise<void>((resolve) => {
        isAdded = resolve
      })
      const adding = database.write(async (tx) => {
        await tx
          .insertInto("repositories")
          .values(plainRepository(ownerId, name, now()))
          .execute()
        isAdded()
        // Commits once the deletion waits for this transaction.
        const waiting = sql`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
        while ((await waiting.execute(tx)).rows.length === 0);
      })
      await added
      const deleting = database.write((tx) => deleteOrganization(tx, world.services, ownerId))
      await expect(deleting).rejects.toMatchObject({ kind: "invalid", field: "org" })
      await adding
      expect((await world.call(alice, `GET /orgs/${org}`)).status).toBe(200)
    })

  test("owners block people, but no members and no organisations", async () => {
    await begin()
    const on = async (as: Person, method: string, name: string) => (await world.call(as, `${method} /orgs/${org}/blocks/${name}`)).status
    expect(await on(bob, "PUT", dave.name)).toBe(403)
    expect(await on(alice, "PUT", bob.name)).toBe(400)
    expect(await on(alice, "PUT", org)).toBe(400)
    expect(await on(alice, "PUT", "nobody")).toBe(404)
    expect(await on(alice, "GET", dave.name)).toBe(404)
    expect(await on(alice, "PUT", dave.name)).toBe(204)
    expect(await on(alice, "GET", dave.name)).toBe(204)
    expect(each(await world.call(alice, `GET /orgs/${org}/blocks`), "login")).toEqual([dave.name])
    expect((await world.call(alice, `PUT /teams/${crew}/members/${dave.name}`)).status).toBe(403)
    expect(await on(alice, "DELETE", dave.name)).toBe(204)
    expect((await world.call(alice, `PUT /teams/${crew}/members/${dave.name}`)).status).toBe(204)
    expect((await world.call(bob, `GET /orgs/${org}/blocks`)).status).toBe(403)
  })
})
