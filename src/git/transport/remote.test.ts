import { mkdir } from "node:fs/promises"
import { createServer } from "node:http"
import { createServer as createPlainServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { branchRef, type Git, isGitError, type Repository, tagRef } from "../index.ts"
import { client, ok, openWorld, serve, type TestServer, type World } from "../testing.ts"
import type { Remote } from "./remote.ts"

describe("other servers' repositories", () => {
  let world: World
  let git: Git
  let there: Repository
  let here: Repository
  let server: TestServer
  let work: string
  const remote = (url: string): Remote => ({ url, address: { address: "127.0.0.1", family: 4 }, authorization: undefined })

  beforeAll(async () => {
    world = await openWorld({ limits: { remoteConnectMs: 1_000, remoteSilenceSeconds: 1 } })
    git = world.git
    there = await git.repositories.create("aa/there", { format: "sha1", branch: "trunk" })
    here = await git.repositories.create("aa/here", { format: "sha1", branch: "trunk" })
    server = await serve(git)
    work = join(world.folder, "work")
    await mkdir(work)
    await ok(work, "init", "-q", "-b", "trunk")
    await ok(work, "commit", "-q", "--allow-empty", "-m", "one")
    await ok(work, "tag", "-a", "-m", "first", "v1")
    await ok(work, "push", "-q", server.url(there), "trunk", "v1")
  })
  afterAll(async () => {
    await server.close()
    await world.close()
  })

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "nothing was refused",
      (error: unknown) => (isGitError(error) ? error.message : String(error)),
    )

  test("are listed with the branch that HEAD names, and fetched with all that they need", async () => {
    const listing = await git.remotes.list(remote(server.url(there)))
    expect(listing).toMatchObject({ head: "refs/heads/trunk", format: "sha1" })
    expect(listing.references.map(({ name }) => name)).toEqual(["refs/heads/trunk", "refs/tags/v1"])
    const ids = listing.references.map(({ id }) => id)
    expect(await git.remotes.fetch(here, remote(server.url(there)), { ids })).toBeGreaterThan(0)
    for (const id of ids) expect(await git.objects.info(here, id)).toBeDefined()
    expect(await git.references.list(here)).toEqual([])
    expect(await git.remotes.fetch(here, remote(server.url(there)), { ids })).toBe(0)
  })

  test("are made what they are here", async () => {
    const [tip] = await git.references.list(there, "refs/heads/")
    if (!tip) throw new Error("no branch")
    await git.references.update(here, [
      { name: tip.name, to: tip.id },
      { name: branchRef("side"), to: tip.id },
    ])
    await git.remotes.push(here, remote(server.url(there)))
    expect((await git.references.list(there)).map(({ name }) => name)).toEqual(["refs/heads/side", "refs/heads/trunk"])
  })

  test("are reached at the address that was allowed, whatever the name means", async () => {
    const url = server.url(there).replace("127.0.0.1", "forge.invalid")
    expect((await git.remotes.list(remote(url))).head).toBe("refs/heads/trunk")
    const elsewhere = { ...remote(url), address: { address: "127.0.0.9", family: 4 } as const }
    expect(await outcome(git.remotes.list(elsewhere))).toBe("the server can't be reached")
  })

  test("lead nowhere else, and neither does another protocol", async () => {
    const leading = createServer((request, response) => {
      const status = request.url?.startsWith("/closed") ? 401 : request.url?.startsWith("/gone") ? 404 : 302
      response.writeHead(status, { location: `${server.url(there)}/info/refs?service=git-upload-pack` }).end()
    })
    await new Promise<void>((resolve) => leading.listen(0, "127.0.0.1", resolve))
    const address = leading.address()
    const port = typeof address === "object" && address ? address.port : 0
    const at = (path: string) => outcome(git.remotes.list(remote(`http://127.0.0.1:${port}/${path}`)))
    expect(await at("moved")).toBe("the server leads to another address; give that one")
    expect(await at("closed")).toBe("the server asks for credentials, or refuses the given ones")
    expect(await at("gone")).toBe("there is no such repository on the server")
    await new Promise((resolve) => leading.close(resolve))
    for (const url of ["file:///etc", "ssh://127.0.0.1/x", "http://user:word@127.0.0.1/x", "http://forge.invalid./x"])
      expect(await outcome(git.remotes.list(remote(url)))).toBe("not the address of a remote without credentials")
  })

  test("that are silent, refuse, or are not there are given up soon", async () => {
    const hole = createPlainServer((socket) => socket.on("error", () => {}).resume())
    await new Promise<void>((resolve) => hole.listen(0, "127.0.0.1", resolve))
    const address = hole.address()
    const port = typeof address === "object" && address ? address.port : 0
    const silent = remote(`http://127.0.0.1:${port}/x.git`)
    const [tip] = await git.references.list(there, "refs/heads/")
    if (!tip) throw new Error("no branch")
    const empty = await git.repositories.create("aa/new", { format: "sha1", branch: "trunk" })
    // No host has this address, so that there is no answer at all, unless the network refuses immediately.
    const nowhere = { ...remote("http://forge.invalid/x.git"), address: { address: "192.0.2.1", family: 4 } as const }
    // Far beyond the limits of this world, and before those that hold by default. They wait side by side.
    const soon = AbortSignal.timeout(25_000)
    const outcomes = await Promise.all(
      [
        git.remotes.list(silent, soon),
        git.remotes.push(there, silent, soon),
        git.remotes.fetch(empty, silent, { ids: [tip.id], signal: soon }),
        git.remotes.list(nowhere, soon),
        git.remotes.list(silent, AbortSignal.timeout(300)),
      ].map(outcome),
    )
    expect(outcomes.slice(0, 4)).toEqual([...Array.from({ length: 3 }, () => "the server was too slow"), "the server can't be reached"])
    expect(outcomes[4]).toContain("given up")
    await new Promise((resolve) => hole.close(resolve))
    expect(await outcome(git.remotes.push(there, silent))).toBe("the server can't be reached")
    expect(await outcome(git.remotes.list(nowhere, AbortSignal.abort()))).toContain("given up")
  })

  test("may not send more than is taken", async () => {
    const blob = await git.objects.writeBlob(there, Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(Math.random() * 256))))
    await git.references.update(there, [{ name: tagRef("big"), to: blob }])
    expect(await outcome(git.remotes.fetch(here, remote(server.url(there)), { ids: [blob], maxBytes: 100_000 }))).toBe(
      "the server sends more than is taken",
    )
    expect(await git.objects.info(here, blob)).toBeUndefined()
  })

  test("can't plant what a push couldn't", async () => {
    const blob = await git.objects.writeBlob(there, "[core]\n")
    const raw = Buffer.concat([Buffer.from("100644 .git\0"), Buffer.from(blob, "hex")])
    const tree = (await client(there.directory, ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], raw)).out.trim()
    const commit = (await client(there.directory, ["commit-tree", "-m", "evil", tree])).out.trim()
    await ok(there.directory, "update-ref", "refs/heads/evil", commit)
    const { references } = await git.remotes.list(remote(server.url(there)))
    const ids = references.flatMap(({ name, id }) => (name === "refs/heads/evil" ? [id] : []))
    expect(ids).toHaveLength(1)
    expect(await outcome(git.remotes.fetch(here, remote(server.url(there)), { ids }))).toContain("not accepted")
  })
})
