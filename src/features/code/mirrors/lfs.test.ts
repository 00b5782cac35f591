import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { describe, expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { Caller } from "../repositories/testing.ts"
import { downloadFiles, sendFiles } from "./lfs.ts"
import { synchronize } from "./pull.ts"
import { RemoteRefused, RemoteTrouble } from "./remote.ts"
import { must, openForges } from "./testing.ts"

interface Content {
  readonly bytes: Buffer
  readonly oid: string
  readonly size: number
}

function contentOf(text: string): Content {
  const bytes = Buffer.from(text)
  return { bytes, oid: createHash("sha256").update(bytes).digest("hex"), size: bytes.length }
}

const pointerOf = ({ oid, size }: Content) => `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

withWorld("large files of other servers", { open: openForges }, ({ test, world: forges }) => {
  const idOf = async (at: string): Promise<number> => (await must(forges.ann, "GET", at)).id
  const services = () => forges.here.hearth.services
  const signal = new AbortController().signal

  /** Uploads a large file to the other forge. */
  async function put(name: string, { oid, size, bytes }: Content) {
    const answer = await fetch(`${forges.there.hearth.url}/zoe/${name}.git/info/lfs/objects/${oid}/${size}`, {
      method: "PUT",
      headers: { authorization: `Basic ${btoa(`zoe:${forges.token}`)}` },
      body: new Uint8Array(bytes),
    })
    expect(answer.status).toBe(200)
  }

  /** Commits pointers to all of them. */
  const point = (who: Caller, at: string, contents: readonly Content[], branch: string) =>
    must(who, "POST", `${at}/contents`, {
      branch,
      message: "large files",
      files: contents.map((content) => ({ operation: "create", path: `large/${content.oid}`, content: btoa(pointerOf(content)) })),
    })

  /** A repository there with these large files. */
  async function origin(name: string, contents: readonly Content[], options: object = {}) {
    const address = await forges.origin(name, options)
    for (const content of contents) await put(name, content)
    if (contents.length > 0) await point(forges.zoe, `/repos/zoe/${name}`, contents, "trunk")
    return address
  }

  /** The object behind a pointer, read anonymously. */
  async function media(url: string, repository: string, { oid }: Content): Promise<string> {
    const answer = await fetch(`${url}/api/v1/repos/${repository}/media/large/${oid}`)
    return answer.text()
  }
  const mediaHere = (name: string, content: Content) => media(forges.here.hearth.url, `ann/${name}`, content)

  test("come with a migration, with its credentials, in more than one batch", async () => {
    const contents = Array.from({ length: 103 }, (_, index) => contentOf(`content ${index} `.repeat(1 + index * 10)))
    const clone_addr = await origin("films", contents, { private: true })
    const made = await forges.migrate({ clone_addr, repo_name: "films", auth_token: forges.token, lfs: true })
    expect(made.status).toBe(201)
    for (const content of contents) expect(await mediaHere("films", content)).toBe(content.bytes.toString())
    expect((await rowOf(made.body.id)).lfs_size).toBe(contents.reduce((sum, { size }) => sum + size, 0))
    expect(await must(forges.ann, "GET", "/repos/ann/films/import")).toMatchObject({
      state: "done",
      steps: [
        { name: "git", state: "done", missing: 0 },
        { name: "large_files", state: "done", done: 103, total: 103, missing: 0 },
      ],
    })
  })

  test("are not copied unless requested", async () => {
    const content = contentOf("not wanted")
    const clone_addr = await origin("unwanted", [content])
    await forges.migrate({ clone_addr, repo_name: "unwanted" })
    expect(await mediaHere("unwanted", content)).toBe(pointerOf(content))
  })

  test("that the other server doesn't have are skipped, counted, and requested again by a mirror", async () => {
    const [there, lost] = [contentOf("it is there"), contentOf("it is lost")]
    const clone_addr = await origin("partly", [there])
    await point(forges.zoe, "/repos/zoe/partly", [lost], "trunk")
    const made = await forges.migrate({ clone_addr, repo_name: "partly", lfs: true, mirror: true })
    expect(made.status).toBe(201)
    expect([await mediaHere("partly", there), await mediaHere("partly", lost)]).toEqual(["it is there", pointerOf(lost)])
    const step = (await must(forges.ann, "GET", "/repos/ann/partly/import")).steps[1]
    expect(step).toEqual({ name: "large_files", state: "done", done: 1, total: 2, missing: 1 })
    await put("partly", lost)
    await synchronize(services(), made.body.id, signal)
    expect(await mediaHere("partly", lost)).toBe("it is lost")
  })

  test("come with a mirror's updates, and only new ones are requested", async () => {
    const [first, second] = [contentOf("first"), contentOf("second")]
    const clone_addr = await origin("followed", [first])
    const server = await fakeServer((request) => (request.batch ? forward(request) : undefined))
    const made = await forges.migrate({ clone_addr, repo_name: "followed", lfs: true, mirror: true, lfs_endpoint: server.url })
    expect([made.status, await mediaHere("followed", first)]).toEqual([201, "first"])
    await put("followed", second)
    await point(forges.zoe, "/repos/zoe/followed", [second], "trunk")
    await synchronize(services(), made.body.id, signal)
    await synchronize(services(), made.body.id, signal)
    expect(await mediaHere("followed", second)).toBe("second")
    expect(server.asked).toEqual([[first.oid], [second.oid]])
    server.close()

    /** The path of an object's file at the other forge. */
    function forward({ batch }: Asked): Batched {
      const href = (oid: string) => `${forges.there.hearth.url}/zoe/followed.git/info/lfs/objects/${oid}`
      return { objects: (batch ?? []).map(({ oid, size }) => ({ oid, size, actions: { download: { href: href(oid) } } })) }
    }
  })

  interface Asked {
    readonly path: string
    readonly authorization: string | undefined
    readonly batch: readonly { readonly oid: string; readonly size: number }[] | undefined
  }
  type Batched = { readonly objects: readonly object[] }

  /** An LFS server that answers batches as configured, and all other requests with `serve`. */
  async function fakeServer(
    answer: (asked: Asked) => Batched | number | undefined,
    serve: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.writeHead(404).end(),
  ) {
    const asked: string[][] = []
    const seen: Asked[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const path = request.url ?? ""
      const batch = path.endsWith("/objects/batch") ? JSON.parse(Buffer.concat(chunks).toString()).objects : undefined
      const each = { path, authorization: request.headers.authorization, batch }
      seen.push(each)
      if (batch) asked.push(batch.map(({ oid }: { readonly oid: string }) => oid))
      const told = answer(each)
      if (told === undefined) serve(request, response)
      else if (typeof told === "number") response.writeHead(told, { location: "http://10.0.0.1/" }).end("{}")
      else response.writeHead(200, { "content-type": "application/vnd.git-lfs+json" }).end(JSON.stringify(told))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { url, asked, seen, close }
  }

  /** A server that has these objects, and downloads them through `serve`. */
  const having = (serve: (request: IncomingMessage, response: ServerResponse) => void, header: object = {}) => {
    const made = fakeServer(({ batch }) => {
      if (!batch) return undefined
      return { objects: batch.map(({ oid, size }) => ({ oid, size, actions: { download: { href: `${where.url}/file/${oid}`, header } } })) }
    }, serve)
    const where = { url: "" }
    return made.then((server) => {
      where.url = server.url
      return server
    })
  }

  test("credentials for one server are not sent to another, not even after a redirect", async () => {
    const content = contentOf("guarded")
    const elsewhere = await fakeServer(
      () => undefined,
      (_, response) => void response.end(content.bytes),
    )
    const server = await having((_, response) => void response.writeHead(302, { location: `${elsewhere.url}/kept` }).end(), {
      Authorization: "Bearer for-this-object",
    })
    const clone_addr = await origin("guarded", [content], { private: true })
    const made = await forges.migrate({ clone_addr, repo_name: "guarded", auth_token: forges.token, lfs: true, lfs_endpoint: server.url })
    expect([made.status, await mediaHere("guarded", content)]).toEqual([201, "guarded"])
    expect(server.seen.map(({ authorization }) => authorization)).toEqual([undefined, "Bearer for-this-object"])
    expect(elsewhere.seen.map(({ authorization }) => authorization)).toEqual([undefined])
    server.close()
    elsewhere.close()
  })

  test.each([
    ["other bytes", (response: ServerResponse) => void response.end("another")],
    ["too few bytes", (response: ServerResponse) => void response.end("s")],
    ["too many bytes", (response: ServerResponse) => void response.end("small and more")],
    ["nothing", (response: ServerResponse) => void response.writeHead(410).end()],
  ])("%s are not taken for a large file", async (_, give) => {
    const content = contentOf("small")
    const server = await having((_request, response) => give(response))
    const id = await empty()
    const brought = await downloadFiles(services(), { id }, { endpoint: server.url, authorization: undefined }, [content], { signal })
    expect(brought).toEqual({ done: 0, missing: 1, total: 1 })
    expect((await rowOf(id)).lfs_size).toBe(0)
    server.close()
  })

  test("that were interrupted are fetched the next time, and complete ones are not requested again", async () => {
    const contents = ["one", "two", "three", "four", "five"].map((word) => contentOf(`${word} file`))
    let isBroken = true
    const server = await having((request, response) => {
      const content = contents.find(({ oid }) => request.url?.endsWith(oid))
      if (!content) return void response.writeHead(404).end()
      if (!isBroken || content !== contents[4]) return void response.end(content.bytes)
      response.writeHead(200, { "content-length": content.size })
      response.write("five")
      void theOthersAreStored().finally(() => response.destroy())
    })
    const id = await empty()
    const sizes = contents.slice(0, 4).reduce((sum, { size }) => sum + size, 0)
    const theOthersAreStored = (): Promise<void> => expect.poll(async () => (await rowOf(id)).lfs_size).toBe(sizes)
    const bring = () => downloadFiles(services(), { id }, { endpoint: server.url, authorization: undefined }, contents, { signal })
    await expect(bring()).rejects.toThrow()
    isBroken = false
    expect(await bring()).toEqual({ done: 5, missing: 0, total: 5 })
    expect(server.asked).toEqual([contents.map(({ oid }) => oid), [contents[4]?.oid]])
    expect((await rowOf(id)).lfs_size).toBe(contents.reduce((sum, { size }) => sum + size, 0))
    server.close()
  })

  test.each([
    ["asks for credentials", 401, RemoteRefused, "credentials"],
    ["keeps none", 404, RemoteRefused, "no large files"],
    ["leads elsewhere", 302, RemoteRefused, "302"],
    ["is out of order", 503, RemoteTrouble, "503"],
    ["says what can't be read", { objects: [{ oid: 7 }] }, RemoteRefused, "can't be read"],
  ] as const)("a server that %s", async (_, answer, kind, words) => {
    const server = await fakeServer(() => answer)
    const id = await empty()
    const failed = await downloadFiles(services(), { id }, { endpoint: server.url, authorization: undefined }, [contentOf("x")], {
      signal,
    }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(kind)
    expect(String(failed)).toContain(words)
    server.close()
  })

  test.each(["http://10.0.0.1/secret", "file:///etc/passwd", "http://169.254.169.254/latest", "not an address"])(
    "nothing is fetched from %s, named in a batch or in a redirect",
    async (href) => {
      const named = await fakeServer(({ batch }) => ({
        objects: (batch ?? []).map(({ oid, size }) => ({ oid, size, actions: { download: { href } } })),
      }))
      const leading = await having((_, response) => void response.writeHead(302, { location: href }).end())
      const id = await empty()
      for (const { url, close } of [named, leading]) {
        const work = downloadFiles(services(), { id }, { endpoint: url, authorization: undefined }, [contentOf("x")], { signal })
        await expect(work).rejects.toThrow(RemoteRefused)
        close()
      }
    },
  )

  test("larger than this site's limit are not requested", async () => {
    const id = await empty()
    const huge = { oid: "a".repeat(64), size: 2 ** 45 }
    const server = await fakeServer(() => 500)
    const brought = await downloadFiles(services(), { id }, { endpoint: server.url, authorization: undefined }, [huge], { signal })
    expect([brought.missing, server.asked]).toEqual([1, []])
    server.close()
  })

  test.each([
    ["an endpoint that is none", { lfs_endpoint: "nowhere" }, "[lfs_endpoint]"],
    ["an endpoint with credentials", { lfs_endpoint: "http://a:b@127.0.0.1/" }, "[lfs_endpoint]"],
    ["an endpoint in a private network", { lfs_endpoint: "http://10.0.0.1/" }, "may not be called"],
  ])("a migration is refused with %s", async (_, options, words) => {
    const clone_addr = `${forges.there.hearth.url}/zoe/films.git`
    const answer = await forges.migrate({ clone_addr, repo_name: "refused", lfs: true, auth_token: forges.token, ...options })
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(words)])
    expect((await forges.ann.call("GET", "/repos/ann/refused")).status).toBe(404)
  })

  test("a migration fails with a message if there are pointers and no LFS server", async () => {
    const server = await fakeServer(() => 404)
    const clone_addr = await origin("without", [contentOf("where?")])
    const answer = await forges.migrate({ clone_addr, repo_name: "without", lfs: true, lfs_endpoint: server.url })
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining("no large files")])
    expect((await forges.ann.call("GET", "/repos/ann/without")).status).toBe(404)
    server.close()
  })

  describe("pushed elsewhere", () => {
    const sentTo = async (name: string) => {
      const { default_branch } = await must(forges.ann, "POST", "/user/repos", { name, auto_init: true })
      await must(forges.zoe, "POST", "/user/repos", { name })
      const remote_address = `${forges.there.hearth.url}/zoe/${name}.git`
      await must(forges.ann, "POST", `/repos/ann/${name}/push_mirrors`, {
        remote_address,
        remote_username: "zoe",
        remote_password: forges.token,
        interval: "0",
      })
      return { at: `/repos/ann/${name}`, branch: String(default_branch) }
    }
    const keep = async (name: string, content: Content) => {
      const server = await having((_, response) => void response.end(content.bytes))
      const id = await idOf(`/repos/ann/${name}`)
      await downloadFiles(services(), { id }, { endpoint: server.url, authorization: undefined }, [content], { signal })
      server.close()
    }
    const push = (at: string) => forges.ann.call("POST", `${at}/push_mirrors-sync`)

    test("are sent before the commits that point to them; existing ones are not sent again", async () => {
      const { at, branch } = await sentTo("sent")
      const [first, second, absent] = [contentOf("sent first"), contentOf("sent second"), contentOf("no one has it")]
      await keep("sent", first)
      await point(forges.ann, at, [first, absent], branch)
      expect((await push(at)).status).toBe(200)
      expect(await media(forges.there.hearth.url, "zoe/sent", first)).toBe("sent first")
      expect(await media(forges.there.hearth.url, "zoe/sent", absent)).toBe(pointerOf(absent))
      await keep("sent", second)
      await point(forges.ann, at, [second], branch)
      expect((await push(at)).status).toBe(200)
      expect(await media(forges.there.hearth.url, "zoe/sent", second)).toBe("sent second")
      expect((await push(at)).status).toBe(200)
    })

    test("are verified by the server that requires it, and a refused one is reported", async () => {
      const [wanted, refused] = [contentOf("wanted there"), contentOf("refused there")]
      await must(forges.ann, "POST", "/user/repos", { name: "sending" })
      for (const content of [wanted, refused]) await keep("sending", content)
      const bodies: string[] = []
      const server = await fakeServer(
        ({ batch }) =>
          batch && {
            objects: batch.map(({ oid }) =>
              oid === refused.oid
                ? { oid, error: { code: 422, message: "no room" } }
                : {
                    oid,
                    actions: {
                      upload: { href: `${where.url}/up`, header: { "X-Which": oid, Host: "other" } },
                      verify: { href: `${where.url}/verify` },
                    },
                  },
            ),
          },
        (request, response) => {
          bodies.push(`${request.method} ${request.url} ${request.headers["x-which"] ?? ""} ${request.headers.host === "other"}`)
          response.writeHead(200).end()
        },
      )
      const where = { url: server.url }
      const place = { id: await idOf("/repos/ann/sending") }
      const there = { endpoint: server.url, authorization: "Basic x" }
      await sendFiles(services(), place, there, [wanted], signal)
      expect(bodies).toEqual([`PUT /up ${wanted.oid} false`, "POST /verify  false"])
      expect(server.seen.map(({ authorization }) => authorization)).toEqual(["Basic x", "Basic x", "Basic x"])
      await expect(sendFiles(services(), place, there, [refused], signal)).rejects.toThrow("no room")
      server.close()
    })

    test("nothing is pushed if they are refused", async () => {
      const { at, branch } = await sentTo("closed")
      const content = contentOf("kept back")
      await keep("closed", content)
      await point(forges.ann, at, [content], branch)
      const { database } = forges.there.hearth.services
      await must(forges.zoe, "PATCH", "/repos/zoe/closed", { archived: true })
      const answer = await push(at)
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining("large files")])
      const row = await database.read.selectFrom("repositories").select("is_empty").where("lower_name", "=", "closed").executeTakeFirst()
      expect(row?.is_empty).toBe(1)
      expect((await must(forges.ann, "GET", `${at}/push_mirrors`))[0].last_error).toContain("large files")
    })
  })

  async function rowOf(id: number) {
    const row = await findRepositoryById.first(services().database.read, { id })
    if (!row) throw new Error("no such repository")
    return row
  }

  let made = 0
  async function empty(): Promise<number> {
    const { id } = await must(forges.ann, "POST", "/user/repos", { name: `empty-${made++}` })
    return id
  }
})
