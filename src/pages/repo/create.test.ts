import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"
import { language } from "../../core/language/language.ts"
import { t } from "../../core/language/message.ts"
import { escapeHtml } from "../../core/text/html.ts"

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind)
  const [ann, ben] = [await forge.person("ann"), await forge.person("ben")]
  await forge.call(ann, "POST /orgs", { username: "crew" })
  await forge.call(ann, "POST /user/repos", { name: "seed", auto_init: true, template: true, description: "A seed" })
  await forge.call(ann, "POST /user/repos", { name: "hidden", private: true, auto_init: true, template: true })
  const as = async (name: string) => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const record = async (path: string) => (await forge.call(ann, `GET ${path}`)).body
  return { ...forge, ann, ben, as, record }
}

withWorld("the pages that make repositories", { open }, ({ test, world }) => {
  test("make one for oneself, with what it begins with", async () => {
    const ann = await world.as("ann")
    const page = await ann.get("/repo/create")
    expect(page.text).toContain('<option value="MIT">')
    expect(page.text).toContain('<option value="Node">')
    expect(page.text).toContain('<option value="crew"')
    const made = await ann.post("/repo/create", {
      owner: "ann",
      name: "kettle",
      description: "It boils",
      private: "true",
      license: "MIT",
      gitignores: "Node",
      default_branch: "trunk",
    })
    expect([made.status, made.location]).toEqual([303, "/ann/kettle"])
    expect(await world.record("/repos/ann/kettle")).toMatchObject({
      private: true,
      description: "It boils",
      default_branch: "trunk",
      empty: false,
    })
    const files = await world.record("/repos/ann/kettle/contents")
    expect(files.map(({ name }: { name: string }) => name)).toEqual([".gitignore", "LICENSE", "README.md"])
  })

  test("make one for an organisation, and for none in which one may not", async () => {
    const fields = { owner: "crew", name: "ship" }
    const refused = await (await world.as("ben")).post("/repo/create", fields)
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('value="ship"')])
    const made = await (await world.as("ann")).post("/repo/create", fields)
    expect([made.status, made.location]).toEqual([303, "/crew/ship"])
    expect(await world.record("/repos/crew/ship")).toMatchObject({ empty: true, owner: { login: "crew" } })
  })

  test("show again what was typed and is wrong, and make nothing", async () => {
    const ann = await world.as("ann")
    const wrong = await ann.post("/repo/create", { owner: "ann", name: "no good", description: "Typed <b>" })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('value="Typed &lt;b&gt;"')
    expect(wrong.text).toContain('value="no good"')
    expect(wrong.text).toContain('aria-invalid="true"')
    const taken = await ann.post("/repo/create", { owner: "", name: "seed", description: "Again" })
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('value="Again"')])
    expect((await openBrowser(world.hearth.url).post("/repo/create", { name: "x" }, { accept: "text/html" })).status).toBe(401)
  })

  test("say why they refuse in the reader's language, and the API in English", async () => {
    const [ann, german] = [await world.as("ann"), { "accept-language": "de" }]
    const fault = t`must not contain ${'" "'}; it must be ${t("letters, digits, - _ and .")}`
    const wrong = await ann.post("/repo/create", { owner: "ann", name: "no good" }, german)
    const translated = fault.in(language("de"))
    expect(translated).not.toBe(String(fault))
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain(`Name: ${escapeHtml(translated)}</span>`)
    const refused = await world.call(world.ann, "POST /user/repos", { name: "no good" }, german)
    expect([refused.status, refused.body.message]).toEqual([422, `[name]: ${fault}`])
  })

  test("make it once, however often it is sent", async () => {
    const ann = await world.as("ann")
    const fields = { owner: "ann", name: "twice" }
    const answers = await Promise.all([ann.post("/repo/create", fields), ann.post("/repo/create", fields)])
    expect(answers.map(({ location }) => location)).toEqual(["/ann/twice", "/ann/twice"])
  })

  test("fork one, for oneself or an organisation", async () => {
    const [ann, ben] = [await world.as("ann"), await world.as("ben")]
    expect((await ben.get("/ann/seed")).text).toContain('href="/ann/seed/fork"')
    expect((await ben.get("/ann/seed/fork")).text).toContain('value="seed"')
    expect((await ben.post("/ann/seed/fork", { organization: "ben", name: "sprout" })).location).toBe("/ben/sprout")
    const again = await ben.post("/ann/seed/fork", { organization: "ben", name: "other" })
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("has a fork of this repository already")])
    expect((await ann.post("/ann/seed/fork", { organization: "crew", name: "seed" })).location).toBe("/crew/seed")
    for (const path of ["/ann/hidden/fork", "/ann/hidden/generate"]) {
      expect((await ben.get(path)).status).toBe(404)
      expect((await ben.post(path, { name: "mine" })).status).toBe(404)
    }
  })

  test("make one of a template", async () => {
    const ben = await world.as("ben")
    expect((await ben.get("/ann/seed")).text).toContain('href="/ann/seed/generate"')
    const nothing = await ben.post("/ann/seed/generate", { owner: "ben", name: "plant" })
    expect([nothing.status, nothing.text]).toEqual([422, expect.stringContaining("must select at least one template item")])
    const made = await ben.post("/ann/seed/generate", { owner: "ben", name: "plant", git_content: "true" })
    expect(made.location).toBe("/ben/plant")
    expect(await world.record("/repos/ben/plant")).toMatchObject({ fork: false, empty: false })
    await world.call(world.ann, "POST /user/repos", { name: "plain" })
    expect((await ben.get("/ann/plain/generate")).status).toBe(404)
  })

  test("an empty repository says how to fill it, to those who may", async () => {
    await world.call(world.ann, "POST /user/repos", { name: "void" })
    expect((await (await world.as("ann")).get("/ann/void")).text).toContain("/ann/void.git")
    expect((await (await world.as("ben")).get("/ann/void")).text).not.toContain("git push")
  })
})
