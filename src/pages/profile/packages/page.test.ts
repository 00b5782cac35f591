import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { type FreshKind, statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { type Made, publication } from "../../../features/packages/npm/testing.ts"
import { send } from "../../../features/packages/testing.ts"

const HOSTILE = `"><img src=x onerror=alert(1)>'</title><script>alert(1)</script>`

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind)
  const [ann, ben] = [await forge.person("ann"), await forge.person("ben")]
  const must = async (caller: string, route: string, body?: unknown) => {
    const { status, body: answer } = await forge.call(caller, route, body)
    if (status >= 300) throw new Error(`${route}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }
  const put = async (path: string, body: string) => {
    const { status, text } = await send(forge.hearth, { authorization: ann }, `PUT ann/${path}`, { body })
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`)
  }
  const npm = (made: Made) => put(`npm/${made.name.replace("/", "%2f")}`, publication(made))
  const generic = (name: string, version: string, file: string, body = "content") =>
    put(`generic/${[name, version, file].map(encodeURIComponent).join("/")}`, body)
  const as = async (name?: string) => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  await must(ann, "POST /user/repos", { name: "box", auto_init: true })
  await must(ann, "POST /user/repos", { name: "hush", auto_init: true, private: true })
  const dependencies = { other: "^1.0.0", [HOSTILE]: HOSTILE }
  for (const version of ["1.0.0", "1.1.0"])
    await npm({
      name: "@ann/lib",
      version,
      manifest: {
        description: HOSTILE,
        license: HOSTILE,
        homepage: "javascript:alert(1)",
        keywords: [HOSTILE, 5],
        dependencies,
        deprecated: HOSTILE,
      },
      more: { readme: `Lib\n\n${HOSTILE} **bold** [docs](docs/a.md) [x](javascript:alert(1))` },
    })
  await npm({ name: "secret", version: "1.0.0" })
  await must(ann, "POST /packages/ann/npm/secret/-/link/hush")
  await must(ann, "POST /packages/ann/npm/@ann%2Flib/-/link/box")
  await generic("tool", "1'; $(touch x)", "a b'.zip".replace("'", "!"))
  return { ...forge, ann, ben, must, npm, generic, as }
}

const LIB = "/ann/-/packages/npm/%40ann%2Flib"

