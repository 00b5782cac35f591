import { describe, expect } from "vitest"
import type { DomainEvents } from "../../src/core/events/event.ts"
import { makeGpgKey } from "../../src/features/people/keys/testing.ts"
import { freshKey } from "../examples/keys.ts"
import { withWorld } from "../support/fixture.ts"
import { send } from "../support/http.ts"
import { openCheckedWorld, type Person, times, type World } from "../support/world.ts"

/** Every event of people is published by a verb, and not again by a call that changes nothing; the log holds ids, and none of what people wrote. */

/** Collaborators of repositories are people too. */
type PeopleEvent = DomainEvents[Extract<keyof DomainEvents, `people/${string}` | "code/collaborators">]

interface Case {
  readonly by: Pick<Person, "authorization"> | "root"
  readonly route: string
  readonly body?: unknown
  /** What the log has of the event; `made` is the id in the answer. */
  readonly logged: (made: number) => { readonly actor: number; readonly repository?: number; readonly data: object }
}

/** Those that only cause mails have their tests beside the mails: they are published again when asked for again. */
type Mailing =
  | "account.activationNeeded"
  | "account.addressAdded"
  | "account.recoveryAsked"
  | "account.codesGuessed"
  | "account.signUpRepeated"
  | "account.invited"
  | "team.invited"
  | "team.uninvited"
  | "token.expires"
/** These need a signature of the key; see `userVerifyGPGKey` in operations.test.ts. */
type Signing = "key.verified"

/** These need a browser; see src/features/people/oauth2/oauth2.test.ts. */
type Browsing = "grant.given" | "grant.revoked"

const APPLICATION = { name: "Board", redirect_uris: ["https://board.example.com/cb"] }
/** Names of applications need not be unique, and each change of one makes a new secret. */
const EACH_TIME: ReadonlySet<string> = new Set(["application.created", "application.edited"])
const READS = { "repo.code": "read" }
const WRITES = { "repo.code": "write" }

async function pair(world: World) {
  return { ann: await world.person(), ben: await world.person() }
}

/** An organisation of ann's with a team and a repository, and ben. */
async function company(world: World, options: object = {}) {
  const { ann, ben } = await pair(world)
  const organization = await world.organization(ann)
  const team = await world.team(organization, options)
  const repository = await world.repository(organization)
  const about = { team: team.id, organization: organization.id }
  return { ann, ben, organization, team, repository, about, at: `/teams/${team.id}` }
}

/** The same, with ben in the team. */
async function staffed(world: World) {
  const made = await company(world)
  await world.must(made.ann, `PUT ${made.at}/members/${made.ben.name}`)
  return made
}

/** A repository of ann's with ben as its collaborator, who may write. */
async function shared(world: World) {
  const { ann, ben } = await pair(world)
  const repository = await world.repository(ann)
  const at = `/repos/${ann.name}/${repository.repo}/collaborators/${ben.name}`
  await world.must(ann, `PUT ${at}`, { permission: "write" })
  return { ann, ben, repository, at }
}

