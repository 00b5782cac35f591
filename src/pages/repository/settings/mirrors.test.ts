import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { runJobOf } from "../../../features/code/mirrors/testing.ts"

const config = { outgoing: { allowedHosts: "loopback" } }

// What is mirrored, and where it is mirrored to, are other repositories of the same forge.
withHearth("pages of mirrors", { people: ["ann", "bob", "zoe"], config }, ({ test, forge, ann, zoe, call, settle }) => {
  let owner: Browser
  let other: Browser
  const at = "/ann/copy/settings/mirrors"

  test.beforeAll(async () => {
    await call(zoe, "POST /user/repos", { name: "copy", auto_init: true })
    const options = { clone_addr: `${forge.hearth.url}/zoe/copy.git`, repo_name: "copy", mirror: true }
    await (await runJobOf(forge.hearth.services, () => call(ann, "POST /repos/migrate", options))).answer
    owner = openBrowser(forge.hearth.url)
    await owner.signIn("ann", PASSWORD)
    other = openBrowser(forge.hearth.url)
    await other.signIn("bob", PASSWORD)
  })

  const row = () => forge.hearth.services.database.read.selectFrom("mirrors").selectAll().executeTakeFirstOrThrow()
  const branchesOf = async (name: string) => (await call(zoe, `GET /repos/${name}/branches`)).body.length
  const pushes = async () => (await call(ann, "GET /repos/ann/copy/push_mirrors")).body

  test("show how it follows another, and change that without losing the secret", async () => {
    await owner.post(at, { mirror_interval: "8h0m0s", mirror_username: "zoe", mirror_password: "s3cret-word" })
    const { sealed_secret } = await row()
    expect(sealed_secret).not.toBe("")
    const page = await owner.get(at)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    expect([page.text.includes("s3cret-word"), page.text.includes("Set. Leave empty to keep it")]).toEqual([false, true])
    await owner.post(at, { mirror_interval: "12h", mirror_username: "zoe", mirror_password: "", enable_prune: "true" })
    expect(await row()).toMatchObject({ interval: 43_200, enable_prune: 1, sealed_secret })
    const refused = await owner.post(at, { mirror_interval: "often", mirror_username: "zoe" })
    expect([refused.status, refused.text.includes('value="often"')]).toEqual([422, true])
  })

  test("update it when asked", async () => {
    await owner.post(at, { mirror_interval: "8h", mirror_username: "", mirror_password: "" })
    await call(zoe, "POST /repos/zoe/copy/branches", { new_branch_name: "side" })
    expect((await owner.post(`${at}/sync`, {})).location).toBe(at)
    await settle()
    expect(await branchesOf("ann/copy")).toBe(2)
  })

  test("add, push to and remove mirrors elsewhere", async () => {
    await call(zoe, "POST /user/repos", { name: "target" })
    const sent = {
      remote_address: `${forge.hearth.url}/zoe/target.git`,
      remote_username: "zoe",
      remote_password: PASSWORD,
      interval: "8h0m0s",
      sync_on_commit: "true",
    }
    const refused = await owner.post(`${at}/push`, { ...sent, interval: "often" })
    expect([refused.status, refused.text.includes('value="often"'), refused.text.includes(PASSWORD)]).toEqual([400, true, false])
    expect((await owner.post(`${at}/push`, sent)).location).toBe(at)
    const [mirror] = await pushes()
    expect(mirror).toMatchObject({ interval: "8h0m0s", sync_on_commit: true })
    await owner.post(`${at}/push/sync`, {})
    expect(await branchesOf("zoe/target")).toBe(2)
    const page = await owner.get(at)
    expect([faultsIn(page.text), page.text.includes(PASSWORD)]).toEqual([[], false])
    expect((await owner.post(`${at}/push/remove/${mirror.remote_name}`, {})).location).toBe(at)
    expect(await pushes()).toEqual([])
  })

  test("are for administrators alone", async () => {
    expect((await other.get(at)).status).toBe(404)
    for (const part of ["", "/sync", "/push", "/push/sync", "/push/remove/x"])
      expect([part, (await other.post(at + part, { remote_address: "https://x.example" })).status]).toEqual([part, 403])
  })
})
