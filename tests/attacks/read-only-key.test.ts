import { expect } from "vitest"
import type { Repository } from "../../src/access/permission.ts"
import type { KeyFile } from "../../src/features/people/keys/ssh/testing.ts"
import { client, ok } from "../../src/git/testing.ts"
import { branchRows, repository, workFolder } from "../../src/servers/git-http/testing.ts"
import { ask, batch, contentOf, get, put } from "../../src/servers/lfs/testing.ts"
import { deploy, type KeyedPerson, keyed, openWorld, ssh, sshAddress, withKey } from "../../src/servers/ssh/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { must } from "../support/http.ts"

/**
 * Someone handed a key that they had added with `read_only: true` to a machine that only builds, and the machine was taken over. The server
 * had accepted the wish and dropped it: the key pushed, created repositories by pushing, uploaded large files and took locks. Now it is
 * stored, shown in every list of keys, and holds for git and for Git LFS; what the key is still good for is fetching.
 */
withWorld("a key that may only read", { open: (kind) => openWorld(kind, { git: { pushToCreate: { user: true } } }) }, ({ test, world }) => {
  let ann: KeyedPerson
  let root: KeyedPerson
  let tool: Repository
  let work: string
  /** Added by their owner, by an administrator, and to the repository. */
  const keys: Record<string, KeyFile> = {}
  test.beforeAll(async () => {
    ann = await keyed(world, "ann")
    root = await keyed(world, "boss")
    await world.services.database.write((tx) => tx.updateTable("users").set({ is_admin: 1 }).where("id", "=", root.user.id).execute())
    tool = await repository(world, ann.user, "tool", { isPrivate: true })
    work = await workFolder(world, "work")
    await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, "ann/tool.git"), "main")

    for (const name of ["own", "given", "deploy"]) keys[name] = await world.keys.make("ed25519")
    for (const [name, by, path] of [
      ["own", ann, "/user/keys"],
      ["given", root, "/admin/users/ann/keys"],
    ] as const)
      expect(await api(by, "POST", path, { title: name, key: keys[name]?.line, read_only: true })).toMatchObject({ read_only: true })
    await deploy(world, tool, keyNamed("deploy"), true)
  })

  const keyNamed = (name: string): KeyFile => {
    const key = keys[name]
    if (!key) throw new TypeError(`no key ${name}`)
    return key
  }
  const api = <T>(by: KeyedPerson, method: string, path: string, body?: object): Promise<T> =>
    must<T>(world.hearth.url, method, path, { authorization: `token ${by.token}`, ...(body && { body }) })

  test("is shown as one wherever keys are listed", async () => {
    const wanted = { "": false, own: true, given: true }
    for (const [by, path] of [
      [ann, "/user/keys"],
      [ann, "/users/ann/keys"],
      [root, "/users/ann/keys"],
    ] as const) {
      const listed = await api<{ id: number; title: string; read_only: boolean }[]>(by, "GET", path)
      expect(listed.map(({ title, read_only }) => [title in wanted ? title : "", read_only])).toEqual(Object.entries(wanted))
      for (const { id, read_only } of listed) expect(await api(by, "GET", `/user/keys/${id}`)).toMatchObject({ read_only })
    }
  })

  test.for(["own", "given", "deploy"])("fetches and does not push: %s", async (name, { expect }) => {
    const git = (...args: readonly string[]) => client(work, [...withKey(keyNamed(name)), ...args])
    const address = sshAddress(world, "ann/tool.git")
    expect((await git("fetch", "-q", address, "main")).code).toBe(0)
    const before = await branchRows(world, tool)
    for (const refspec of ["main:stolen", "+main", ":main", "main:refs/tags/v1", "main:refs/pull/1/head"]) {
      const { code, err } = await git("push", "-q", address, refspec)
      expect([code === 0, err]).toEqual([false, expect.stringContaining("error: this key may only read")])
    }
    expect(await branchRows(world, tool)).toEqual(before)

    const created = await git("push", "-q", sshAddress(world, `ann/by-${name}.git`), "main")
    expect(created.code).not.toBe(0)
    const rows = await world.services.database.read.selectFrom("repositories").select("name").execute()
    expect(rows).toEqual([{ name: "tool" }])
  })

  test("says nothing of what its owner may not see", async () => {
    await repository(world, root.user, "secret", { isPrivate: true })
    const tries = ["boss/secret.git", "boss/missing.git"].map((path) => ssh(world, keyNamed("own"), `git-receive-pack '${path}'`))
    const [hidden, missing] = await Promise.all(tries)
    expect(hidden).toEqual(missing)
  })

  test.for(["own", "given", "deploy"])("gets credentials for large files that only download: %s", async (name, { expect }) => {
    const film = contentOf(`a film for ${name}`)
    const key = keyNamed(name)
    const upload = await ssh(world, key, "git-lfs-authenticate 'ann/tool.git' upload")
    expect(upload).toMatchObject({ code: 1, out: "", err: "error: this key may only read\n" })

    const writing = JSON.parse((await ssh(world, ann.key, "git-lfs-authenticate 'ann/tool.git' upload")).out).header
    expect((await put(world, "ann/tool", film, film.bytes, writing)).status).toBe(200)
    const { id } = (await ask(world, "ann/tool", "locks", writing, { path: `film for ${name}` })).body.lock

    const reading = JSON.parse((await ssh(world, key, "git-lfs-authenticate 'ann/tool.git' download")).out).header
    expect(await (await get(world, "ann/tool", film.oid, reading)).text()).toBe(`a film for ${name}`)
    const down = await batch(world, "ann/tool", "download", [film], reading)
    const passed = down.body.objects[0].actions.download.header
    expect((await get(world, "ann/tool", film.oid, passed)).status).toBe(200)
    expect((await ask(world, "ann/tool", "locks", reading)).body.locks).toContainEqual(expect.objectContaining({ id }))

    const other = contentOf(`planted by ${name}`)
    for (const header of [reading, passed]) {
      expect((await batch(world, "ann/tool", "upload", [other], header)).status).toBe(403)
      expect((await put(world, "ann/tool", other, other.bytes, header)).status).toBe(403)
      for (const [end, body] of [
        ["verify", { oid: film.oid, size: film.size }],
        ["locks", { path: "main.c" }],
        ["locks/verify", {}],
        [`locks/${id}/unlock`, { force: true }],
      ] as const)
        expect((await ask(world, "ann/tool", end, header, body)).status, end).toBe(403)
    }
    expect((await ask(world, "ann/tool", `locks/${id}/unlock`, writing, {})).status).toBe(200)
  })

  test("turns a pass for uploads, won before, into one for downloads", async () => {
    const key = await world.keys.make("ed25519")
    const { id } = await api<{ id: number }>(ann, "POST", "/user/keys", { title: "later", key: key.line })
    const { header } = JSON.parse((await ssh(world, key, "git-lfs-authenticate 'ann/tool.git' upload")).out)
    await world.services.database.write((tx) => tx.updateTable("public_keys").set({ is_read_only: 1 }).where("id", "=", id).execute())
    const film = contentOf("too late")
    expect((await put(world, "ann/tool", film, film.bytes, header)).status).toBe(403)
    await api(ann, "DELETE", `/user/keys/${id}`)
  })
})
