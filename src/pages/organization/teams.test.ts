import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind)
  const [ann, ben, cat] = [await forge.person("ann"), await forge.person("ben"), await forge.person("cat")]
  const browsers = new Map<string, ReturnType<typeof openBrowser>>()
  for (const name of ["ann", "ben", "cat"]) {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    browsers.set(name, browser)
  }
  const as = (name: string) => browsers.get(name) ?? openBrowser(forge.hearth.url)
  // Untyped, for tests.
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const record = async (path: string): Promise<any> => (await forge.call(ann, `GET ${path}`)).body
  const make = async (name: string) => {
    await forge.call(ann, "POST /orgs", { username: name })
    await forge.call(ann, `POST /orgs/${name}/repos`, { name: "ship" })
    return `/org/${name}`
  }
  const team = async (organization: string, name: string) => {
    const found = await record(`/orgs/${organization}/teams/search?q=${name}`)
    return found.data.find((each: { name: string }) => each.name === name)
  }
  return { ...forge, ann, ben, cat, as, record, make, team }
}

withWorld("what owners of organisations do on pages", { open }, ({ test, world }) => {
  test("make an organisation, once", async () => {
    const ann = world.as("ann")
    expect((await ann.get("/org/create")).text).toContain("first owner")
    const wrong = await ann.post("/org/create", { username: "no good", description: "Typed <b>" })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('value="Typed &lt;b&gt;"')])
    const made = await ann.post("/org/create", { username: "fleet", description: "Ships", visibility: "limited" })
    expect(made.location).toBe("/fleet")
    expect(await world.record("/orgs/fleet")).toMatchObject({ description: "Ships", visibility: "limited" })
  })

  test("change its settings; others are refused", async () => {
    const at = await world.make("crew")
    const [ann, ben] = [world.as("ann"), world.as("ben")]
    expect((await ann.get("/crew")).text).toContain('href="/org/crew/settings"')
    expect((await ben.get("/crew")).text).not.toContain('href="/org/crew/settings"')
    for (const path of ["", "/labels", "/blocked_users"]) {
      expect((await ann.get(`${at}/settings${path}`)).status).toBe(200)
      expect((await ben.get(`${at}/settings${path}`)).status).toBe(404)
    }
    const fields = { full_name: "The crew", visibility: "public", repo_admin_change_team_access: "true" }
    expect((await ben.post(`${at}/settings`, fields)).status).toBe(403)
    const wrong = await ann.post(`${at}/settings`, { ...fields, email: "nowhere" })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('value="The crew"')])
    expect((await ann.post(`${at}/settings`, fields)).location).toBe(`${at}/settings`)
    expect(await world.record("/orgs/crew")).toMatchObject({ full_name: "The crew", repo_admin_change_team_access: true })
  })

  test("rename and delete it, by typing its name", async () => {
    const at = await world.make("brief")
    const ann = world.as("ann")
    const kept = await ann.post(`${at}/settings/rename`, { new_name: "short", confirm: "no" })
    expect([kept.status, kept.text]).toEqual([422, expect.stringContaining('value="short"')])
    expect((await ann.post(`${at}/settings/rename`, { new_name: "short", confirm: "brief" })).location).toBe("/org/short/settings")
    const unnamed = await ann.post("/org/short/settings/delete", { confirm: "brief" })
    expect([unnamed.status, unnamed.text]).toEqual([422, expect.stringContaining("must be short")])
    const owning = await ann.post("/org/short/settings/delete", { confirm: "short" })
    expect([owning.status, owning.text]).toEqual([422, expect.stringContaining("Still owns repositories")])
    await world.call(world.ann, "DELETE /repos/short/ship")
    expect((await ann.post("/org/short/settings/delete", { confirm: "short" })).location).toBe("/")
    expect((await ann.get("/short")).status).toBe(404)
  })

  test("set the picture, and take it away", async () => {
    const at = await world.make("faces")
    const ann = world.as("ann")
    const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")
    const send = (bytes: Buffer) => {
      const body = new FormData()
      body.append("image", new Blob([new Uint8Array(bytes)]), "dot.png")
      const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const headers = { accept: "text/html", cookie, "sec-fetch-site": "same-origin" }
      return fetch(`${world.hearth.url}${at}/settings/avatar`, { method: "POST", redirect: "manual", headers, body })
    }
    const before = (await world.record("/orgs/faces")).avatar_url
    expect((await send(Buffer.from("no picture"))).status).toBe(422)
    expect((await send(dot)).status).toBe(303)
    expect((await world.record("/orgs/faces")).avatar_url).not.toBe(before)
    expect((await ann.get(`${at}/settings`)).text).toContain("/settings/avatar/delete")
    await ann.post(`${at}/settings/avatar/delete`, {})
    expect((await world.record("/orgs/faces")).avatar_url).toBe(before)
  })

  test("keep its labels", async () => {
    const at = `${await world.make("marks")}/settings/labels`
    const ann = world.as("ann")
    const wrong = await ann.post(at, { name: "bug", color: "red" })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('value="bug"')])
    await ann.post(at, { name: "bug", color: "#d73a4a", exclusive: "true" })
    const [label] = await world.record("/orgs/marks/labels")
    expect(label).toMatchObject({ name: "bug", color: "d73a4a", exclusive: true })
    expect((await ann.get(`${at}/${label.id}`)).text).toContain('value="d73a4a"')
    await ann.post(`${at}/${label.id}`, { name: "fault", color: "d73a4a", is_archived: "true" })
    expect(await world.record("/orgs/marks/labels")).toEqual([
      expect.objectContaining({ name: "fault", exclusive: false, is_archived: true }),
    ])
    expect((await world.as("ben").post(`${at}/${label.id}/delete`, {})).status).toBe(403)
    expect((await ann.post(`${at}/${label.id}/delete`, {})).location).toBe(at)
    expect(await world.record("/orgs/marks/labels")).toEqual([])
    expect((await ann.get(`${at}/${label.id}`)).status).toBe(404)
  })

  test("block people for it", async () => {
    const at = `${await world.make("gate")}/settings/blocked_users`
    const ann = world.as("ann")
    const nobody = await ann.post(at, { username: "nobody", note: "Typed" })
    expect([nobody.status, nobody.text]).toEqual([422, expect.stringContaining('value="Typed"')])
    expect(nobody.text).toContain("o such user")
    await ann.post(at, { username: "ben", note: "Spam" })
    expect((await world.call(world.ann, "GET /orgs/gate/blocks/ben")).status).toBe(204)
    await ann.post(`${at}/ben/unblock`, {})
    expect((await world.call(world.ann, "GET /orgs/gate/blocks/ben")).status).toBe(404)
    expect((await world.as("ben").post(at, { username: "cat" })).status).toBe(403)
  })

  test("make a team, say what it may do, and delete it", async () => {
    const at = `${await world.make("guild")}/teams`
    const ann = world.as("ann")
    expect((await ann.get(`${at}/new`)).text).toContain("Permission by unit")
    const rights = { name: "deck", permission: "none", "rights.repo.code": "write", "rights.repo.issues": "read" }
    const wrong = await ann.post(`${at}/new`, { ...rights, name: "no good", description: "Typed" })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('value="Typed"')])
    expect(wrong.text).toMatch(
      /name="rights\.repo\.code"[^>]*><option value="none" ><?[^<]*<\/option><option value="read" >Read<\/option><option value="write" selected>/,
    )
    expect((await ann.post(`${at}/new`, rights)).location).toBe(`${at}/deck`)
    expect(await world.team("guild", "deck")).toMatchObject({
      permission: "none",
      units_map: { "repo.code": "write", "repo.issues": "read", "repo.wiki": "none" },
    })
    expect((await ann.get(`${at}/deck/edit`)).text).toContain('<option value="write" selected>Write</option>')
    const changed = await ann.post(`${at}/deck/edit`, {
      name: "bridge",
      permission: "admin",
      can_create_org_repo: "true",
      visibility: "limited",
    })
    expect(changed.location).toBe(`${at}/bridge`)
    expect(await world.team("guild", "bridge")).toMatchObject({ permission: "admin", can_create_org_repo: true, visibility: "limited" })
    expect((await world.as("ben").post(`${at}/bridge/edit`, { name: "mine" })).status).toBe(403)
    expect((await ann.post(`${at}/bridge/delete`, { confirm: "deck" })).status).toBe(422)
    expect((await ann.post(`${at}/bridge/delete`, { confirm: "bridge" })).location).toBe(at)
    expect((await ann.get(`${at}/bridge`)).status).toBe(404)
    // The owners' team keeps its rights.
    expect((await ann.get(`${at}/Owners/edit`)).text).not.toContain("rights.repo")
    expect((await ann.post(`${at}/Owners/description`, { description: "Those who own it" })).status).toBe(303)
    expect((await ann.post(`${at}/Owners/delete`, { confirm: "Owners" })).text).toContain("can&#39;t be deleted")
    expect((await ann.post(`${at}/nothing/edit`, { name: "x" })).status).toBe(404)
  })

  test("put people and repositories into a team, and take them out", async () => {
    await world.make("tavern")
    const at = "/org/tavern/teams/inn"
    await world.call(world.ann, "POST /orgs/tavern/teams", { name: "inn", units_map: { "repo.code": "read" } })
    const { id } = await world.team("tavern", "inn")
    const ann = world.as("ann")
    const nobody = await ann.post(at, { username: "nobody" })
    expect([nobody.status, nobody.text]).toEqual([422, expect.stringContaining('value="nobody"')])
    for (const username of ["ben", "cat"]) expect((await ann.post(at, { username })).location).toBe(at)
    expect((await world.record(`/teams/${id}/members`)).map(({ login }: { login: string }) => login)).toEqual(["ben", "cat"])
    expect((await world.as("ben").post(`${at}/members/cat/remove`, {})).status).toBe(403)
    expect((await world.as("ben").get(at)).text).not.toContain("/remove")
    await ann.post(`${at}/members/cat/remove`, {})
    expect((await world.record(`/teams/${id}/members`)).map(({ login }: { login: string }) => login)).toEqual(["ben"])

    const missing = await ann.post(`${at}/repositories`, { repo: "nothing" })
    expect([missing.status, missing.text]).toEqual([422, expect.stringContaining("The organization has no such repository")])
    await ann.post(`${at}/repositories`, { repo: "ship" })
    expect((await world.record(`/teams/${id}/repos`)).map(({ name }: { name: string }) => name)).toEqual(["ship"])
    expect((await ann.get(`${at}/repositories`)).text).toContain(`action="${at}/repositories/ship/remove"`)
    await ann.post(`${at}/repositories/ship/remove`, {})
    expect(await world.record(`/teams/${id}/repos`)).toEqual([])
  })

  test("remove members, who may also leave by themselves; the last owner may not", async () => {
    const at = await world.make("boat")
    await world.call(world.ann, "POST /orgs/boat/teams", { name: "oars", units_map: { "repo.code": "read" } })
    const { id } = await world.team("boat", "oars")
    for (const name of ["ben", "cat"]) await world.call(world.ann, `PUT /teams/${id}/members/${name}`)
    const [ann, ben, cat] = [world.as("ann"), world.as("ben"), world.as("cat")]
    expect((await ben.post(`${at}/members/cat/remove`, {})).status).toBe(403)
    expect((await ann.post(`${at}/members/cat/remove`, {})).location).toBe(`${at}/members`)
    expect((await world.call(world.ann, "GET /orgs/boat/members/cat")).status).toBe(404)
    expect((await cat.post(`${at}/leave`, {})).status).toBe(403)
    expect((await ben.get(`${at}/members`)).text).toContain(`action="${at}/leave"`)
    expect((await ben.post(`${at}/leave`, {})).location).toBe("/")
    expect((await world.call(world.ann, "GET /orgs/boat/members/ben")).status).toBe(404)
    const last = await ann.post(`${at}/leave`, {})
    expect([last.status, last.text]).toEqual([422, expect.stringContaining("Make someone else an owner first")])
  })

  test("follow organisations, and block people", async () => {
    await world.make("choir")
    const ben = world.as("ben")
    expect((await ben.post("/choir/-/follow", {})).location).toBe("/choir")
    expect((await ben.get("/choir")).text).toContain("Unfollow")
    expect((await ben.get("/cat")).text).toContain('action="/cat/-/block"')
    expect((await ben.post("/cat/-/block", { note: "Noise" })).location).toBe("/cat")
    expect((await world.call(world.ben, "GET /user/blocks/cat")).status).toBe(204)
    expect((await ben.get("/cat")).text).toContain("User blocked.")
    const refused = await world.as("cat").post("/ben/-/follow", {})
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("User is blocked.")])
    await ben.post("/cat/-/unblock", {})
    expect((await world.call(world.ben, "GET /user/blocks/cat")).status).toBe(404)
    expect((await ben.post("/choir/-/block", {})).status).toBe(400)
  })
})
