import { expect, test } from "vitest"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { addressOf, type Example, examples } from "../examples/index.ts"
import { withHearth, withWorld } from "../support/fixture.ts"
import type { Answer, Caller } from "../support/hearth.ts"
import { type Answered, must, send } from "../support/http.ts"
import { sweep } from "../support/sample.ts"
import { openCheckedWorld } from "../support/world.ts"

/**
 * A private account answered 404 to a stranger, and yet the stranger could read whom it follows and who follows it, and learn by following it,
 * blocking it or making it a collaborator of a repository of their own that it is there: the look-up by name was left to each operation.
 * Now there is one policy (`userKnown`), and here every operation with an account's name in its path is requested for a hidden account and
 * for one that does not exist: status, headers and body are the same.
 *
 * Slow: every operation is prepared and asked 14 times for each name in its path, 6,000 requests in all.
 */

/** The parameters of paths that name accounts. */
const NAMES = ["username", "user", "target", "collaborator", "assignee", "org", "owner", "template_owner"] as const

/** The operations with such parameters. */
const named = operations.flatMap((operation) => {
  // Administrators of the site see all accounts.
  if (operation.rule.needs === "siteAdministrator") return []
  const names = NAMES.filter((name) => operation.parameters.some((parameter) => parameter.name === name))
  return names.length === 0 ? [] : [{ operation, names }]
})

/** Everything that a caller sees of an answer but the request's id and the time. Names are of one length. */
const seen = ({ status, headers, text }: Answered, name: string) => ({
  status,
  headers: [...headers].filter(([header]) => header !== "x-request-id" && header !== "date"),
  text: text.replaceAll(name, "NAME"),
})

for (const { kind, parts } of sweep(named))
  withWorld("names of hidden accounts", { open: openCheckedWorld, on: [kind] }, ({ test, world }) => {
    /** Hidden accounts by the kind of caller that they are hidden from, and names of none. */
    const hidden = {
      everyone: ["private-person", "private-troops", "before-private"],
      anonymous: ["limited-person", "limited-troops"],
    } as const
    const missing = "nobody-of-ours"
    let stranger = ""

    test.beforeAll(async () => {
      const { hearth, root } = world
      stranger = (await world.person()).authorization
      const call = (route: string, body: object, authorization = root) => {
        const [method = "", path = ""] = route.split(" ")
        return must(hearth.url, method, path, { authorization, body })
      }
      const secret = { password: "a password of theirs", must_change_password: false }
      for (const visibility of ["private", "limited"] as const) {
        const [person, crew] = [`${visibility}-person`, `${visibility}-troops`]
        const first = visibility === "private" ? "before-private" : person
        await call("POST /admin/users", { ...secret, username: first, email: `${person}@example.com`, visibility })
        if (first !== person) await call(`POST /admin/users/${first}/rename`, { new_username: person })
        await call(`POST /admin/users/${person}/orgs`, { username: crew, visibility })
        for (const owner of [person, crew]) await call(`POST /admin/users/${owner}/repos`, { name: "repo", auto_init: true })
      }
    })

    const request = async (operation: Operation, example: Example, name: string, value: string, authorization: string | undefined) => {
      const inOwners = name === "owner" || name === "template_owner" ? { repo: "repo", template_repo: "repo" } : {}
      const address = addressOf(operation.path, { path: { ...example.path, ...inOwners, [name]: value } })
      const calling = { query: example.query, body: example.body, ...(authorization !== undefined && { authorization }) }
      return seen(await send(world.hearth.url, operation.method, address, calling), value)
    }

    test.for(parts.map(({ operation, names }) => [`${operation.method} ${operation.path}`, operation, names] as const))(
      "%s does not tell a hidden account from none",
      async ([_, operation, names], { expect }) => {
        const make = examples[operation.id]
        if (!make) throw new Error(`${operation.id} has no example`)
        const example = await make(world, 1)
        const callers = [
          // Owners of what the operation acts on, and those who own nothing.
          ...(example.authorization === undefined || example.authorization === world.root ? [] : [example.authorization]),
          stranger,
        ]
        for (const name of names) {
          for (const caller of callers) {
            const none = await request(operation, example, name, missing, caller)
            for (const value of hidden.everyone)
              expect(await request(operation, example, name, value, caller), `${name} ${value}`).toEqual(none)
          }
          const none = await request(operation, example, name, missing, undefined)
          for (const value of [...hidden.everyone, ...hidden.anonymous])
            expect(await request(operation, example, name, value, undefined), `${name} ${value} without signing in`).toEqual(none)
        }
      },
    )
  })

