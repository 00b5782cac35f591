import { request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { client, ok } from "../../git/testing.ts"
import { address, branchRows, commit, noise, openWorld, type Person, person, repository, type World, workFolder } from "./testing.ts"

/** The protocol, with real clients and by hand. */

let world: World
let ada: Person
let work: string
let count = 0

beforeAll(async () => {
  world = await openWorld("memory", { api: { maxBodyBytes: 2 ** 20 } })
  ada = await person(world, "ada")
  work = await workFolder(world, "work")
  for (let index = 2; index <= 6; index++) await commit(work, `number ${index}`, `folder${index % 2}-file${index}`)
  await repository(world, ada.user, "repo")
  await ok(work, "push", "-q", address(world, "ada/repo", "ada", ada.token), "main")
})
afterAll(() => world.close())

const url = () => address(world, "ada/repo.git")
const folder = () => join(world.folder, `clone${++count}`)

describe("fetching", () => {
  test.each(["0", "1", "2"])("clone and fetch under protocol version %s", async (version) => {
    const target = folder()
    await ok(world.folder, "-c", `protocol.version=${version}`, "clone", "-q", url(), target)
    expect(await ok(target, "rev-parse", "HEAD")).toBe(await ok(work, "rev-parse", "main"))
    const trace = await client(target, ["-c", `protocol.version=${version}`, "fetch", "-v"])
    expect(trace.code).toBe(0)
    await ok(target, "fsck", "--strict")
  })

  test("shallow clones are deepened, and made whole", async () => {
    const target = folder()
    await ok(world.folder, "clone", "-q", "--depth=1", url(), target)
    expect(await ok(target, "rev-list", "--count", "HEAD")).toBe("1")
    await ok(target, "fetch", "-q", "--deepen=2")
    expect(await ok(target, "rev-list", "--count", "HEAD")).toBe("3")
    await ok(target, "fetch", "-q", "--unshallow")
    expect(await ok(target, "rev-list", "--count", "HEAD")).toBe("6")
  })

  test.each(["blob:none", "tree:0", "blob:limit=1"])("a partial clone with %s fetches the rest when it is asked for", async (filter) => {
    const target = folder()
    await ok(world.folder, "clone", "-q", `--filter=${filter}`, "--no-checkout", url(), target)
    const missing = await ok(target, "rev-list", "--objects", "--all", "--missing=print")
    expect(missing).toMatch(/^\?/m)
    await ok(target, "checkout", "-q", "main")
    expect(await ok(target, "show", "main:file")).toBe("one")
  })

  test("a sparse clone", async () => {
    const target = folder()
    await ok(world.folder, "clone", "-q", "--sparse", "--filter=blob:none", url(), target)
    await ok(target, "sparse-checkout", "set", "--no-cone", "folder1*")
    expect((await ok(target, "ls-files", "-t")).split("\n").some((line) => line.startsWith("S "))).toBe(true)
  })

  test("references and commits are fetched by name and by id", async () => {
    const id = await ok(work, "rev-parse", "main~3")
    const target = folder()
    await ok(world.folder, "init", "-q", target)
    await ok(target, "fetch", "-q", "--depth=1", url(), id)
    expect(await ok(target, "rev-parse", "FETCH_HEAD")).toBe(id)
  })

  test("an empty repository is cloned with a warning, its branch named as it will be", async () => {
    await repository(world, ada.user, "empty", { default_branch: "trunk" })
    const target = folder()
    const run = await client(world.folder, ["-c", "protocol.version=2", "clone", address(world, "ada/empty"), target])
    expect(run.code).toBe(0)
    expect(run.err).toContain("empty repository")
    expect(await ok(target, "symbolic-ref", "HEAD")).toBe("refs/heads/trunk")
  })

  test("pull requests' references are fetchable and not writable", async () => {
    const row = await repository(world, ada.user, "pulls")
    const push = address(world, "ada/pulls", "ada", ada.token)
    await ok(work, "push", "-q", push, "main")
    const place = world.services.git.at(row.storage, "sha1")
    await ok(place.directory, "update-ref", "refs/pull/1/head", await ok(work, "rev-parse", "main"))
    expect(await ok(work, "ls-remote", address(world, "ada/pulls"))).toContain("refs/pull/1/head")
    for (const ref of ["refs/pull/1/head", "refs/pull/2/head", "refs/for/main", "refs/hearth/x"])
      expect((await client(work, ["push", "--force", push, `main~1:${ref}`])).err).toContain("[remote rejected]")
  })
})

describe("the answers' heads", () => {
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${world.hearth.url}/ada/repo.git/${path}`, { headers })
  const post = (path: string, body: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${world.hearth.url}/ada/repo.git/${path}`, { method: "POST", body, headers })

  test("advertisements are of their own type and never kept", async () => {
    const answer = await get("info/refs?service=git-upload-pack")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/x-git-upload-pack-advertisement")
    expect(answer.headers.get("cache-control")).toBe("no-cache, max-age=0, must-revalidate")
    expect(answer.headers.get("pragma")).toBe("no-cache")
    expect(answer.headers.get("expires")).toBe("Fri, 01 Jan 1980 00:00:00 GMT")
    expect(await answer.text()).toMatch(/^001e# service=git-upload-pack\n0000/)
    expect(await (await get("info/refs?service=git-upload-pack", { "git-protocol": "version=2" })).text()).toMatch(/^000eversion 2\n/)
    expect(await (await get("info/refs?service=git-upload-pack", { "git-protocol": "version=2; rm -rf" })).text()).toMatch(/^001e#/)
  })

  test("results too", async () => {
    const answer = await post("git-upload-pack", "0000", { "content-type": "application/x-git-upload-pack-request" })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/x-git-upload-pack-result")
    expect(answer.headers.get("cache-control")).toBe("no-cache, max-age=0, must-revalidate")
  })

  test("what is not git's smart protocol is refused with words", async () => {
    for (const path of [
      "info/refs",
      "HEAD",
      "objects/info/packs",
      "objects/info/alternates",
      "objects/ab/cdef",
      "objects/pack/pack-1.idx",
    ]) {
      const answer = await get(path)
      expect([path, answer.status, await answer.text()]).toEqual([path, 403, expect.stringContaining("smart protocol only")])
    }
    expect((await get("info/refs?service=git-upload-archive")).status).toBe(400)
    expect((await get("info/refs?service=git-upload-pack&service=git-receive-pack")).status).toBe(400)
    expect((await post("git-upload-archive", "", {})).status).toBe(403)
    const run = await client(world.folder, ["archive", `--remote=${url()}`, "HEAD"])
    expect(run.code).not.toBe(0)
  })

  test("the content type must be exactly the service's", async () => {
    for (const type of ["text/plain", "application/x-git-receive-pack-request", "application/x-git-upload-pack-request; charset=utf-8"]) {
      const answer = await post("git-upload-pack", "0000", { "content-type": type })
      expect([type, answer.status]).toEqual([type, 400])
    }
  })
})

describe("bodies", () => {
  const wants = async (): Promise<Buffer> => {
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const id = await ok(work, "rev-parse", "main")
    return Buffer.from(`${line(`want ${id} no-progress ofs-delta\n`)}0000${line("done\n")}`)
  }
  const TYPE = { "content-type": "application/x-git-upload-pack-request" }
  const post = (body: Buffer, headers: Readonly<Record<string, string>> = {}, path = "ada/repo/git-upload-pack") =>
    fetch(`${world.hearth.url}/${path}`, { method: "POST", body: new Uint8Array(body), headers: { ...TYPE, ...headers } })

  test("may be compressed", async () => {
    const plain = Buffer.from(await (await post(await wants())).arrayBuffer())
    expect(plain.subarray(0, 12).toString("latin1")).toBe("0008NAK\nPACK")
    for (const encoding of ["gzip", "x-gzip"]) {
      const answer = await post(gzipSync(await wants()), { "content-encoding": encoding })
      expect(Buffer.from(await answer.arrayBuffer()).length).toBe(plain.length)
    }
  })

  test("that are not what they say are refused", async () => {
    const broken = await post(Buffer.from("this is not gzip at all"), { "content-encoding": "gzip" })
    expect([broken.status, await broken.text()]).toEqual([400, "the body is not what gzip makes\n"])
    const cut = await post(gzipSync(await wants()).subarray(0, 20), { "content-encoding": "gzip" })
    expect(cut.status).toBe(400)
    expect((await post(await wants(), { "content-encoding": "br" })).status).toBe(415)
    const receive = { "content-type": "application/x-git-receive-pack-request", authorization: `token ${ada.token}` }
    const nonsense = await post(Buffer.from("zzzznonsense"), receive, "ada/repo/git-receive-pack")
    expect([nonsense.status, nonsense.headers.get("content-type")]).toEqual([400, "text/plain; charset=utf-8"])
  })

  test("come in pieces, and of unknown length", async () => {
    await repository(world, ada.user, "pieces")
    const large = folder()
    await ok(world.folder, "clone", "-q", url(), large)
    await commit(large, "large", "noise", noise(500_000))
    const run = await client(large, ["-c", "http.postBuffer=1000", "push", address(world, "ada/pieces", "ada", ada.token), "main"])
    expect(run).toMatchObject({ code: 0 })
  })

  test("wait for the word that they are wanted, when their sender does", async () => {
    const body = await wants()
    const answer = await new Promise<{ readonly status: number | undefined; readonly continued: boolean }>((resolve, reject) => {
      let continued = false
      const sent = request(
        `${world.hearth.url}/ada/repo/git-upload-pack`,
        { method: "POST", headers: { ...TYPE, expect: "100-continue", "content-length": body.length } },
        (response) => {
          response.resume().on("end", () => resolve({ status: response.statusCode, continued }))
        },
      )
      sent.on("error", reject)
      sent.on("continue", () => {
        continued = true
        sent.end(body)
      })
      sent.flushHeaders()
    })
    expect(answer).toEqual({ status: 200, continued: true })
  })

  test("may be larger than those of the API", async () => {
    const row = await repository(world, ada.user, "large")
    const large = folder()
    await ok(world.folder, "clone", "-q", url(), large)
    const size = 4 * 1024 * 1024
    await commit(large, "large", "noise", noise(size))
    expect(world.services.config.api.maxBodyBytes).toBeLessThan(size)
    const push = await client(large, [
      "-c",
      "pack.compression=0",
      "-c",
      "pack.window=0",
      "push",
      address(world, "ada/large", "ada", ada.token),
      "main",
    ])
    if (push.code !== 0) throw new Error(push.err)
    expect(Object.keys(await branchRows(world, row))).toEqual(["main"])
  })
})

/** Waits until no git process runs. */
const settled = (): Promise<void> => expect.poll(() => world.services.git.running()).toBe(0)

describe("a client that goes away", () => {
  test("takes its git process along", async () => {
    const row = await repository(world, ada.user, "slow")
    const source = folder()
    await ok(world.folder, "init", "-q", "-b", "main", source)
    await commit(source, "noise", "noise", noise(16 * 1024 * 1024))
    await ok(source, "-c", "core.compression=0", "push", "-q", address(world, "ada/slow", "ada", ada.token), "main")
    await settled()
    const before = world.services.git.running()
    const port = Number(new URL(world.hearth.url).port)
    const head = await ok(source, "rev-parse", "main")
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const body = `${line(`want ${head} no-progress\n`)}0000${line("done\n")}`
    const socket = connect(port, "127.0.0.1")
    socket.write(
      `POST /ada/slow/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    // The first bytes have arrived; the rest is never read, and is more than fits into what lies between: git has to wait.
    await new Promise<void>((resolve) => socket.once("data", () => resolve()))
    socket.pause()
    expect(world.services.git.running()).toBeGreaterThan(before)
    socket.destroy()
    await expect.poll(() => world.services.git.running()).toBeLessThanOrEqual(before)
    expect(Object.keys(await branchRows(world, row))).toEqual(["main"])
  })

  test("in the middle of a push changes nothing", async () => {
    const row = await repository(world, ada.user, "cut")
    const head = await ok(work, "rev-parse", "main")
    const command = `${"0".repeat(40)} ${head} refs/heads/main\0report-status side-band-64k`
    const sent = request(`${world.hearth.url}/ada/cut/git-receive-pack`, {
      method: "POST",
      headers: { "content-type": "application/x-git-receive-pack-request", authorization: `token ${ada.token}`, expect: "100-continue" },
    })
    sent.on("error", () => {})
    sent.flushHeaders()
    // The server lets it in, and reads.
    await new Promise((resolve) => sent.once("continue", resolve))
    const begun = `${(command.length + 4).toString(16).padStart(4, "0")}${command}0000PACK`
    await new Promise((resolve) => sent.write(begun, resolve))
    sent.destroy()
    await settled()
    expect(await world.services.git.references.list(world.services.git.at(row.storage, "sha1"))).toEqual([])
    expect(await world.services.database.read.selectFrom("jobs").selectAll().where("kind", "=", "push.settle").execute()).toEqual([])
  })
})