const cases: {
  readonly [Kind in Exclude<PeopleEvent["kind"], Mailing | Signing | Browsing>]: (world: World, root: number) => Promise<Case>
} = {
  "account.welcomeAsked": async (world, root) => ({
    ...(await newcomer(world, root)),
    logged: (made) => ({ actor: 0, data: { user: made, to: ["address"] } }),
  }),
  "account.deleted": async (world) => {
    const ann = await world.person()
    return { by: "root", route: `DELETE /admin/users/${ann.name}`, logged: () => ({ actor: 0, data: { user: ann.id } }) }
  },
  "user.created": newcomer,
  "user.renamed": async (world, root) => {
    const ann = await world.person()
    const body = { new_username: world.unique("person") }
    return { by: "root", route: `POST /admin/users/${ann.name}/rename`, body, logged: () => ({ actor: root, data: { user: ann.id } }) }
  },
  "user.edited": async (world, root) => {
    const ann = await world.person()
    const body = { login_name: ann.name, source_id: 0, visibility: "limited", admin: true, active: true }
    const data = { user: ann.id, changed: ["visibility", "login_name", "is_admin"] }
    return { by: "root", route: `PATCH /admin/users/${ann.name}`, body, logged: () => ({ actor: root, data }) }
  },
  "user.followed": async (world) => {
    const { ann, ben } = await pair(world)
    return { by: ann, route: `PUT /user/following/${ben.name}`, logged: () => ({ actor: ann.id, data: { user: ben.id } }) }
  },
  "user.unfollowed": async (world) => {
    const { ann, ben } = await pair(world)
    await world.must(ann, `PUT /user/following/${ben.name}`)
    return { by: ann, route: `DELETE /user/following/${ben.name}`, logged: () => ({ actor: ann.id, data: { user: ben.id } }) }
  },
  "user.blocked": async (world) => {
    const { ann, ben } = await pair(world)
    return { by: ann, route: `PUT /user/blocks/${ben.name}`, logged: () => ({ actor: 0, data: { user: ben.id, by: ann.id } }) }
  },
  "user.unblocked": async (world) => {
    const { ann, ben } = await pair(world)
    await world.must(ann, `PUT /user/blocks/${ben.name}`)
    return { by: ann, route: `DELETE /user/blocks/${ben.name}`, logged: () => ({ actor: 0, data: { user: ben.id, by: ann.id } }) }
  },
  "key.added": async (world) => {
    const ann = await world.person()
    const body = { title: world.unique("key"), key: freshKey() }
    return { by: ann, route: "POST /user/keys", body, logged: (key) => ({ actor: ann.id, data: { key, format: "ssh", user: ann.id } }) }
  },
  "key.removed": async (world) => {
    const ann = await world.person()
    const { armored } = await makeGpgKey({ emails: [`${ann.name}@example.com`] })
    const { id } = await world.must<{ id: number }>(ann, "POST /user/gpg_keys", { armored_public_key: armored })
    const data = { key: id, format: "openpgp", user: ann.id }
    return { by: ann, route: `DELETE /user/gpg_keys/${id}`, logged: () => ({ actor: ann.id, data }) }
  },
  "organization.memberShown": async (world) => {
    const { ann, organization } = await company(world)
    const route = `/orgs/${organization.name}/public_members/${ann.name}`
    await world.must(ann, `DELETE ${route}`)
    const data = { organization: organization.id, user: ann.id }
    return { by: ann, route: `PUT ${route}`, logged: () => ({ actor: ann.id, data }) }
  },
  "organization.memberConcealed": async (world) => {
    const { ann, organization } = await company(world)
    const route = `/orgs/${organization.name}/public_members/${ann.name}`
    await world.must(ann, `PUT ${route}`)
    const data = { organization: organization.id, user: ann.id }
    return { by: ann, route: `DELETE ${route}`, logged: () => ({ actor: ann.id, data }) }
  },
  "token.created": async (world) => {
    const ann = await world.person()
    const body = { name: world.unique("token"), scopes: ["all"] }
    return {
      by: { authorization: ann.basic },
      route: `POST /users/${ann.name}/tokens`,
      body,
      logged: (token) => ({ actor: ann.id, data: { token, user: ann.id } }),
    }
  },
  "token.deleted": async (world) => {
    const ann = await world.person()
    const body = { name: world.unique("token"), scopes: ["all"] }
    const { id } = await world.must<{ id: number }>({ ...ann, authorization: ann.basic }, `POST /users/${ann.name}/tokens`, body)
    return {
      by: { authorization: ann.basic },
      route: `DELETE /users/${ann.name}/tokens/${id}`,
      logged: () => ({ actor: ann.id, data: { token: id, user: ann.id } }),
    }
  },
  "application.created": async (world) => {
    const ann = await world.person()
    const logged = (application: number) => ({ actor: ann.id, data: { application, user: ann.id } })
    return { by: ann, route: "POST /user/applications/oauth2", body: APPLICATION, logged }
  },
  "application.edited": async (world) => {
    const ann = await world.person()
    const { id } = await world.must<{ id: number }>(ann, "POST /user/applications/oauth2", APPLICATION)
    const logged = () => ({ actor: ann.id, data: { application: id, user: ann.id } })
    return { by: ann, route: `PATCH /user/applications/oauth2/${id}`, body: APPLICATION, logged }
  },
  "application.deleted": async (world) => {
    const ann = await world.person()
    const { id } = await world.must<{ id: number }>(ann, "POST /user/applications/oauth2", APPLICATION)
    const logged = () => ({ actor: ann.id, data: { application: id, user: ann.id } })
    return { by: ann, route: `DELETE /user/applications/oauth2/${id}`, logged }
  },
  "organization.created": async (world, root) => {
    const ann = await world.person()
    const body = { username: world.unique("org") }
    const logged = (organization: number) => ({ actor: root, data: { organization, firstOwner: ann.id } })
    return { by: "root", route: `POST /admin/users/${ann.name}/orgs`, body, logged }
  },
  "organization.renamed": async (world) => {
    const { ann, organization } = await company(world)
    const body = { new_name: world.unique("org") }
    const data = { organization: organization.id }
    return { by: ann, route: `POST /orgs/${organization.name}/rename`, body, logged: () => ({ actor: ann.id, data }) }
  },
  "organization.edited": async (world) => {
    const { ann, organization } = await company(world)
    const body = { description: "of secret matters", visibility: "private", location: "" }
    const data = { organization: organization.id, changed: ["description", "visibility"] }
    return { by: ann, route: `PATCH /orgs/${organization.name}`, body, logged: () => ({ actor: ann.id, data }) }
  },
  "organization.membersRemoved": async (world) => {
    const { ann, ben, organization, repository } = await staffed(world)
    const data = { organization: organization.id, userIds: [ben.id], repositoryIds: [repository.id] }
    return { by: ann, route: `DELETE /orgs/${organization.name}/members/${ben.name}`, logged: () => ({ actor: ann.id, data }) }
  },
  "team.created": async (world) => {
    const { ann, organization } = await company(world)
    const body = { name: world.unique("team"), units_map: READS }
    const logged = (team: number) => ({ actor: ann.id, data: { team, organization: organization.id } })
    return { by: ann, route: `POST /orgs/${organization.name}/teams`, body, logged }
  },
  "team.edited": async (world) => {
    const { ann, at, about } = await company(world)
    const body = { name: world.unique("team"), description: "", units_map: WRITES }
    return { by: ann, route: `PATCH ${at}`, body, logged: () => ({ actor: ann.id, data: { ...about, changed: ["name", "units"] } }) }
  },
  "team.deleted": async (world) => {
    const { ann, at, about } = await staffed(world)
    return { by: ann, route: `DELETE ${at}`, logged: () => ({ actor: ann.id, data: about }) }
  },
  "team.memberAdded": async (world) => {
    const { ann, ben, at, about } = await company(world)
    return { by: ann, route: `PUT ${at}/members/${ben.name}`, logged: () => ({ actor: ann.id, data: { ...about, user: ben.id } }) }
  },
  "team.memberRemoved": async (world) => {
    const { ann, ben, at, about } = await staffed(world)
    return { by: ann, route: `DELETE ${at}/members/${ben.name}`, logged: () => ({ actor: ann.id, data: { ...about, user: ben.id } }) }
  },
  "team.repositoryAdded": async (world) => {
    const { ann, at, about, repository } = await company(world)
    const route = `PUT ${at}/repos/${repository.owner}/${repository.repo}`
    return { by: ann, route, logged: () => ({ actor: ann.id, repository: repository.id, data: about }) }
  },
  "team.repositoryRemoved": async (world) => {
    const { ann, at, about, repository } = await company(world)
    const path = `${at}/repos/${repository.owner}/${repository.repo}`
    await world.must(ann, `PUT ${path}`)
    return { by: ann, route: `DELETE ${path}`, logged: () => ({ actor: ann.id, repository: repository.id, data: about }) }
  },
  "collaborator.added": async (world) => {
    const { ann, ben } = await pair(world)
    const { id, repo } = await world.repository(ann)
    const route = `PUT /repos/${ann.name}/${repo}/collaborators/${ben.name}`
    return { by: ann, route, logged: () => ({ actor: ann.id, repository: id, data: { user: ben.id, mode: 2 } }) }
  },
  "collaborator.changed": async (world) => {
    const { ann, ben, repository, at } = await shared(world)
    const data = { user: ben.id, from: 2, to: 1 }
    return { by: ann, route: `PUT ${at}`, body: { permission: "read" }, logged: () => ({ actor: ann.id, repository: repository.id, data }) }
  },
  "collaborator.removed": async (world) => {
    const { ann, ben, repository, at } = await shared(world)
    return { by: ann, route: `DELETE ${at}`, logged: () => ({ actor: ann.id, repository: repository.id, data: { user: ben.id } }) }
  },
  "access.granted": async (world) => {
    const { ann, ben, team, at } = await company(world)
    const data = { teamIds: [team.id], userIds: [ben.id] }
    return { by: ann, route: `PUT ${at}/members/${ben.name}`, logged: () => ({ actor: 0, data }) }
  },
  "access.lost": async (world) => {
    const { ann, ben, repository, at } = await shared(world)
    const data = { userIds: [ben.id], repositoryIds: [repository.id] }
    return { by: ann, route: `DELETE ${at}`, logged: () => ({ actor: 0, data }) }
  },
}