test("there are many", () => {
  expect(named.flatMap(({ names }) => names).length).toBeGreaterThan(300)
})

withHearth("what hidden people do in public", { people: ["ann", "ben", "eve", { name: "ned", visibility: "private" }] }, (given) => {
  const { test, forge, ann, ben, eve, ned, status } = given
  const names = ({ body }: Answer): readonly string[] => body.map(({ login }: { login: string }) => login)

  test("is told to those who have to do with them, and to no others", async () => {
    await forge.call(ann, "POST /orgs", { username: "crew" })
    const { body: team } = await forge.call(ann, "POST /orgs/crew/teams", { name: "all", units_map: { "repo.code": "read" } })
    await forge.call(ann, "POST /user/repos", { name: "box" })
    // No one has to do with ned, who can be neither followed nor blocked nor let in.
    expect(await status(ann, `PUT /teams/${team.id}/members/ned`)).toBe(404)
    expect(await status(ann, "PUT /repos/ann/box/collaborators/ned", { permission: "write" })).toBe(422)
    for (const what of ["following", "blocks"]) expect(await status(ann, `PUT /user/${what}/ned`)).toBe(404)

    await forge.call(ned, "POST /repos/ann/box/issues", { title: "from ned" })
    expect(await status(ann, `PUT /teams/${team.id}/members/ned`)).toBe(204)
    expect(await status(ned, "PUT /orgs/crew/public_members/ned")).toBe(204)
    expect(await status(ann, "PUT /repos/ann/box/collaborators/ned", { permission: "write" })).toBe(204)
    expect(await status(ann, "PATCH /repos/ann/box/issues/1", { assignees: ["ned"] })).toBe(201)
    expect(await status(ned, "PUT /user/following/ben")).toBe(204)
    expect(await status(ben, "PUT /user/following/ned")).toBe(204)

    const asked = async (caller: Caller) => [
      await status(caller, "GET /users/ben/following/ned"),
      await status(caller, "GET /orgs/crew/public_members/ned"),
      await status(caller, "GET /repos/ann/box/assignees/ned"),
      await status(caller, "GET /repos/ann/box/issues/1/assignees/ned"),
    ]
    expect(await asked(eve)).toEqual([404, 404, 404, 404])
    expect(await asked(ann)).toEqual([204, 204, 204, 204])
    expect(names(await forge.call(eve, "GET /repos/ann/box/assignees"))).toEqual(["ann"])
    expect(names(await forge.call(ann, "GET /repos/ann/box/assignees"))).toEqual(["ned", "ann"])
    expect(names(await forge.call(eve, "GET /users/ben/following"))).toEqual([])
  })

  test("can be ended by those whom it concerns: a follower, and someone who writes to them", async () => {
    for (const what of ["following", "blocks"]) {
      expect(await status(eve, `PUT /user/${what}/ned`)).toBe(404)
      expect(await status(ben, `PUT /user/${what}/ned`)).toBe(204)
      expect(await status(ben, `GET /user/${what}/ned`)).toBe(204)
      expect(await status(ben, `DELETE /user/${what}/ned`)).toBe(204)
      await forge.call(ned, "PUT /user/following/ben")
    }
    expect(await status(ann, "PUT /user/blocks/ned")).toBe(204)
    expect(await status(ann, "DELETE /user/blocks/ned")).toBe(204)
    expect(await status(eve, "GET /users/ned/followers")).toBe(404)
    expect(await status(ned, "GET /users/ned/followers")).toBe(200)
  })
})
