import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import type { Answer, Caller } from "../../../../tests/support/hearth.ts"
import { openReviewWorld } from "./testing.ts"

const encode = (text: string): string => Buffer.from(text).toString("base64")

/** The people of a list of reviews. */
const names = (answer: Pick<Answer, "body">): string[] =>
  answer.body.map(({ user, team }: { user: { login: string } | null; team: { name: string } | null }) => user?.login ?? team?.name)

withWorld("requests for reviews", { on: databaseKinds, open: openReviewWorld }, ({ test: it, world }) => {
  let organizations = 0

  /** A repository of ann's organisation with a pull request of ben's, who is a collaborator; dee is in a private team with it, cyd in one without. */
  async function ofOrganization(options: object = {}) {
    const { ann, ben, call, must } = world
    const org = `org${++organizations}`
    await must(ann, "POST /orgs", { username: org })
    await must(ann, `POST /orgs/${org}/repos`, { name: "box", auto_init: true, ...options })
    const at = `/repos/${org}/box`
    await must(ann, `PUT ${at}/collaborators/ben`, { permission: "write" })
    const team = async (name: string, member: string, units: object) => {
      const { id } = await must(ann, `POST /orgs/${org}/teams`, { name, visibility: "private", units_map: units })
      await must(ann, `PUT /teams/${id}/members/${member}`)
      return id
    }
    const crew = await team("Crew", "dee", { "repo.code": "write", "repo.pulls": "write" })
    await must(ann, `PUT /teams/${crew}/repos/${org}/box`)
    await team("apart", "cyd", { "repo.code": "read", "repo.pulls": "read" })
    await must(ben, `POST ${at}/contents/b.txt`, { content: encode("b\n"), message: "b", branch: "main", new_branch: "work" })
    await must(ben, `POST ${at}/pulls`, { title: "Work", head: "work", base: "main" })
    const ask = (by: Caller, body: object, method = "POST") => call(by, `${method} ${at}/pulls/1/requested_reviewers`, body)
    const reviews = () => call(ann, `GET ${at}/pulls/1/reviews`)
    return { org, at, crew, ask, reviews }
  }

  it("go to people and teams once each, who are told, and end with their answers", async () => {
    const { ann, ben, dee, must } = world
    const { org, at, ask, reviews } = await ofOrganization()
    await must(dee, "PUT /notifications")
    const asked = await ask(ben, { reviewers: ["DEE", "dee"], team_reviewers: ["crew"] })
    expect(asked.status).toBe(201)
    expect(asked.body).toMatchObject([
      { state: "REQUEST_REVIEW", official: true, user: { login: "dee" }, team: null, body: "", commit_id: "", html_url: "" },
      { state: "REQUEST_REVIEW", official: false, user: null, team: { name: "Crew", organization: null } },
    ])
    expect((await ask(ben, { reviewers: ["dee"], team_reviewers: ["Crew"] })).body).toEqual([])
    expect((await ask(ben, {})).body).toEqual([])
    expect(await must(dee, "GET /notifications")).toHaveLength(1)
    await must(ann, `PATCH /orgs/${org}`, { email: "crew@example.com" })
    const organization = { name: org, email: "crew@example.com" }
    expect((await must(ann, `GET ${at}/pulls/1`)).requested_reviewers_teams).toMatchObject([{ name: "Crew", organization }])
    expect((await must(ann, `GET ${at}/pulls`))[0].requested_reviewers_teams).toMatchObject([{ name: "Crew", organization }])
    const seen = (await world.call(undefined, `GET ${at}/pulls/1`)).body
    expect(seen.requested_reviewers_teams).toMatchObject([{ name: "Crew", organization: { name: org, email: "" } }])
    const entries = await must(ann, `GET ${at}/issues/1/timeline`)
    const requests = entries.filter(({ type }: { type: string }) => type === "review_request")
    expect(requests).toMatchObject([
      { assignee: { login: "dee" }, assignee_team: null, removed_assignee: false, user: { login: "ben" } },
      { assignee: null, assignee_team: { name: "Crew" }, removed_assignee: false },
    ])
    await must(dee, `POST ${at}/pulls/1/reviews`, { event: "COMMENT", body: "Well." })
    expect(names(await reviews())).toEqual(["Crew", "dee"])
    await must(dee, `POST ${at}/pulls/1/reviews`, { event: "APPROVED" })
    expect(names(await reviews())).toEqual(["dee", "dee"])
    expect((await ask(ben, { reviewers: ["dee"] })).body).toMatchObject([{ official: true }])
    expect((await reviews()).body.map(({ official }: { official: boolean }) => official)).toEqual([false, false, true])
    expect((await ask(ben, { reviewers: ["dee"] }, "DELETE")).status).toBe(204)
    expect((await reviews()).body.map(({ official }: { official: boolean }) => official)).toEqual([false, true])
  })

  it("are all made or none", async () => {
    const { ben } = world
    const { org, ask, reviews } = await ofOrganization()
    for (const [body, status] of [
      [{ reviewers: ["dee", "nobody"] }, 404],
      [{ reviewers: ["dee"], team_reviewers: ["nobody"] }, 404],
      [{ reviewers: ["dee", "ben"] }, 422],
      [{ reviewers: ["dee", org] }, 422],
    ] as const)
      expect((await ask(ben, body)).status).toBe(status)
    expect((await reviews()).body).toEqual([])
  })

  it("are made by those who belong to the repository, and declined by the reviewers", async () => {
    const { ann, ben, cyd, dee, must } = world
    const { at, ask, reviews } = await ofOrganization()
    expect((await ask(cyd, { reviewers: ["dee"] })).status).toBe(422)
    expect((await ask(undefined, { reviewers: ["dee"] })).status).toBe(401)
    for (const by of [ann, dee]) expect((await ask(by, { reviewers: ["cyd"] })).status).toBe(201)
    expect((await ask(ann, { reviewers: ["dee"] })).status).toBe(201)
    expect((await ask(undefined, { reviewers: ["dee"] }, "DELETE")).status).toBe(401)
    expect((await ask(cyd, { reviewers: ["dee"] }, "DELETE")).status).toBe(422)
    expect((await ask(cyd, { reviewers: ["cyd"] }, "DELETE")).status).toBe(204)
    expect((await ask(ben, { reviewers: ["nobody"] }, "DELETE")).status).toBe(404)
    expect(names(await reviews())).toEqual(["dee"])
    await must(ann, `PATCH ${at}`, { archived: true })
    expect((await ask(ann, { reviewers: ["cyd"] })).status).toBe(423)
    expect((await ask(ann, { reviewers: ["dee"] }, "DELETE")).status).toBe(423)
  })

  it("go only to those who can read what they are about", async () => {
    const { ann, ben, cyd, must } = world
    const { at, ask } = await ofOrganization({ private: true })
    expect((await ask(ben, { reviewers: ["cyd"] })).status).toBe(422)
    expect((await ask(ben, { reviewers: ["dee"] })).status).toBe(201)
    // Ben is not in the organisation and can't see a private team without the repository.
    expect((await ask(ben, { team_reviewers: ["apart"] })).status).toBe(404)
    expect((await ask(ann, { team_reviewers: ["apart"] })).status).toBe(422)
    expect((await ask(ben, { team_reviewers: ["crew"] })).status).toBe(201)
    await must(ann, `PATCH /teams/${(await crewOf(at)).id}`, { name: "Crew", units_map: { "repo.code": "read" } })
    await must(ann, `DELETE ${at}/pulls/1/requested_reviewers`, { team_reviewers: ["crew"] })
    expect((await ask(ann, { team_reviewers: ["crew"] })).status).toBe(422)
    expect((await ask(cyd, { reviewers: ["dee"] })).status).toBe(404)
  })

  const crewOf = async (at: string) =>
    (await world.must(world.ann, `GET ${at}/teams`)).find(({ name }: { name: string }) => name === "Crew")

  it("find people by addresses that they show", async () => {
    const { ben, dee, must } = world
    const { ask } = await ofOrganization()
    expect(names(await ask(ben, { reviewers: ["CYD@example.com"] }))).toEqual(["cyd"])
    await must(dee, "PATCH /user/settings", { hide_email: true })
    expect((await ask(ben, { reviewers: ["dee@example.com"] })).status).toBe(404)
    expect(names(await ask(dee, { reviewers: ["dee@example.com"] }))).toEqual(["dee"])
    await must(dee, "PATCH /user/settings", { hide_email: false })
  })

  it("are made by administrators of the site, and not to those whom the owner has blocked", async () => {
    const { ann, must, root, reviewed } = world
    const pull = await reviewed()
    const ask = (by: Caller, reviewer: string) => pull.call(by, "POST", "requested_reviewers", { reviewers: [reviewer] })
    await must(ann, "PUT /user/blocks/cyd")
    for (const by of [root, ann])
      expect(await ask(by, "cyd")).toMatchObject({ status: 422, body: { message: expect.stringContaining("cyd is blocked by the owner") } })
    await must(ann, "DELETE /user/blocks/cyd")
    expect((await ask(root, "cyd")).body).toMatchObject([{ state: "REQUEST_REVIEW", user: { login: "cyd" } }])
  })

  it("are not made to those who have answered on what is closed, or have blocked the requester", async () => {
    const { ann, ben, cyd, must, reviewed } = world
    const pull = await reviewed()
    const ask = (reviewer: string) => pull.call(ann, "POST", "requested_reviewers", { reviewers: [reviewer] })
    await pull.must(ben, { event: "APPROVED" })
    await must(cyd, "PUT /user/blocks/ann")
    expect((await ask("cyd")).status).toBe(403)
    await must(cyd, "DELETE /user/blocks/ann")
    await pull.edit(1, { state: "closed" })
    expect((await ask("ben")).status).toBe(403)
    expect((await ask("cyd")).status).toBe(201)
  })

  it("pass over teams where a person owns the repository", async () => {
    const pull = await world.reviewed()
    expect((await pull.call(world.ann, "POST", "requested_reviewers", { team_reviewers: ["crew"] })).body).toEqual([])
  })

  it("end when people or teams lose the repository", async () => {
    const { ann, ben, must } = world
    const { org, at, crew, ask, reviews } = await ofOrganization({ private: true })
    await must(ann, `PUT ${at}/collaborators/cyd`, { permission: "read" })
    await ask(ben, { reviewers: ["cyd", "dee"], team_reviewers: ["crew"] })
    expect(names(await reviews())).toEqual(["cyd", "dee", "Crew"])
    await must(ann, `DELETE ${at}/collaborators/cyd`)
    expect(names(await reviews())).toEqual(["dee", "Crew"])
    await must(ann, `DELETE /teams/${crew}/repos/${org}/box`)
    expect(names(await reviews())).toEqual([])
  })

  it("offer those who can be asked", async () => {
    const { ann, ben, cyd, call, must } = world
    const { at } = await ofOrganization()
    const offered = async (by: Caller) => {
      const { status, body } = await call(by, `GET ${at}/reviewers`)
      return status === 200 ? body.map(({ login }: { login: string }) => login) : status
    }
    expect(await offered(ben)).toEqual(["ann", "ben", "cyd", "dee"])
    expect(await offered(cyd)).toBe(403)
    expect(await offered(undefined)).toBe(401)
    await must(ann, `PATCH ${at}`, { private: true })
    expect(await offered(ben)).toEqual(["ann", "ben", "dee"])
    expect(await offered(cyd)).toBe(404)
  })

  it("are made to the owners of the changed files", async () => {
    const { ann, ben, dee, must } = world
    const { org, at, reviews } = await ofOrganization()
    const rules = `.*\\.md @dee @ben @nobody\ndocs/.* @${org}/crew\n!src/.* @ann\n(bad @cyd\n`
    await must(ann, `POST ${at}/contents/docs/CODEOWNERS`, { content: encode(rules), message: "Owners", branch: "main" })
    const bring = async (branch: string, path: string, title = "Bring") => {
      await must(ben, `POST ${at}/contents/${path}`, { content: encode("x\n"), message: "x", branch: "main", new_branch: branch })
      return (await must(ben, `POST ${at}/pulls`, { title, head: branch, base: "main" })).number
    }
    const askedOn = async (number: number) => names({ body: await must(ann, `GET ${at}/pulls/${number}/reviews`) })
    expect(await askedOn(await bring("one", "docs/a.md"))).toEqual(["ann", "dee", "Crew"])
    expect(await askedOn(await bring("two", "src/a.c"))).toEqual([])
    expect(await askedOn(await bring("three", "b.c", "WIP: later"))).toEqual([])
    expect(names(await reviews())).toEqual([])
    expect((await must(dee, `GET ${at}/notifications`)).length).toBeGreaterThan(0)
  })
})
