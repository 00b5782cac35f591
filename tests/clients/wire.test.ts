import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { checkAnswers } from "../support/answers.ts"
import { basic, type Calling, send } from "../support/http.ts"
import { openWorld, type Person, times, type World } from "../support/world.ts"

/**
 * Details that families of clients depend on, each with the clients that would break. The clients themselves are written in Go, Java and Python
 * and can't run here; their requests and checks are imitated.
 */
describe("what clients lean on", () => {
  const check = checkAnswers()
  let hearth: Hearth
  let world: World
  let person: Person
  beforeAll(async () => {
    hearth = await startHearth({
      halted: true,
      memory: true,
      config: { admin: { username: "root", password: "root-pass-1" } },
      onAnswer: check.onAnswer,
    })
    world = openWorld(hearth)
    person = await world.person()
    await times(7, () => world.repository(person))
  })
  afterAll(() => hearth.close())

  const get = (path: string, calling: Calling = { authorization: world.root }) => send(hearth.url, "GET", path, calling)

  describe("the version", () => {
    it("is public, a plain semantic version that passes the gates of the Go client", async () => {
      const { status, text } = await get("/version", {})
      const { version }: { readonly version: string } = JSON.parse(text)
      expect(status).toBe(200)
      // go-sdk parses it before its first call and refuses what it can't read; Renovate takes "gitea-" in it as a sign of Forgejo.
      expect(version).toMatch(/^\d+\.\d+\.\d+(\+[0-9A-Za-z.-]+)?$/)
      expect(version).not.toContain("gitea-")
      const [major = 0, minor = 0] = version.split(".").map(Number)
      // Scanners report 1.17.0 to 1.27.0 as vulnerable releases; Renovate switches features up to 1.24.
      expect(major > 1 || (major === 1 && minor >= 28)).toBe(true)
    })
  })

  describe("pages", () => {
    it("say how many there are and where the others lie, the next one first", async () => {
      const { headers } = await get(`/users/${person.name}/repos?limit=2&page=2`)
      const at = (page: number, rel: string) => `<${hearth.url}/api/v1/users/${person.name}/repos?limit=2&page=${page}>; rel="${rel}"`
      expect(headers.get("x-total-count")).toBe("7")
      // Jenkins takes the first address for the next page, whatever its rel says.
      expect(headers.get("link")).toBe([at(3, "next"), at(4, "last"), at(1, "first"), at(1, "prev")].join(","))
    })

    it("past the end are empty, with the same total", async () => {
      const { status, text, headers } = await get(`/users/${person.name}/repos?limit=2&page=9`)
      expect([status, text, headers.get("x-total-count")]).toEqual([200, "[]", "7"])
    })

    it("are as long as the site allows when more is asked for, and as by default when nothing is", async () => {
      // go-sdk asks page=0&limit=0, Renovate limit=100, others per_page.
      const lengths = async (query: string): Promise<number> => JSON.parse((await get(`/users/${person.name}/repos?${query}`)).text).length
      expect(await lengths("page=0&limit=0")).toBe(7)
      expect(await lengths("limit=100")).toBe(7)
      expect(await lengths("per_page=2")).toBe(7)
      expect(await lengths("page=-1&limit=-5")).toBe(7)
      await times(45, () => world.repository(person))
      expect(await lengths("limit=100")).toBe(50)
      expect(await lengths("page=0&limit=0")).toBe(30)
    })

    it("have the size that Woodpecker reads from the settings", async () => {
      const settings = JSON.parse((await get("/settings/api", {})).text)
      expect([settings.max_response_items, settings.default_paging_num]).toEqual([50, 30])
    })

    it("never hold null for an entry", async () => {
      for (const path of ["/repos/search", "/user/repos", "/users/search", "/orgs", "/user/teams", "/user/starred"])
        expect((await get(path)).text).not.toMatch(/[[,]null[\],]/)
    })
  })

  describe("signing in", () => {
    const whoami = async (authorization: string): Promise<unknown> => {
      const { status, text } = await get("/user", { authorization })
      return status === 200 ? JSON.parse(text).login : status
    }

    it("takes a token in every form that is in use", async () => {
      const { token } = hearth
      for (const authorization of [
        `token ${token}`,
        `Token ${token}`,
        `Bearer ${token}`,
        `bearer ${token}`,
        basic("root", token),
        basic("oauth2", token),
        basic("x-access-token", token),
        basic(token, ""),
        basic(token, "x-oauth-basic"),
        basic("root", "root-pass-1"),
      ])
        expect([authorization, await whoami(authorization)]).toEqual([authorization, "root"])
    })

    it("refuses wrong credentials, even where anonymous calls are allowed", async () => {
      for (const authorization of [
        `token ${"0".repeat(40)}`,
        "Bearer x",
        basic("root", "wrong"),
        basic("", ""),
        basic("root", ""),
        "Basic %%%",
      ])
        expect([authorization, await whoami(authorization)]).toEqual([authorization, 401])
      expect((await get("/version", { authorization: `token ${"0".repeat(40)}` })).status).toBe(401)
    })

    it("is asked for by git with the realm that credential helpers know", async () => {
      const { owner, repo } = await world.repository(person, { private: true })
      const answer = await fetch(`${hearth.url}/${owner}/${repo}.git/info/refs?service=git-upload-pack`)
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Gitea"'])
    })
  })

  it("publishes its description where generators and editors look for it", async () => {
    const answer = await fetch(`${hearth.url}/swagger.v1.json`)
    const document: { readonly swagger: string; readonly basePath: string; readonly paths: object } = JSON.parse(await answer.text())
    expect([answer.status, document.swagger, document.basePath]).toEqual([200, "2.0", "/api/v1"])
    expect(document.paths).toHaveProperty("/repos/{owner}/{repo}")
  })

  it("answers what it made with 201 and what it deleted with 204", async () => {
    const made = await send(hearth.url, "POST", "/user/repos", { authorization: person.authorization, body: { name: "made" } })
    expect(made.status).toBe(201)
    expect((await send(hearth.url, "DELETE", `/repos/${person.name}/made`, { authorization: person.authorization })).status).toBe(204)
  })

  describe("refusals", () => {
    it("are JSON with a message; a 404 has no body, or one as the operator wants it", async () => {
      for (const [method, path, calling, status] of [
        ["GET", "/user", {}, 401],
        ["GET", "/admin/users", { authorization: person.authorization }, 403],
        ["POST", "/user/repos", { authorization: person.authorization, body: { name: "" } }, 422],
      ] as const) {
        const answer = await send(hearth.url, method, path, calling)
        expect(answer.status).toBe(status)
        expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
        expect(JSON.parse(answer.text)).toEqual({ message: expect.stringMatching(/./), url: `${hearth.url}/api/swagger` })
      }
      expect(await get("/repos/nobody/nothing")).toMatchObject({ status: 404, text: "" })
      const told = (url: string) => ({ errors: [], message: "not found", url: `${url}/api/swagger` })
      // The first is not in the specification, and the second is.
      const [other, specified] = ["/repos/nobody/nothing", "/users/nobody/followers"]
      for (const notFoundBody of ["specified", "json"] as const) {
        const set = await startHearth({ halted: true, memory: true, config: { api: { notFoundBody } } })
        for (const path of [other, specified]) {
          const { status, text } = await send(set.url, "GET", path, { authorization: `token ${set.token}` })
          const isEmpty = notFoundBody === "specified" && path === specified
          expect([path, status, text && JSON.parse(text)]).toEqual([path, 404, isEmpty ? "" : told(set.url)])
        }
        await set.close()
      }
    })
  })

  it("tells of a repository all that Renovate asks before it begins", async () => {
    const { owner, repo } = await world.repository(person, { auto_init: true })
    const told = JSON.parse((await get(`/repos/${owner}/${repo}`, { authorization: person.authorization })).text)
    expect(told).toMatchObject({
      id: expect.any(Number),
      full_name: `${owner}/${repo}`,
      owner: { login: owner },
      clone_url: `${hearth.url}/${owner}/${repo}.git`,
      ssh_url: expect.stringMatching(new RegExp(`${owner}/${repo}\\.git$`)),
      default_branch: "main",
      archived: false,
      mirror: false,
      empty: false,
      fork: false,
      has_issues: true,
      has_pull_requests: true,
      permissions: { admin: true, push: true, pull: true },
      default_merge_style: "merge",
      allow_merge_commits: true,
      allow_rebase: true,
      allow_rebase_explicit: true,
      allow_squash_merge: true,
      allow_fast_forward_only_merge: true,
    })
    expect(told).not.toHaveProperty("external_tracker")
  })

  it("answers throughout as its description says", () => {
    expect(check.mismatches()).toEqual([])
  })
})
