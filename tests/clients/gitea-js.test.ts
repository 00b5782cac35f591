import { giteaApi } from "gitea-js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { checkAnswers } from "../support/answers.ts"
import { basic } from "../support/http.ts"

/** The npm client `gitea-js`, used without any adaptation to Hearth: generated from the reference's own description. */
describe("gitea-js", () => {
  const check = checkAnswers()
  let hearth: Hearth
  beforeAll(async () => {
    hearth = await startHearth({
      halted: true,
      memory: true,
      config: { admin: { username: "root", password: "root-pass-1" } },
      onAnswer: check.onAnswer,
    })
  })
  afterAll(() => hearth.close())

  const client = (token?: string) => giteaApi(hearth.url, token === undefined ? {} : { token })
  /** The refusal that a call ends in; the client throws the answer itself. */
  const refusal = (call: Promise<unknown>): Promise<number> =>
    call.then(
      () => 0,
      (answer: { readonly status: number }) => answer.status,
    )

  it("signs in with a password, creates a token and is authenticated with it", async () => {
    const headers = { authorization: basic("root", "root-pass-1") }
    const made = await client().users.userCreateToken("root", { name: "gitea-js", scopes: ["all"] }, { headers })
    expect(made.status).toBe(201)
    expect(made.data.sha1).toMatch(/^[0-9a-f]{40}$/)
    const me = await client(made.data.sha1).user.userGetCurrent()
    expect(me.data.login).toBe("root")
    expect(await refusal(client("0".repeat(40)).user.userGetCurrent())).toBe(401)
    expect(await refusal(client().user.userGetCurrent())).toBe(401)
  })

  it("makes an organization, a team and a repository, changes them and deletes them", async () => {
    const api = client(hearth.token)
    const organization = await api.orgs.orgCreate({ username: "acme", full_name: "Acme", visibility: "limited" })
    expect([organization.status, organization.data.username, organization.data.visibility]).toEqual([201, "acme", "limited"])

    const team = await api.orgs.orgCreateTeam("acme", {
      name: "builders",
      permission: "write",
      units: ["repo.code", "repo.issues"],
      includes_all_repositories: true,
    })
    expect([team.status, team.data.name, team.data.units_map]).toEqual([201, "builders", { "repo.code": "write", "repo.issues": "write" }])
    await api.admin.adminCreateUser({
      username: "alice",
      email: "alice@example.com",
      password: "alice-pass-1",
      must_change_password: false,
    })
    expect((await api.teams.orgAddTeamMember(team.data.id ?? 0, "alice")).status).toBe(204)
    expect((await api.teams.orgListTeamMembers(team.data.id ?? 0)).data.map(({ login }) => login)).toEqual(["alice"])

    const repository = await api.orgs.createOrgRepo("acme", { name: "anvil", auto_init: true, private: true, default_branch: "trunk" })
    expect([repository.status, repository.data.full_name, repository.data.default_branch]).toEqual([201, "acme/anvil", "trunk"])
    expect(repository.data.permissions).toEqual({ admin: true, push: true, pull: true })

    const edited = await api.repos.repoEdit("acme", "anvil", { description: "heavy", name: "hammer", has_wiki: false })
    expect([edited.data.name, edited.data.description, edited.data.has_wiki]).toEqual(["hammer", "heavy", false])
    expect((await api.repos.repoUpdateTopics("acme", "hammer", { topics: ["tools", "iron"] })).status).toBe(204)
    expect((await api.repos.repoSearch({ q: "hammer" })).data.data?.map(({ full_name }) => full_name)).toEqual(["acme/hammer"])
    expect((await api.orgs.orgEdit("acme", { description: "makes everything" })).data.description).toBe("makes everything")

    expect((await api.repos.repoDelete("acme", "hammer")).status).toBe(204)
    expect(await refusal(api.repos.repoGet("acme", "hammer"))).toBe(404)
    expect((await api.teams.orgDeleteTeam(team.data.id ?? 0)).status).toBe(204)
    expect((await api.orgs.orgDelete("acme")).status).toBe(204)
    expect(await refusal(api.orgs.orgGet("acme"))).toBe(404)
  })

  it("is told what was wrong with what it sent", async () => {
    const answer = await client(hearth.token)
      .user.createCurrentUserRepo({ name: "not a name" })
      .catch((given: { readonly status: number; readonly error: { readonly message: string } }) => given)
    expect(answer.status).toBe(422)
    expect(answer.error).toMatchObject({ message: expect.stringContaining("[name]") })
  })

  it("walks through pages by the Link header and by counting", async () => {
    const api = client(hearth.token)
    for (let count = 1; count <= 7; count++) await api.user.createCurrentUserRepo({ name: `page-${count}` })
    const names: (string | undefined)[] = []
    let address: string | undefined = `${hearth.url}/api/v1/user/repos?limit=3`
    while (address) {
      const answer: Response = await fetch(address, { headers: { authorization: `token ${hearth.token}` } })
      const page: readonly { readonly name: string }[] = JSON.parse(await answer.text())
      names.push(...page.map(({ name }) => name))
      address = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1]
    }
    expect(names).toEqual(["page-1", "page-2", "page-3", "page-4", "page-5", "page-6", "page-7"])

    const counted: (string | undefined)[] = []
    for (let page = 1; ; page++) {
      const { data, headers } = await api.user.userCurrentListRepos({ page, limit: 3 })
      expect(headers.get("x-total-count")).toBe("7")
      counted.push(...data.map(({ name }) => name))
      if (data.length === 0) break
    }
    expect(counted).toEqual(names)
  })

  it("was answered throughout as the description says", () => {
    expect(check.mismatches()).toEqual([])
  })
})
