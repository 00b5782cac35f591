import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Answer } from "../../../../tests/support/hearth.ts"
import { issuesOf } from "./testing.ts"

withHearth("assignees", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  test.beforeAll(async () => {
    for (const name of ["cyd", "dan", "eve"]) await forge.person(name)
    await forge.call(ann, "POST /orgs", { username: "crew" })
    for (const [name, isPrivate] of [
      ["open", false],
      ["shut", true],
    ] as const) {
      await forge.call(ann, "POST /user/repos", { name, private: isPrivate })
      await forge.call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
      await forge.call(ann, `PUT /repos/ann/${name}/collaborators/dan`, { permission: "read" })
      await issuesOf(forge, ann, `ann/${name}`).create({ title: "somebody" })
    }
  })

  const logins = ({ body }: Answer): unknown => (body.assignees ?? body)?.map(({ login }: { login: string }) => login) ?? null
  const add = (repository: string, ...assignees: string[]) =>
    forge.call(ann, `POST /repos/ann/${repository}/issues/1/assignees`, { assignees })
  const remove = (repository: string, ...assignees: string[]) =>
    forge.call(ann, `DELETE /repos/ann/${repository}/issues/1/assignees`, { assignees })

  test("come and go in order, each once", async () => {
    expect(logins(await add("open", "ben", "CYD", "ben"))).toEqual(["ben", "cyd"])
    expect(logins(await add("open", "ben", "ann"))).toEqual(["ben", "cyd", "ann"])
    expect(await remove("open", "ben", "eve")).toMatchObject({ status: 200, body: { assignee: { login: "cyd" } } })
    expect((await remove("open", "cyd", "ann")).body.assignees).toEqual([])
    const timeline = await issuesOf(forge, ann, "ann/open").timeline(1, ({ type, assignee, removed_assignee }) => [
      type,
      assignee?.login,
      removed_assignee,
    ])
    expect(timeline).toEqual([
      ["assignees", "ben", false],
      ["assignees", "cyd", false],
      ["assignees", "ann", false],
      ["assignees", "ben", true],
      ["assignees", "cyd", true],
      ["assignees", "ann", true],
    ])
  })

  test("have the order of the list, and the single one is first if it is not among them", async () => {
    const title = "many"
    const issue = (body: object) => forge.call(ann, "POST /repos/ann/open/issues", { title, ...body })
    const made = await issue({ assignee: "CYD", assignees: ["ben", "cyd", "ann"] })
    expect([logins(made), made.body.assignee.login]).toEqual([["ben", "cyd", "ann"], "ben"])
    expect(logins(await issue({ assignee: "cyd", assignees: ["ben", "ann"] }))).toEqual(["cyd", "ben", "ann"])
    expect(logins(await issue({ assignee: "cyd" }))).toEqual(["cyd"])
    const edit = (body: object) => forge.call(ann, `PATCH /repos/ann/open/issues/${made.body.number}`, body)
    await edit({ assignees: [] })
    expect(logins(await edit({ assignee: "ann", assignees: ["ben", "ann"] }))).toEqual(["ben", "ann"])
  })

  test("are users who may be assigned", async () => {
    expect(logins(await add("shut", "dan"))).toEqual(["dan"])
    expect((await add("shut", "cyd")).status).toBe(403)
    expect((await add("open", "crew")).status).toBe(400)
    expect((await add("open", "nobody")).status).toBe(422)
    expect((await remove("open", "nobody")).status).toBe(422)
    const stranger = await forge.call(await forge.person("fay"), "POST /repos/ann/open/issues/1/assignees", { assignees: ["fay"] })
    expect(stranger.status).toBe(403)
    expect((await forge.call(ann, "GET /repos/ann/open/issues/1")).body.assignees).toEqual([])
  })

  test("can be checked in advance", async () => {
    expect(logins(await forge.call(ben, "GET /repos/ann/open/assignees"))).toEqual(["ben", "ann"])
    expect((await forge.call(undefined, "GET /repos/ann/open/assignees")).status).toBe(401)
    const asked = (repository: string, name: string) => forge.call(ann, `GET /repos/ann/${repository}/assignees/${name}`)
    const onIssue = (name: string) => forge.call(ann, `GET /repos/ann/shut/issues/1/assignees/${name}`)
    expect((await asked("open", "cyd")).status).toBe(204)
    expect((await asked("shut", "dan")).status).toBe(204)
    for (const name of ["cyd", "crew", "nobody"]) {
      expect((await asked("shut", name)).status).toBe(404)
      expect((await onIssue(name)).status).toBe(404)
    }
    expect((await onIssue("ben")).status).toBe(204)
  })

  test("of an organisation are its teams' members", async () => {
    await forge.call(ann, "POST /orgs/crew/repos", { name: "ship", private: true })
    const team = (await forge.call(ann, "POST /orgs/crew/teams", { name: "makers", units_map: { "repo.issues": "read" } })).body.id
    await forge.call(ann, `PUT /teams/${team}/members/eve`)
    await forge.call(ann, `PUT /teams/${team}/repos/crew/ship`)
    expect(logins(await forge.call(ann, "GET /repos/crew/ship/assignees"))).toEqual(["ann", "eve"])
  })

  test("lose it with their access, and when they block one another", async () => {
    const assigned = async (repository: string) => (await forge.call(ann, `GET /repos/ann/${repository}/issues/1`)).body.assignees
    await add("shut", "dan")
    await forge.call(ann, "DELETE /repos/ann/shut/collaborators/dan")
    expect(await assigned("shut")).toEqual([])
    await add("open", "cyd", "ben")
    await forge.call(ann, "PATCH /repos/ann/open", { private: true })
    expect((await assigned("open")).map(({ login }: { login: string }) => login)).toEqual(["ben"])
    await forge.call(ann, "PUT /user/blocks/ben")
    expect(await assigned("open")).toEqual([])
  })
})