withWorld("the pages of packages", { open }, ({ test, world }) => {
  test("are seen as the packages are", async () => {
    const [nobody, ben, ann] = [await world.as(), await world.as("ben"), await world.as("ann")]
    const cases: readonly (readonly [path: string, others: number, own: number])[] = [
      ["/ann/-/packages", 200, 200],
      ["/ann/box/packages", 200, 200],
      ["/ann/hush/packages", 404, 200],
      [LIB, 200, 200],
      [`${LIB}/1.0.0`, 200, 200],
      [`${LIB}/9.9.9`, 404, 404],
      [`${LIB}/versions`, 200, 200],
      ["/ann/-/packages/npm/secret", 404, 200],
      ["/ann/-/packages/npm/secret/1.0.0", 404, 200],
      ["/ann/-/packages/npm/secret/versions", 404, 200],
      ["/ann/-/packages/generic/secret", 404, 404],
      ["/nobody/-/packages", 404, 404],
    ]
    for (const [path, others, own] of cases) {
      expect([path, (await nobody.get(path)).status, (await ben.get(path)).status]).toEqual([path, others, others])
      const { status, text } = await ann.get(path)
      expect([path, status]).toEqual([path, own])
      if (status === 200) expect(faultsIn(text), path).toEqual([])
      expect(text).not.toContain("<img src=x")
    }
    expect((await nobody.get("/ann/-/packages")).text).not.toContain("secret")
    expect((await ann.get("/ann/-/packages")).text).toContain("secret")
  })

  test("are where the records say", async () => {
    const nobody = await world.as()
    for (const { html_url } of await world.must(world.ann, "GET /packages/ann")) {
      const { pathname } = new URL(html_url)
      expect([pathname, (await (pathname.includes("secret") ? await world.as("ann") : nobody).get(pathname)).status]).toEqual([
        pathname,
        200,
      ])
    }
  })

  test("show what a package.json says, and the README with the links of the repository", async () => {
    const { text } = await (await world.as()).get(`${LIB}/1.0.0`)
    expect(text).toContain(`@ann:registry=${world.hearth.url}/api/packages/ann/npm/`)
    expect(text).toContain("npm install @ann/lib@1.0.0")
    expect(text).toContain("<strong>bold</strong>")
    expect(text).toContain("/ann/box/src/branch/main/docs/a.md")
    expect(text).toContain("^1.0.0")
    expect(text).toContain("This version is deprecated:")
    expect(text).not.toContain('href="javascript:')
    expect((await (await world.as()).get(LIB)).text).toContain("npm install @ann/lib@1.1.0")
  })

  test("give files to those who may see them, and commands that a shell takes as they are", async () => {
    const nobody = await world.as()
    const { text } = await nobody.get("/ann/-/packages/generic/tool")
    expect(faultsIn(text)).toEqual([])
    const [, command = ""] = /data-copy="([^"]*)"/.exec(text) ?? []
    expect(command).toMatch(/^curl -fLOJ &#39;[^&'$ ]*&#39;$/)
    expect(command).toContain("/ann/generic/tool/1%27%3B%20%24(touch%20x)/a%20b!.zip")
    const [, address = ""] = /<td class="break"><a href="([^"]*)"/.exec(text) ?? []
    expect(await nobody.get(address)).toMatchObject({ status: 200, text: "content" })

    const secret = await (await world.as("ann")).get("/ann/-/packages/npm/secret")
    expect(secret.text).toContain("read:package")
    const [, tarball = ""] = /<td class="break"><a href="([^"]*)"/.exec(secret.text) ?? []
    expect((await (await world.as("ann")).get(tarball)).status).toBe(200)
    expect((await nobody.get(tarball)).status).not.toBe(200)
  })

  test("lead to a file by its number", async () => {
    const nobody = await world.as()
    const [file] = await world.must(world.ann, "GET /packages/ann/npm/@ann%2Flib/1.0.0/files")
    const { status, location } = await nobody.get(`${LIB}/1.0.0/files/${file.id}`)
    expect([status, location]).toEqual([303, "/api/packages/ann/npm/@ann%2flib/-/1.0.0/lib-1.0.0.tgz"])
    expect((await nobody.get(`${LIB}/1.1.0/files/${file.id}`)).status).toBe(404)
    expect((await nobody.get(`${LIB}/1.1.0/files/x`)).status).toBe(404)
  })

  test("have settings for those who may write: who sees it, its repository, and deleting", async () => {
    await world.generic("set", "1", "a")
    await world.generic("set", "2", "a")
    const [nobody, ben, ann] = [await world.as(), await world.as("ben"), await world.as("ann")]
    const at = "/ann/-/packages/generic/set"
    const settings = "/ann/-/packages/settings/generic/set"
    expect((await ann.get(at)).text).toContain(`href="${settings}"`)
    expect((await ben.get(at)).text).not.toContain(settings)
    expect([(await ben.get(settings)).status, (await ben.get(`${settings}x`)).status]).toEqual([404, 404])
    expect((await nobody.get(settings)).location).toContain("/user/login")
    expect((await ann.get(`${settings}x`)).status).toBe(404)

    const send = async (to: string, fields: Readonly<Record<string, string>>) => {
      const page = await ann.get(settings)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
      return ann.post(`${settings}${to}`, fields)
    }
    const seen = async () => (await ben.get(at)).status
    expect((await send("", { access: "restricted" })).status).toBe(303)
    expect(await seen()).toBe(404)
    const wrong = await send("/link", { repository: "none" })
    expect([wrong.status, wrong.text.includes("The owner has no such repository")]).toEqual([422, true])
    expect((await send("/link", { repository: "hush" })).status).toBe(303)
    expect((await ann.get(settings)).text).toContain("It is linked to")
    expect((await send("/unlink", {})).status).toBe(303)
    expect((await send("", { access: "public" })).status).toBe(303)
    expect(await seen()).toBe(200)
    expect((await ben.post(settings, { access: "restricted" })).status).toBe(403)

    expect((await send("/versions/delete", { version: "1", confirm: "no" })).status).toBe(422)
    expect((await send("/versions/delete", { version: "9", confirm: "set" })).status).toBe(422)
    expect((await send("/versions/delete", { version: "1", confirm: "set" })).status).toBe(303)
    expect([(await ann.get(`${at}/1`)).status, (await ann.get(`${at}/2`)).status]).toEqual([404, 200])
    expect((await send("/delete", { confirm: "set" })).location).toBe("/ann/-/packages")
    expect((await ann.get(at)).status).toBe(404)
  })

  test("are filtered by name, type and repository", async () => {
    const nobody = await world.as()
    const names = async (path: string) =>
      [...(await nobody.get(path)).text.matchAll(/<h2 class="title"><a href="[^"]*"><bdi>([^<]*)<\/bdi>/g)]
        .map(([, name]) => name)
        .toSorted()
    expect(await names("/ann/-/packages")).toEqual(["@ann/lib", "tool"])
    expect(await names("/ann/-/packages?q=LIB")).toEqual(["@ann/lib"])
    expect(await names("/ann/-/packages?type=generic")).toEqual(["tool"])
    expect(await names("/ann/-/packages?type=generic&q=lib")).toEqual([])
    expect(await names("/ann/box/packages")).toEqual(["@ann/lib"])
    expect(await names(`${LIB}/versions`)).toEqual(["1.0.0", "1.1.0"])
    expect((await nobody.get(`/ann/-/packages?q=${encodeURIComponent(HOSTILE)}`)).text).toContain("No packages found")
    expect((await nobody.get("/ben/-/packages")).text).toContain("No packages")
  })

  test("take as many statements for many packages and versions as for one", async () => {
    const browser = await world.as("ann")
    const count = async () => {
      await world.must(world.ann, "PATCH /user/settings", { location: `${Math.random()}` })
      const counts: number[] = []
      for (const path of ["/ann/-/packages", "/ann/box/packages", LIB, `${LIB}/versions`])
        counts.push((await statementsOf(world.hearth.services.database, () => browser.get(path))).length)
      return counts
    }
    const before = await count()
    for (let made = 0; made < 4; made++) {
      await world.npm({ name: "@ann/lib", version: `2.${made}.0`, more: { readme: "Lib" } })
      await world.generic(`many-${made}`, "1", "a")
      await world.must(world.ann, `POST /packages/ann/generic/many-${made}/-/link/box`)
    }
    expect(await count()).toEqual(before)
    expect(Math.max(...before)).toBeLessThan(30)
  })
})
