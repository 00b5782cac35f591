import { readdir, utimes } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { sessionOf } from "../../../../tests/support/session.ts"

const OLD_SECONDS = 7 * 3600

withHearth("uploads", { people: ["ada", "rob"] }, ({ test: it, forge, call, ada }) => {
  let names = 0
  async function make(files: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = `box-${++names}`
    expect((await call(ada, "POST /user/repos", { name, auto_init: true, readme: "Default" })).status).toBe(201)
    for (const [path, text] of Object.entries(files)) {
      const content = Buffer.from(text).toString("base64")
      expect((await call(ada, `POST /repos/ada/${name}/contents/${path}`, { content })).status).toBe(201)
    }
    return name
  }
  const cookies = new Map<string, Promise<string>>()
  function cookieOf(login: string): Promise<string> {
    const cookie = cookies.get(login) ?? sessionOf(forge.hearth.url, login)
    cookies.set(login, cookie)
    return cookie
  }
  async function ask(path: string, body?: URLSearchParams | FormData, login = "ada", accept = "text/html") {
    const cookie = await cookieOf(login)
    const headers = { accept, cookie, "sec-fetch-site": "same-origin" }
    const answer = await fetch(forge.hearth.url + path, {
      method: body ? "POST" : "GET",
      redirect: "manual",
      headers,
      ...(body && { body }),
    })
    return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() }
  }
  const formOf = (fields: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>, field = "content"): FormData => {
    const form = new FormData()
    for (const [key, value] of Object.entries(fields)) form.append(key, value)
    for (const [name, text] of Object.entries(files)) form.append(field, new Blob([text]), name)
    return form
  }
  async function stage(name: string, path: string, text: string, login = "ada"): Promise<string> {
    const answer = await ask(`/ada/${name}/_upload-file/main`, formOf({ path }, { "blob.bin": text }, "file"), login, "application/json")
    expect([path, answer.status]).toEqual([path, 200])
    return JSON.parse(answer.text).id
  }
  const save = (name: string, staged: readonly string[], fields: Readonly<Record<string, string>> = {}, login = "ada") => {
    const body = new URLSearchParams({ branch: "main", new_branch: "main", ...fields })
    for (const each of staged) body.append("staged", each)
    return ask(`/ada/${name}/_upload-staged/main`, body, login)
  }
  const textOf = async (name: string, path: string, ref = "main"): Promise<string> =>
    Buffer.from((await call(ada, `GET /repos/ada/${name}/contents/${path}?ref=${ref}`)).body.content ?? "", "base64").toString()
  const messageOf = async (name: string, ref = "main"): Promise<string> =>
    (await call(ada, `GET /repos/ada/${name}/commits?sha=${ref}`)).body[0].commit.message
  const waiting = async (): Promise<number> => {
    const names = await readdir(join(forge.hearth.services.config.dataDir, "uploads"), { recursive: true }).catch(() => [])
    return names.filter((name) => name.includes("-")).length
  }

  it("takes several files of a plain form in one commit", async () => {
    const name = await make({ "docs/a.txt": "old" })
    const page = (await ask(`/ada/${name}/_upload/main/docs`)).text
    expect([faultsIn(page), page]).toEqual([[], expect.stringContaining('enctype="multipart/form-data"')])
    const fields = { folder: "docs", branch: "main", new_branch: "main", message: "", description: "" }
    const done = await ask(`/ada/${name}/_upload/main/docs`, formOf(fields, { "a.txt": "new", "b.txt": "b", "c.bin": "\0\u00ff" }))
    expect([done.status, done.location]).toEqual([303, `/ada/${name}/src/branch/main/docs?nearest=true`])
    expect([await textOf(name, "docs/a.txt"), await textOf(name, "docs/c.bin")]).toEqual(["new", "\0\u00ff"])
    expect(await messageOf(name)).toBe("Add docs/b.txt, docs/c.bin and update docs/a.txt\n")
    const none = await ask(`/ada/${name}/_upload/main/docs`, formOf(fields, { "": "" }))
    expect([none.status, none.text]).toEqual([422, expect.stringContaining("choose at least one file")])
  })

  it("takes files that were sent one by one, with their folders, and leaves nothing of them", async () => {
    const name = await make({ "a.txt": "old" })
    const paths = ["a.txt", "lib/deep/b.txt", "lib/c.txt", "d.txt"]
    const staged: string[] = []
    for (const path of paths) staged.push(`${await stage(name, path, `text of ${path}`)} ${path}`)
    expect(await waiting()).toBe(4)
    // A branch that is there already: what was chosen stays.
    await call(ada, `POST /repos/ada/${name}/branches`, { new_branch_name: "taken" })
    const refused = await save(name, staged, { new_branch: "taken", message: "Mine" })
    expect([refused.status, faultsIn(refused.text)]).toEqual([422, []])
    expect(refused.text).toContain(`${staged[1]}&quot;`)
    expect(refused.text).toContain('value="Mine"')
    const done = await save(name, staged)
    expect([done.status, done.location]).toEqual([303, `/ada/${name}/src/branch/main?nearest=true`])
    expect(await textOf(name, "lib/deep/b.txt")).toBe("text of lib/deep/b.txt")
    expect(await messageOf(name)).toBe("Add 3 files and update 1 file\n")
    expect(await waiting()).toBe(0)
    // Done once: sent again, nothing is there any more.
    const again = await save(name, staged.slice(0, 1), { message: "Another" })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining("a.txt")])
  })

  it("leads from a new branch to a pull request, and keeps the message that was written", async () => {
    const name = await make()
    const id = await stage(name, "x.txt", "x")
    const done = await save(name, [`${id} x.txt`], { new_branch: "more", folder: "in/here", message: "Bring x", description: "Why" })
    expect(done.location).toBe(`/ada/${name}/compare/main...more?expand=1`)
    expect([await textOf(name, "in/here/x.txt", "more"), await messageOf(name, "more")]).toEqual(["x", "Bring x\n\nWhy\n"])
  })

  it("refuses with the name of the file", async () => {
    const name = await make({ "docs/a.txt": "a" })
    const json = (path: string, files: Readonly<Record<string, string>>) =>
      ask(`/ada/${name}/_upload-file/main`, formOf({ path }, files, "file"), "ada", "application/json")
    for (const path of [".git/config", "a/../b.txt", "docs"]) {
      const answer = await json(path, { f: "x" })
      expect([answer.status, JSON.parse(answer.text).message]).toEqual([422, expect.stringContaining(path)])
    }
    const large = await json("large.bin", { f: "x".repeat(16 * 1024 * 1024 + 1) })
    expect([large.status, JSON.parse(large.text).message]).toEqual([413, expect.stringContaining("large.bin")])
    const id = await stage(name, "b.txt", "b")
    const inside = await save(name, [`${id} b.txt`], { folder: "docs/a.txt" })
    expect([inside.status, faultsIn(inside.text), inside.text]).toEqual([422, [], expect.stringContaining("docs/a.txt")])
    await call(ada, `POST /repos/ada/${name}/branch_protections`, {
      rule_name: "main",
      enable_push: true,
      protected_file_patterns: "*.lock",
    })
    const locked = await save(name, [`${await stage(name, "a.lock", "x")} a.lock`])
    expect([locked.status, locked.text]).toEqual([403, expect.stringContaining("a.lock")])
  })

  it("lets no one name files of others, or of another repository", async () => {
    const [one, other] = [await make(), await make()]
    for (const name of [one, other]) await call(ada, `PUT /repos/ada/${name}/collaborators/rob`, { permission: "write" })
    const id = await stage(one, "a.txt", "secret")
    for (const answer of [await save(one, [`${id} a.txt`], {}, "rob"), await save(other, [`${id} a.txt`])])
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("choose it again")])
    const remove = (login: string) => ask(`/ada/${one}/_upload-remove/main`, new URLSearchParams({ id }), login)
    const before = await waiting()
    expect([(await remove("rob")).status, await waiting()]).toEqual([200, before])
    expect([(await remove("ada")).status, await waiting()]).toEqual([200, before - 1])
    const odd = new URLSearchParams({ id: "../../secret.key" })
    expect((await ask(`/ada/${one}/_upload-remove/main`, odd)).status).toBe(404)
  })

  it("takes nothing from readers, nor where nothing can be written", async () => {
    const name = await make()
    const send = (login: string) => ask(`/ada/${name}/_upload-file/main`, formOf({ path: "a" }, { a: "a" }, "file"), login)
    expect([(await send("rob")).status, (await ask(`/ada/${name}/_upload/main`, undefined, "rob")).status]).toEqual([404, 404])
    const staged = [`${await stage(name, "a.txt", "a")} a.txt`]
    await call(ada, `PATCH /repos/ada/${name}`, { archived: true })
    expect([(await send("ada")).status, (await save(name, staged)).status]).toEqual([423, 423])
  })

  it("removes after hours what no commit has taken", async () => {
    const name = await make()
    await stage(name, "a.txt", "a")
    await forge.hearth.services.jobs.tasks.run("forget_staged_files")
    expect(await waiting()).toBeGreaterThan(0)
    const folder = join(forge.hearth.services.config.dataDir, "uploads")
    const before = Date.now() / 1000 - OLD_SECONDS
    for (const file of await readdir(folder, { recursive: true })) await utimes(join(folder, file), before, before)
    await forge.hearth.services.jobs.tasks.run("forget_staged_files")
    expect(await waiting()).toBe(0)
  })
})
