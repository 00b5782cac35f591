import { expect } from "vitest"
import { databaseKinds, type FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { publish } from "../../../core/events/publish.ts"
import { each, idOf, messageOf, openWorld, type Person } from "../organizations/testing.ts"
import { attachTeams, detachAllTeams, isOrganizationOwner, mayCreateRepositories } from "./rules.ts"

/** Members and repositories of teams, and the effects of changes on watches and access. */
withWorld("members and repositories of teams", { open: openWorld, on: databaseKinds }, ({ test, world }) => {
  let olive: Person
  let anna: Person
  let stranger: Person
  let org: string
  let owners: number
  const units_map = { "repo.code": "read" }

  test.beforeAll(async () => {
    stranger = await world.person("stranger")
  })

  const begin = async (): Promise<void> => {
    ;[olive, anna] = [await world.person("olive"), await world.person("anna")]
    org = world.name("org")
    await world.call(olive, "POST /orgs", { username: org })
    owners = Number(each(await world.call(olive, `GET /orgs/${org}/teams`), "id")[0])
  }
  const team = async (body: object = {}): Promise<{ readonly id: number; readonly name: string }> => {
    const name = world.name("team")
    return { id: idOf(await world.call(olive, `POST /orgs/${org}/teams`, { name, units_map, ...body })), name }
  }
  const status = async (as: Person | undefined, request: string, body?: object) => (await world.call(as, request, body)).status
  const organization = () =>
    world.services.database.read.selectFrom("users").selectAll().where("lower_name", "=", org).executeTakeFirstOrThrow()

  test("owners add and remove; leaving the last team ends the membership of the organisation", async () => {
    await begin()
    const { id } = await team()
    expect(await status(olive, `PUT /teams/${id}/members/${anna.name}`)).toBe(204)
    expect(await status(olive, `PUT /teams/${id}/members/${anna.name}`)).toBe(204)
    expect((await world.call(olive, `GET /teams/${id}/members/${anna.name.toUpperCase()}`)).body).toMatchObject({ login: anna.name })
    expect(each(await world.call(anna, `GET /teams/${id}/members`), "login")).toEqual([anna.name])
    for (const [as, expected] of [
      [anna, 403],
      [stranger, 403],
      [undefined, 401],
    ] as const) {
      expect(await status(as, `PUT /teams/${id}/members/${stranger.name}`)).toBe(expected)
      expect(await status(as, `DELETE /teams/${id}/members/${anna.name}`)).toBe(expected)
    }
    expect(await status(olive, `PUT /teams/${id}/members/nobody`)).toBe(404)
    expect(await status(olive, `PUT /teams/${id}/members/${org}`)).toBe(422)
    expect(await status(olive, `GET /teams/${id}/members/${olive.name}`)).toBe(404)
    expect(await status(olive, `DELETE /teams/${id}/members/${anna.name}`)).toBe(204)
    expect(await status(olive, `DELETE /teams/${id}/members/${anna.name}`)).toBe(204)
    expect(await status(olive, `GET /orgs/${org}/members/${anna.name}`)).toBe(404)
  })

  test("the members of a team are shown to whom the team is shown", async () => {
    await begin()
    const mate = await world.person("mate")
    await world.call(olive, `PUT /teams/${(await team()).id}/members/${mate.name}`)
    const seen = async (visibility: string) => {
      const { id } = await team({ visibility })
      await world.call(olive, `PUT /teams/${id}/members/${anna.name}`)
      return Promise.all(
        [olive, anna, world.root, mate, stranger, undefined].map(async (as) => {
          const alone = await status(as, `GET /teams/${id}/members/${anna.name}`)
          const all = await world.call(as, `GET /teams/${id}/members`)
          expect(all.status).toBe(alone)
          if (alone === 200) expect(each(all, "login")).toEqual([anna.name])
          return alone
        }),
      )
    }
    expect(await seen("public")).toEqual([200, 200, 200, 200, 200, 401])
    expect(await seen("limited")).toEqual([200, 200, 200, 200, 404, 401])
    expect(await seen("private")).toEqual([200, 200, 200, 404, 404, 401])
  })

  test("members of a deleted team without another one leave the organisation", async () => {
    await begin()
    const [first, second] = [await team(), await team()]
    const both = await world.person("both")
    for (const [id, who] of [
      [first.id, anna],
      [first.id, both],
      [second.id, both],
    ] as const)
      await world.call(olive, `PUT /teams/${id}/members/${who.name}`)
    expect(await status(olive, `DELETE /teams/${first.id}`)).toBe(204)
    expect(each(await world.call(olive, `GET /orgs/${org}/members`), "login")).toEqual([both.name, olive.name])
  })

  test("members watch what their team receives, and stop when they lose it", async () => {
    await begin()
    const { id: repositoryId, name } = await world.repository(org, olive, { isPrivate: true })
    const { id } = await team()
    const none = await team({ units_map: { "repo.code": "none" } })
    const idle = await world.person("idle")
    await world.call(olive, `PUT /teams/${id}/members/${anna.name}`)
    await world.call(olive, `PUT /teams/${none.id}/members/${idle.name}`)
    expect(await status(olive, `PUT /teams/${id}/repos/${org}/${name}`)).toBe(204)
    expect(await status(olive, `PUT /teams/${none.id}/repos/${org}/${name}`)).toBe(204)
    expect(await world.watchers(repositoryId)).toEqual([olive.user.id, anna.user.id])

    const late = await world.person("late")
    await world.call(olive, `PUT /teams/${id}/members/${late.name}`)
    expect(await world.watchers(repositoryId)).toEqual([olive.user.id, anna.user.id, late.user.id])

    await world.call(olive, `DELETE /teams/${id}/members/${late.name}`)
    expect(await world.watchers(repositoryId)).toEqual([olive.user.id, anna.user.id])
    await world.call(olive, `PATCH /teams/${id}`, { units_map: { "repo.code": "none" } })
    expect(await world.watchers(repositoryId)).toEqual([olive.user.id])
    await world.call(olive, `PATCH /teams/${id}`, { units_map })
    await world.watch(anna, repositoryId)
    expect(await status(olive, `DELETE /teams/${id}/repos/${org}/${name}`)).toBe(204)
    expect(await world.watchers(repositoryId)).toEqual([olive.user.id])
  })

  test("users who can still read a repository go on watching it", async () => {
    await begin()
    const { id: repositoryId, name } = await world.repository(org, olive)
    const { id } = await team()
    const other = await team()
    for (const teamId of [id, other.id]) await world.call(olive, `PUT /teams/${teamId}/members/${anna.name}`)
    await world.call(olive, `PUT /teams/${id}/repos/${org}/${name}`)
    await world.call(olive, `DELETE /teams/${id}/repos/${org}/${name}`)
    expect(await world.watchers(repositoryId)).toEqual([olive.user.id, anna.user.id])
  })

  test("a declined watch stays declined", async () => {
    await begin()
    const { id: repositoryId, name } = await world.repository(org, olive)
    const { id } = await team()
    await world.call(olive, `PUT /teams/${id}/members/${anna.name}`)
    await world.services.database.write((tx) =>
      tx.insertInto("watches").values({ user_id: anna.user.id, repository_id: repositoryId, mode: "declined", created_at: 1 }).execute(),
    )
    await world.call(olive, `PUT /teams/${id}/repos/${org}/${name}`)
    const row = await world.services.database.read
      .selectFrom("watches")
      .select("mode")
      .where("user_id", "=", anna.user.id)
      .where("repository_id", "=", repositoryId)
      .executeTakeFirst()
    expect(row?.mode).toBe("declined")
  })

  test("a team with all repositories has those that are there and those to come", async () => {
    await begin()
    const before = await world.repository(org, olive)
    const { id } = await team({ includes_all_repositories: true })
    const later = await team()
    const after = await world.repository(org, olive)
    expect(each(await world.call(olive, `GET /teams/${id}/repos`), "name")).toEqual([before.name, after.name])
    await world.call(olive, `PATCH /teams/${later.id}`, { includes_all_repositories: true })
    expect(each(await world.call(olive, `GET /teams/${later.id}/repos`), "name")).toEqual([before.name, after.name])
    for (const teamId of [owners, id]) {
      const refused = await world.call(olive, `DELETE /teams/${teamId}/repos/${org}/${before.name}`)
      expect(refused.status).toBe(422)
      expect(messageOf(refused)).toContain("includes all repositories")
    }
    // No longer including all repositories removes none.
    await world.call(olive, `PATCH /teams/${id}`, { includes_all_repositories: false })
    expect(each(await world.call(olive, `GET /teams/${id}/repos`), "name")).toEqual([before.name, after.name])
    expect(await status(olive, `DELETE /teams/${id}/repos/${org}/${before.name}`)).toBe(204)
  })

  test("callers see those of a team's repositories that they may see", async () => {
    await begin()
    const [open, hidden] = [await world.repository(org, olive), await world.repository(org, olive, { isPrivate: true })]
    const { id } = await team({ visibility: "public" })
    for (const { name } of [open, hidden]) await world.call(olive, `PUT /teams/${id}/repos/${org}/${name}`)
    const seen = await world.call(stranger, `GET /teams/${id}/repos`)
    expect(each(seen, "name")).toEqual([open.name])
    expect(seen.headers.get("x-total-count")).toBe("1")
    expect(each(await world.call(olive, `GET /teams/${id}/repos`), "name")).toEqual([open.name, hidden.name])
    expect((await world.call(stranger, `GET /teams/${id}/repos/${org}/${open.name}`)).body).toMatchObject({ name: open.name })
    expect(await status(stranger, `GET /teams/${id}/repos/${org}/${hidden.name}`)).toBe(404)
    expect(await status(stranger, `GET /teams/${id}/repos/${stranger.name}/${open.name}`)).toBe(404)
  })

  test("who may give repositories to a team", async () => {
    await begin()
    const { name } = await world.repository(org, olive, { isPrivate: true })
    const { id } = await team()
    const admins = await team({ permission: "admin" })
    const other = await world.person("other")
    await world.call(olive, `PUT /teams/${id}/members/${anna.name}`)
    await world.call(olive, `PUT /teams/${admins.id}/members/${anna.name}`)
    await world.call(olive, `PUT /teams/${(await team()).id}/members/${other.name}`)
    const put = (as: Person | undefined, repository = name) => status(as, `PUT /teams/${id}/repos/${org}/${repository}`)
    expect(await put(undefined)).toBe(401)
    expect(await put(stranger)).toBe(404)
    expect(await put(other)).toBe(403)
    // A member doesn't learn which repositories exist.
    expect([await put(anna), await put(anna, "no-such")]).toEqual([403, 403])
    await world.call(olive, `PATCH /orgs/${org}`, { repo_admin_change_team_access: true })
    expect(await put(anna)).toBe(404)
    expect(await put(olive, "no-such")).toBe(404)
    await world.call(olive, `PUT /teams/${admins.id}/repos/${org}/${name}`)
    expect(await put(anna)).toBe(204)
    expect(await put(world.root)).toBe(204)
  })

  test("the teams of a repository, from the repository", async () => {
    await begin()
    const { name } = await world.repository(org, olive)
    const [crew, secret] = [await team({ visibility: "limited" }), await team()]
    await world.call(olive, `PUT /teams/${crew.id}/members/${anna.name}`)
    const on = (as: Person | undefined, method: string, named = crew.name) => status(as, `${method} /repos/${org}/${name}/teams/${named}`)
    expect(await on(olive, "GET")).toBe(404)
    expect(await on(anna, "PUT")).toBe(403)
    expect(await on(undefined, "PUT")).toBe(401)
    expect(await on(olive, "PUT")).toBe(204)
    expect(await on(olive, "PUT")).toBe(422)
    expect(await on(olive, "PUT", secret.name)).toBe(204)
    expect(await on(olive, "PUT", "nobody")).toBe(404)
    expect(await on(anna, "GET")).toBe(200)
    const listed = async (as: Person) => each(await world.call(as, `GET /repos/${org}/${name}/teams`), "name")
    expect(await listed(olive)).toEqual(["Owners", crew.name, secret.name])
    expect(await listed(anna)).toEqual(["Owners", crew.name])
    expect(await listed(stranger)).toEqual([])
    expect(await on(anna, "GET", secret.name)).toBe(404)
    expect(await on(anna, "DELETE")).toBe(403)
    expect(await on(olive, "DELETE")).toBe(204)
    expect(await on(olive, "DELETE")).toBe(422)
    expect(await on(olive, "DELETE", "Owners")).toBe(422)
  })

  test("whose team administers a repository finds all teams there, and changes them where the organisation lets them", async () => {
    await begin()
    const { name } = await world.repository(org, olive)
    const [admins, secret, given] = [await team({ permission: "admin" }), await team(), await team()]
    await world.call(olive, `PUT /teams/${admins.id}/members/${anna.name}`)
    const on = (method: string, named: string) => status(anna, `${method} /repos/${org}/${name}/teams/${named}`)
    const listed = async () => each(await world.call(anna, `GET /repos/${org}/${name}/teams`), "name")
    await world.call(olive, `PUT /repos/${org}/${name}/teams/${given.name}`)
    // Without the repository, the team gives nothing.
    expect(await listed()).toEqual(["Owners"])
    expect(await on("GET", given.name)).toBe(404)
    expect(await on("PUT", secret.name)).toBe(403)

    await world.call(olive, `PUT /repos/${org}/${name}/teams/${admins.name}`)
    expect(await listed()).toEqual(["Owners", admins.name, given.name])
    expect(await on("GET", given.name)).toBe(200)
    expect(await on("GET", secret.name)).toBe(404)
    expect([await on("PUT", secret.name), await on("DELETE", given.name)]).toEqual([403, 403])
    await world.call(olive, `PATCH /orgs/${org}`, { repo_admin_change_team_access: true })
    expect([await on("PUT", secret.name), await on("DELETE", given.name)]).toEqual([204, 204])
    expect(await listed()).toEqual(["Owners", admins.name, secret.name])
    expect(await on("PUT", "nobody")).toBe(404)
    // Elsewhere a private team stays hidden.
    expect(await status(anna, `GET /teams/${secret.id}`)).toBe(404)
  })

  test("a person's repository has no teams", async () => {
    await begin()
    const { name } = await world.repository(olive.name, olive)
    expect(await status(olive, `GET /repos/${olive.name}/${name}/teams`)).toBe(405)
    expect(await status(olive, `PUT /repos/${olive.name}/${name}/teams/crew`)).toBe(405)
  })

  test("a creator who doesn't administer the repository through a team becomes a collaborator", async () => {
    await begin()
    const makers = await team({ can_create_org_repo: true })
    await world.call(olive, `PUT /teams/${makers.id}/members/${anna.name}`)
    const collaborators = async (id: number) =>
      world.services.database.read.selectFrom("collaborations").select(["user_id", "mode"]).where("repository_id", "=", id).execute()
    expect(await collaborators((await world.repository(org, anna)).id)).toEqual([{ user_id: anna.user.id, mode: 3 }])
    expect(await collaborators((await world.repository(org, olive)).id)).toEqual([])
    expect(await collaborators((await world.repository(org, world.root)).id)).toEqual([])
    const { read } = world.services.database
    const own = await organization()
    expect(await Promise.all([olive, anna, stranger].map(({ user }) => mayCreateRepositories(read, own, user.id)))).toEqual([
      true,
      true,
      false,
    ])
    expect(await Promise.all([olive, anna, stranger].map(({ user }) => isOrganizationOwner(read, own.id, user.id)))).toEqual([
      true,
      false,
      false,
    ])
  })

  test("a repository that leaves its teams ends the watches of those who had it through them", async () => {
    await begin()
    const { id } = await world.repository(org, olive, { isPrivate: true })
    const { id: teamId } = await team()
    await world.call(olive, `PUT /teams/${teamId}/members/${anna.name}`)
    const own = await organization()
    await world.services.database.write((tx) => attachTeams(tx, { id: 1 }, own, id, [teamId, 999_999]))
    expect(await world.watchers(id)).toEqual([olive.user.id, anna.user.id])
    await world.services.database.write(async (tx) => {
      const members = await detachAllTeams(tx, id)
      await tx.updateTable("repositories").set({ owner_id: stranger.user.id }).where("id", "=", id).execute()
      publish(tx, { kind: "access.lost", userIds: members, repositoryIds: [id] })
    })
    expect(await world.watchers(id)).toEqual([])
  })
})

const open = (kind: FreshKind) => openWorld(kind, { users: { autoWatchNewRepositories: false } })

withWorld("without automatic watches", { open }, ({ test, world }) => {
  test("no user is made to watch", async () => {
    const olive = await world.person("olive")
    await world.call(olive, "POST /orgs", { username: "quiet" })
    const { id } = await world.repository("quiet", olive)
    expect(await world.watchers(id)).toEqual([])
  })
})
