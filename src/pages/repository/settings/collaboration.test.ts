import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

withHearth("who reaches a repository", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, call }) => {
  let owner: Browser
  let writer: Browser
  const at = "/club/box/settings"

  test.beforeAll(async () => {
    await call(ann, "POST /orgs", { username: "club" })
    await call(ann, "POST /orgs/club/repos", { name: "box", private: true })
    await call(ann, "POST /orgs/club/teams", { name: "makers", permission: "write", units_map: { "repo.code": "write" } })
    owner = openBrowser(forge.hearth.url)
    await owner.signIn("ann", PASSWORD)
    writer = openBrowser(forge.hearth.url)
    await writer.signIn("ben", PASSWORD)
  })

  const faultOf = ({ text }: { readonly text: string }) => /class="(?:fault|notice bad)"[^>]*>([^<]*)/.exec(text)?.[1]
  const rightOf = async (name: string) => (await call(ann, `GET /repos/club/box/collaborators/${name}/permission`)).body.permission
  const teams = async () => (await call(ann, "GET /repos/club/box/teams")).body.map((team: { name: string }) => team.name)

  test("is added by name, changed and removed", async () => {
    await owner.post(`${at}/collaboration`, { collaborator: "ben", permission: "write" })
    await owner.post(`${at}/collaboration`, { collaborator: "cyd", permission: "read" })
    expect([await rightOf("ben"), await rightOf("cyd")]).toEqual(["write", "read"])
    const page = await owner.get(`${at}/collaboration`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const ofCyd = page.forms.find(({ action }) => action === `${at}/collaboration/cyd`)
    expect(ofCyd?.fields).toMatchObject({ permission: "read" })
    await owner.post(`${at}/collaboration/cyd`, { permission: "admin" })
    expect(await rightOf("cyd")).toBe("admin")
    await owner.post(`${at}/collaboration/cyd/remove`, {})
    expect((await call(ann, "GET /repos/club/box/collaborators/cyd")).status).toBe(404)
  })

  test("is refused where no one has the name, with what was typed", async () => {
    const refused = await owner.post(`${at}/collaboration`, { collaborator: "nobody", permission: "admin" })
    expect([refused.status, faultOf(refused)]).toEqual([422, "There is no user nobody."])
    expect(refused.text).toMatch(/value="nobody"[\s\S]*value="admin" selected/)
  })

  test("are teams that are added and removed", async () => {
    expect((await owner.get(`${at}/collaboration`)).forms.find(({ action }) => action === `${at}/teams`)?.fields).toEqual({
      team: "makers",
    })
    await owner.post(`${at}/teams`, { team: "makers" })
    expect(await teams()).toEqual(["Owners", "makers"])
    const again = await owner.post(`${at}/teams`, { team: "makers" })
    expect([again.status, faultOf(again)]).toEqual([422, "Makers has the repository already."])
    await owner.post(`${at}/teams/makers/remove`, {})
    expect(await teams()).toEqual(["Owners"])
  })

  test("are deploy keys that are added and removed", async () => {
    const refused = await owner.post(`${at}/keys`, { title: "Typed", key: "nonsense" })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('value="Typed"')])
    await owner.post(`${at}/keys`, { title: "The <server>", key: KEY, pushes: "true" })
    const [key] = (await call(ann, "GET /repos/club/box/keys")).body
    expect(key).toMatchObject({ title: "The <server>", read_only: false })
    const page = await owner.get(`${at}/keys`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    expect(page.text).toContain("Read and write")
    await owner.post(`${at}/keys/${key.id}/remove`, {})
    expect((await call(ann, "GET /repos/club/box/keys")).body).toEqual([])
  })

  test("is decided by administrators alone", async () => {
    for (const part of ["collaboration", "keys"]) expect((await writer.get(`${at}/${part}`)).status).toBe(404)
    for (const part of ["collaboration/ben", "collaboration/ben/remove", "teams/makers/remove", "keys", "keys/1/remove"])
      expect([part, (await writer.post(`${at}/${part}`, { permission: "admin", title: "a", key: KEY })).status]).toEqual([part, 403])
    // What the page decides about, which they may not see.
    for (const part of ["collaboration", "teams"])
      expect([part, (await writer.post(`${at}/${part}`, { collaborator: "cyd", team: "makers" })).status]).toEqual([part, 403])
    expect(await rightOf("ben")).toBe("write")
  })
})
