import { expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { type Caller, openWorld } from "../repositories/testing.ts"
import { combine } from "./store.ts"

withWorld("statuses of commits", { open: openWorld, on: databaseKinds }, ({ test: it, world }) => {
  let ada: Caller
  let ben: Caller
  it.beforeAll(async () => {
    ada = await world.person("ada")
    ben = await world.person("ben")
  })

  let names = 0
  async function make() {
    const name = `checked-${++names}`
    await ada.call("POST", "/user/repos", { name, auto_init: true })
    const repo = `/repos/ada/${name}`
    const { body } = await ada.call("GET", `${repo}/git/commits/main`)
    const sha: string = body.sha
    return { repo, sha, tell: (status: object, id = sha) => ada.call("POST", `${repo}/statuses/${id}`, status) }
  }
  const ids = (body: readonly { readonly id: number }[]) => body.map(({ id }) => id)

  it("are numbered for each commit, with their texts trimmed", async () => {
    const { repo, sha, tell } = await make()
    const first = await tell({ state: "pending", context: " ci ", description: " waiting ", target_url: " https://ci.example.org/1 " })
    expect(first).toMatchObject({
      status: 201,
      body: {
        id: 1,
        status: "pending",
        context: "ci",
        description: "waiting",
        target_url: "https://ci.example.org/1",
        creator: { login: "ada" },
      },
    })
    expect(first.body.url).toBe(`${world.hearth.url}/api/v1${repo}/statuses/${sha}`)
    expect((await tell({ state: "success" }, sha.slice(0, 10))).body.id).toBe(2)
  })

  it("told at once get a number each", async () => {
    const { repo, sha, tell } = await make()
    await Promise.all(Array.from({ length: 8 }, (_, index) => tell({ state: "success", context: `c${index}` })))
    expect(ids((await ada.call("GET", `${repo}/statuses/${sha}?sort=oldest`)).body)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it("are listed in every order, by state and by page", async () => {
    const { repo, sha, tell } = await make()
    for (const state of ["pending", "success", "failure", "success"]) await tell({ state })
    const list = async (query: string) => ids((await world.anonymous.call("GET", `${repo}/statuses/${sha}?${query}`)).body)
    expect(await list("")).toEqual([4, 3, 2, 1])
    for (const [sort, rising] of Object.entries({
      oldest: true,
      recentupdate: false,
      leastupdate: true,
      leastindex: false,
      highestindex: true,
    }))
      expect(await list(`sort=${sort}`), sort).toEqual(rising ? [1, 2, 3, 4] : [4, 3, 2, 1])
    expect(await list("state=success")).toEqual([4, 2])
    expect((await world.anonymous.call("GET", `${repo}/commits/main/statuses?limit=1&page=2`)).headers.get("x-total-count")).toBe("4")
    expect(await list("limit=3&page=2")).toEqual([1])
    for (const unknown of ["sort=best", "sort=newest", "state=fine"]) expect(await list(unknown)).toEqual([4, 3, 2, 1])
    expect((await ada.call("GET", `${repo}/statuses/${"1".repeat(40)}`)).body).toEqual([])
    expect((await ada.call("GET", `${repo}/commits/nowhere/statuses`)).status).toBe(404)
  })

  it("come together to one, of which the newest of each context counts, whatever the page", async () => {
    const { repo, tell } = await make()
    const combined = async (query = "") => (await world.anonymous.call("GET", `${repo}/commits/main/status${query}`)).body
    expect(await combined()).toMatchObject({ state: "pending", total_count: 0, statuses: null, repository: { owner: { login: "ada" } } })
    await tell({ state: "failure", context: "build" })
    await tell({ state: "success", context: "build" })
    expect(await combined()).toMatchObject({ state: "success", total_count: 1, statuses: [{ id: 2 }] })
    await tell({ state: "skipped", context: "lint" })
    expect((await combined()).state).toBe("success")
    await tell({ state: "error", context: "test" })
    expect(await combined()).toMatchObject({ state: "failure", total_count: 3 })
    expect(await combined("?limit=1&page=2")).toMatchObject({ state: "failure", total_count: 1, statuses: [{ context: "lint" }] })
    expect(await combined("?limit=2")).toMatchObject({ statuses: [{ context: "lint" }, { context: "test" }] })
    expect(await combined("?limit=2&page=2")).toMatchObject({ total_count: 1, statuses: [{ context: "build" }] })
    expect(await combined("?limit=2&page=3")).toMatchObject({ total_count: 0, statuses: null })
    const { headers } = await world.anonymous.call("GET", `${repo}/commits/main/status?limit=2`)
    expect(headers.get("x-total-count")).toBe("3")
    expect(headers.get("link")).toMatch(/^<http.*\/commits\/main\/status\?limit=2&page=2>; rel="next",<.*page=2>; rel="last"$/)
    expect((await world.anonymous.call("GET", `${repo}/commits/nowhere/status`)).status).toBe(404)
  })

  it("are accepted from writers, for existing commits, with valid values", async () => {
    const { repo, sha, tell } = await make()
    const body = { state: "success" }
    expect((await ben.call("POST", `${repo}/statuses/${sha}`, body)).status).toBe(403)
    expect((await world.anonymous.call("POST", `${repo}/statuses/${sha}`, body)).status).toBe(401)
    expect((await tell(body, "1".repeat(40))).status).toBe(404)
    expect((await tell({})).status).toBe(422)
    expect((await tell({ state: "fine" })).status).toBe(422)
    expect((await tell({ ...body, target_url: "javascript:alert(1)" })).status).toBe(422)
    expect((await tell({ ...body, context: "x".repeat(256) })).status).toBe(422)
  })

  it("of a deleted user are kept", async () => {
    const { repo, sha, tell } = await make()
    await ada.call("PUT", `${repo}/collaborators/guest`, {})
    const guest = await world.person(`guest${names}`)
    await ada.call("PUT", `${repo}/collaborators/${guest.name}`, { permission: "write" })
    await guest.call("POST", `${repo}/statuses/${sha}`, { state: "success" })
    await tell({ state: "success", context: "other" })
    expect((await world.root.call("DELETE", `/admin/users/${guest.name}`)).status).toBe(204)
    const { body } = await ada.call("GET", `${repo}/statuses/${sha}?sort=oldest`)
    expect(body.map(({ creator }: { creator: { login: string } }) => creator.login)).toEqual(["Ghost", "ada"])
  })
})

test("states combine", () => {
  expect(combine([])).toBe("pending")
  expect(combine(["success", "skipped"])).toBe("success")
  expect(combine(["success", "pending"])).toBe("pending")
  for (const bad of ["error", "failure", "warning"]) expect(combine(["success", "pending", bad])).toBe("failure")
})
