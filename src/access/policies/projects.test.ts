import { expect } from "vitest"
import { databaseKinds } from "../../../tests/support/database.ts"
import { withHearth } from "../../../tests/support/fixture.ts"
import { type Actor, anonymous, signedInAs, type User } from "../../core/actor.ts"
import { Refusal } from "../../core/errors.ts"
import { findUserByName } from "../store.ts"
import { readableProjects } from "../visibility.ts"
import { onOrganizationProjects, onRepositoryProjects, onUserProjects } from "./projects.ts"

const VISIBILITIES = ["public", "limited", "private"] as const
const CALLERS = ["ann", "stranger", "restricted", "collaborator", "unitless", "reader", "administrator", "boss"] as const

/** Who may read a project is decided by a policy where it is addressed, and in SQL where it is come upon: both must say the same. */
withHearth("who may read projects", { on: databaseKinds }, ({ test, forge }) => {
  /** A project in each kind of place, by the place's path. */
  const places = new Map<number, readonly string[]>()

  test.beforeAll(async () => {
    const { call, root, hearth } = forge
    const ann = await forge.person("ann")
    for (const name of CALLERS.slice(1)) await forge.person(name)
    await call(root, "PATCH /admin/users/restricted", { restricted: true, source_id: 0, login_name: "restricted" })
    await call(root, "PATCH /admin/users/boss", { admin: true, source_id: 0, login_name: "boss" })
    const homes: (readonly string[])[] = []
    for (const visibility of VISIBILITIES) {
      const person = `person-${visibility}`
      await forge.person(person, { visibility })
      homes.push([person])
      const org = `org-${visibility}`
      await call(ann, "POST /orgs", { username: org, visibility })
      for (const [member, permission, units_map] of [
        ["unitless", "read", { "repo.code": "read" }],
        ["reader", "read", { "repo.projects": "read" }],
        ["administrator", "admin", {}],
      ] as const) {
        const team = await call(ann, `POST /orgs/${org}/teams`, { name: member, permission, units_map, includes_all_repositories: true })
        await call(ann, `PUT /teams/${team.body.id}/members/${member}`)
      }
      homes.push([org])
      for (const [name, settings] of [
        ["open", {}],
        ["closed", { private: true }],
        ["off", { has_projects: false }],
        ["owners", { has_projects: true, projects_mode: "owner" }],
        ["own", { has_projects: true, projects_mode: "repo" }],
      ] as const) {
        await call(ann, `POST /orgs/${org}/repos`, { name })
        await call(ann, `PATCH /repos/${org}/${name}`, settings)
        await call(ann, `PUT /repos/${org}/${name}/collaborators/collaborator`, { permission: "read" })
        homes.push([org, name])
      }
    }
    const { database, now } = hearth.services
    for (const home of homes) {
      const [owner = "", name] = home
      const { id: ownerId } = await database.read.selectFrom("users").select("id").where("name", "=", owner).executeTakeFirstOrThrow()
      const repository = await database.read
        .selectFrom("repositories")
        .select("id")
        .where("owner_id", "=", ownerId)
        .where("name", "=", name ?? "")
        .executeTakeFirst()
      const project = await database.write((tx) =>
        tx
          .insertInto("projects")
          .values({
            owner_id: repository ? null : ownerId,
            repository_id: repository?.id ?? null,
            creator_id: ownerId,
            title: home.join("/"),
            description: "",
            template_type: "none",
            card_type: "text_only",
            created_at: now(),
            updated_at: now(),
          })
          .returning("id")
          .executeTakeFirstOrThrow(),
      )
      places.set(project.id, home)
    }
  })

  const limited = (user: User): Actor => ({
    kind: "user",
    user,
    credential: { kind: "token", tokenId: 1, scopes: new Set(["all", "public-only"]), publicOnly: true },
    basic: false,
  })

  /** Whether each way in that leads to the place lets the caller in; all must say the same. */
  async function admits(actor: Actor, [owner = "", repo]: readonly string[]): Promise<boolean> {
    const { services } = forge.hearth
    const request = { services, db: services.database.read, actor }
    const ways =
      repo !== undefined
        ? [onRepositoryProjects.open({ ...request, path: { owner, repo } })]
        : owner.startsWith("org-")
          ? [
              onOrganizationProjects.open({ ...request, path: { org: owner } }),
              onUserProjects.open({ ...request, path: { username: owner } }),
            ]
          : [onUserProjects.open({ ...request, path: { username: owner } })]
    const answers = await Promise.all(
      ways.map(async (way) => {
        try {
          await way
          return true
        } catch (error) {
          if (error instanceof Refusal) return false
          throw error
        }
      }),
    )
    expect(new Set(answers).size).toBe(1)
    return answers[0] ?? false
  }

  test("is decided alike by the policies and in SQL", async () => {
    const { read } = forge.hearth.services.database
    const callers: (readonly [string, Actor])[] = [["nobody", anonymous]]
    for (const name of CALLERS) {
      const user = await findUserByName.first(read, { lowerName: name })
      if (user) callers.push([name, signedInAs(user)], [`${name} by a limited token`, limited(user)])
    }
    expect(callers).toHaveLength(1 + 2 * CALLERS.length)
    const shown = new Map<string, string>()
    for (const [name, actor] of callers) {
      const rows = await read.selectFrom("projects").select("id").where(readableProjects(actor)).execute()
      const inSql = new Set(rows.map(({ id }) => id))
      for (const [id, place] of places)
        expect(`${name} ${place.join("/")} ${inSql.has(id)}`).toBe(`${name} ${place.join("/")} ${await admits(actor, place)}`)
      shown.set(name, [...places].flatMap(([id, place]) => (inSql.has(id) && place.length === 1 ? [place[0]] : [])).join(" "))
    }
    // What is said alike is also what is meant, for the owners themselves.
    const everything = "person-public org-public person-limited org-limited person-private org-private"
    expect(Object.fromEntries(shown)).toMatchObject({
      nobody: "person-public org-public",
      stranger: "person-public org-public person-limited",
      restricted: "person-public org-public",
      collaborator: "person-public org-public person-limited",
      unitless: "person-public org-public person-limited",
      reader: "person-public org-public person-limited org-limited org-private",
      administrator: "person-public org-public person-limited org-limited org-private",
      ann: "person-public org-public person-limited org-limited org-private",
      boss: everything,
      "boss by a limited token": "person-public org-public",
    })
  })
})
