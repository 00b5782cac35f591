import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"

/** A server that imports from itself. */
async function open(kind: FreshKind) {
  const forge = await freshHearth(kind, { outgoing: { allowedHosts: "loopback" } })
  const [ann] = [await forge.person("ann"), await forge.person("ben")]
  await forge.call(ann, "POST /user/repos", { name: "origin", auto_init: true })
  const as = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  return { ...forge, ann, as, clone_addr: `${forge.hearth.url}/ann/origin.git` }
}

withWorld("the pages of an import", { open }, ({ test, world }) => {
  test("begin one, and show how far it is", async () => {
    const ben = await world.as("ben")
    expect((await ben.get(`/repo/migrate?clone_addr=${encodeURIComponent(world.clone_addr)}`)).text).toContain(
      `value="${world.clone_addr}"`,
    )
    const begun = await ben.post("/repo/migrate", { clone_addr: world.clone_addr, repo_owner: "ben", repo_name: "copy", service: "git" })
    expect([begun.status, begun.location]).toEqual([303, "/ben/copy/import"])
    const before = await ben.get("/ben/copy/import")
    expect([before.status, before.text.includes("data-again"), before.text.includes("Import complete.")]).toEqual([200, true, false])
    await world.hearth.services.jobs.drain()
    const { text } = await ben.get("/ben/copy/import")
    expect(text).toContain("Import complete.")
    expect(text).not.toContain("data-again")
    expect((await ben.get("/ben/copy")).text).toContain("README.md")
    // What it came from is for the administrators of the repository.
    expect((await (await world.as("ann")).get("/ben/copy/import")).status).toBe(404)
  })

  test("show again what was typed, but no password", async () => {
    const ben = await world.as("ben")
    const fields = {
      clone_addr: "ftp://nowhere.example/x",
      repo_name: "kept",
      auth_username: "zoe",
      auth_password: "hush",
      repo_owner: "ben",
    }
    const wrong = await ben.post("/repo/migrate", fields)
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('value="kept"')
    expect(wrong.text).toContain('value="zoe"')
    expect(wrong.text).not.toContain("hush")
    const others = await ben.post("/repo/migrate", { ...fields, clone_addr: world.clone_addr, repo_owner: "ann" })
    expect([others.status, others.text]).toEqual([403, expect.stringContaining('value="kept"')])
  })

  test("say why it failed, and lead to another try", async () => {
    const ben = await world.as("ben")
    await ben.post("/repo/migrate", { clone_addr: world.clone_addr, repo_owner: "ben", repo_name: "broken", service: "git" })
    await world.hearth.services.jobs.drain()
    await world.hearth.services.database.write((tx) =>
      tx.updateTable("imports").set({ phase: "failed", error: "the line broke" }).where("phase", "=", "done").execute(),
    )
    expect((await ben.get("/ben/broken/import")).text).toContain("the line broke")
    const gone = await ben.post("/ben/broken/import/delete", { confirm: "ben/broken", clone_addr: world.clone_addr })
    expect(gone.location).toBe(`/repo/migrate?clone_addr=${encodeURIComponent(world.clone_addr)}&owner=ben&name=broken`)
    expect((await ben.get("/ben/broken")).status).toBe(404)
  })
})