async function newcomer(world: World, root: number): Promise<Case> {
  const name = world.unique("person")
  const body = { username: name, email: `${name}@example.com`, password: "pass-word-1", send_notify: true }
  return { by: "root", route: "POST /admin/users", body, logged: (user) => ({ actor: root, data: { user } }) }
}

withWorld("the events of people", { open: openCheckedWorld }, ({ test, world }) => {
  const database = () => world.hearth.services.database
  let root = 0
  test.beforeAll(async () => {
    root = (await world.must<{ id: number }>("root", "GET /user")).id
  })

  const ask = async ({ by, route, body }: Pick<Case, "by" | "route" | "body">) => {
    const [method = "", path = ""] = route.split(" ")
    return send(world.hearth.url, method, path, { authorization: by === "root" ? world.root : by.authorization, body })
  }
  const events = () => database().read.selectFrom("events").selectAll().orderBy("id").execute()
  const last = async () => (await events()).at(-1)?.id ?? 0
  const eventsSince = async (id: number) => (await events()).filter((event) => event.id > id)

  describe("are published by what changes something, and by nothing else", () => {
    test.for(Object.entries(cases))("%s", async ([kind, prepare]) => {
      const wanted = await prepare(world, root)
      const before = await last()
      const { status, text } = await ask(wanted)
      expect(status, text).toBeLessThan(300)
      const { actor, repository = 0, data } = wanted.logged(text === "" ? 0 : JSON.parse(text).id)
      const published = (await eventsSince(before)).filter((event) => event.kind === kind)
      expect(published.map((event) => [event.actor_id, event.repository_id, JSON.parse(event.data)])).toEqual([[actor, repository, data]])
      if (EACH_TIME.has(kind)) return
      const after = await last()
      await ask(wanted)
      expect(await eventsSince(after)).toEqual([])
    })
  })

  test("nothing is published where an edit gives what is there already", async () => {
    const { ann, at, organization } = await company(world)
    const before = await last()
    for (const route of ["PATCH /user/settings", `PATCH /orgs/${organization.name}`])
      expect((await ask({ by: ann, route, body: { full_name: "", location: "" } })).status).toBe(200)
    expect((await ask({ by: ann, route: `PATCH ${at}`, body: { description: "", permission: "admin" } })).status).toBe(200)
    const kinds = (await eventsSince(before)).map((event) => event.kind)
    expect(kinds).toEqual(["team.edited"])
    await ask({ by: ann, route: `PATCH ${at}`, body: { description: "", permission: "admin" } })
    expect((await eventsSince(before)).length).toBe(1)
  })

  test("the creator of a repository who gets it as a collaborator is told of as one", async () => {
    const { ann, ben, organization, at } = await company(world, { can_create_org_repo: true })
    await world.must(ann, `PUT ${at}/members/${ben.name}`)
    const before = await last()
    const { id } = await world.must<{ id: number }>(ben, `POST /orgs/${organization.name}/repos`, { name: "own" })
    const added = (await eventsSince(before)).filter((event) => event.kind === "collaborator.added")
    expect(added.map((event) => [event.actor_id, event.repository_id, JSON.parse(event.data)])).toEqual([
      [ben.id, id, { user: ben.id, mode: 3 }],
    ])
  })

  test("a transfer tells which teams were chosen for the repository", async () => {
    const { ann, about, team, organization } = await company(world)
    const { id, repo } = await world.repository(ann)
    const before = await last()
    await world.must(ann, `POST /repos/${ann.name}/${repo}/transfer`, { new_owner: organization.name, team_ids: [team.id] })
    const added = (await eventsSince(before)).filter((event) => event.kind.startsWith("team."))
    expect(added.map((event) => [event.kind, event.repository_id, JSON.parse(event.data)])).toEqual([["team.repositoryAdded", id, about]])
  })

  test("a deletion is one event, and as many statements whatever goes with it", async () => {
    const deleted = async (size: number) => {
      const { ann, at, repository } = await company(world)
      await world.must(ann, `PUT ${at}/repos/${repository.owner}/${repository.repo}`)
      for (const person of await times(size, () => world.person())) await world.must(ann, `PUT ${at}/members/${person.name}`)
      const before = await last()
      let statements = 0
      const stop = database().observe(({ inTransaction }) => {
        if (inTransaction) statements += 1
      })
      expect((await ask({ by: ann, route: `DELETE ${at}` })).status).toBe(204)
      stop()
      return { kinds: (await eventsSince(before)).map((event) => event.kind), statements }
    }
    const few = await deleted(1)
    expect(few.kinds).toEqual(["team.deleted", "organization.membersRemoved", "access.lost"])
    expect(await deleted(4)).toEqual(few)
  })

  test("hold ids and the names of columns, and none of what people wrote", async () => {
    const { ann, ben } = await pair(world)
    const before = await last()
    await world.must(ann, "PATCH /user/settings", { full_name: "Secret", description: "secret" })
    await world.must(ann, "POST /user/keys", { title: "secret", key: freshKey() })
    await world.must(ann, `PUT /user/blocks/${ben.name}?note=secret`)
    await world.must("root", `POST /admin/users/${ben.name}/rename`, { new_username: world.unique("secret") })
    const written = JSON.stringify(await eventsSince(before))
    expect(written).toContain("full_name")
    expect(written).not.toMatch(/secret|person-|ssh-|@/i)
  })
})
