import { createHash, randomBytes } from "node:crypto"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { blobsBelow } from "../../../../tests/support/blobs.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { actionFilesOf } from "../../../features/actions/files/files.ts"
import { endTask, openSteps, putAlone, type RunningJob, runAnotherJob, runJob, type Steps, twirp } from "./testing.ts"

const MiB = 2 ** 20
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")
// Enough for what the library sends in three blocks; artifacts may be larger than bodies of the API.
const config = {
  actions: { maxArtifactBytes: 20 * MiB, maxArtifactBytesPerRun: 30 * MiB, maxArtifactBytesPerRepository: 40 * MiB },
  api: { maxBodyBytes: 4 * MiB },
}

withHearth("artifacts of jobs, version 4", { people: ["ann"], config, on: databaseKinds }, ({ kind, test, forge, ann }) => {
  let job: RunningJob
  let folder: string
  let storage: string
  let steps: Steps | undefined
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-artifacts-"))
    if (kind === "sqlite") steps = await openSteps()
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    const { database } = forge.hearth.services
    storage = (await database.read.selectFrom("repositories").select("storage").where("name", "=", "lamp").executeTakeFirstOrThrow())
      .storage
  })
  test.beforeEach(async () => {
    job = await runJob(forge, "ann/lamp")
  })
  test.afterAll(async () => {
    await steps?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const step = (call: string, ...given: readonly unknown[]) =>
    steps?.run(job, forge.hearth.url.replace("localhost", "127.0.0.1"), call, given)
  const ask = (method: string, input: object, by = job) =>
    twirp(forge, by.token, `ArtifactService/${method}`, {
      workflow_run_backend_id: String(by.runId),
      workflow_job_run_backend_id: String(by.jobId),
      ...input,
    })
  const put = (url: string, query: string, body: string | Buffer) => putAlone(url + query, Buffer.from(body))
  const begin = async (name: string, more: object = {}) => (await ask("CreateArtifact", { name, version: 4, ...more })).body.signedUploadUrl
  const block = (id: string) => `&comp=block&blockid=${encodeURIComponent(Buffer.from(id).toString("base64"))}`
  const blockList = (...ids: readonly string[]) =>
    `<?xml version="1.0"?><BlockList>${ids.map((id) => `<Latest>${Buffer.from(id).toString("base64")}</Latest>`).join("")}</BlockList>`
  const finish = (name: string, text: string, more: object = {}) =>
    ask("FinalizeArtifact", { name, size: String(Buffer.byteLength(text)), hash: { value: `sha256:${sha256(text)}` }, ...more })
  async function store(name: string, text: string, by = job) {
    const { body } = await ask("CreateArtifact", { name, version: 4 }, by)
    expect(await put(body.signedUploadUrl, "", text)).toBe(201)
    const { body: done } = await ask("FinalizeArtifact", { name, size: text.length }, by)
    return done.artifactId
  }
  const load = async (name: string, by = job) => {
    const { status, body } = await ask("GetSignedArtifactURL", { name }, by)
    return status === 200 ? (await fetch(body.signedUrl)).text() : status
  }
  const names = async (by = job, filter: object = {}): Promise<readonly string[]> =>
    (await ask("ListArtifacts", filter, by)).body.artifacts.map(({ name }: { readonly name: string }) => name)
  const files = async (): Promise<readonly string[]> => {
    await forge.hearth.services.jobs.drain()
    return blobsBelow(forge.hearth.services, actionFilesOf(storage))
  }

  // The library speaks to the server alone.
  if (kind === "sqlite") {
    test("are uploaded, listed, downloaded and deleted by GitHub's own library, 18 MiB in blocks", async () => {
      const root = join(folder, "large")
      await mkdir(join(root, "sub"), { recursive: true })
      const content = randomBytes(18 * MiB)
      await writeFile(join(root, "sub", "noise"), content)
      await writeFile(join(root, "note.txt"), "hello")
      const uploaded = await step("upload", "large", [join(root, "sub", "noise"), join(root, "note.txt")], root)
      expect(uploaded.size).toBeGreaterThan(18 * MiB)
      const { artifacts } = await step("list")
      expect(artifacts).toMatchObject([{ name: "large", id: uploaded.id, size: uploaded.size, digest: `sha256:${uploaded.digest}` }])
      expect((await step("get", "large")).artifact).toMatchObject({ id: uploaded.id })
      const target = join(folder, "loaded")
      const loaded = await step("download", uploaded.id, { path: target, expectedHash: `sha256:${uploaded.digest}` })
      expect(loaded.digestMismatch).toBe(false)
      expect((await readFile(join(target, "sub", "noise"))).equals(content)).toBe(true)
      expect(await readFile(join(target, "note.txt"), "utf8")).toBe("hello")
      expect(await step("delete", "large")).toEqual({ id: uploaded.id })
      expect((await step("list")).artifacts).toEqual([])
      await expect(step("get", "large")).rejects.toThrow("Artifact not found")
      expect(await files()).toEqual([])
    })

    test("may be single files that are not packed", async () => {
      await writeFile(join(folder, "page.html"), "<b>bold</b>")
      const { id } = await step("upload", "ignored", [join(folder, "page.html")], folder, { skipArchive: true })
      await step("download", id, { path: join(folder, "single") })
      expect(await readFile(join(folder, "single", "page.html"), "utf8")).toBe("<b>bold</b>")
      const { body } = await ask("GetSignedArtifactURL", { name: "page.html" })
      const answer = await fetch(body.signedUrl)
      expect([answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
        "application/octet-stream",
        'attachment; filename="page.html"',
      ])
    })

    test("a name is refused by the library's own error while it is taken", async () => {
      await store("twice", "one")
      await writeFile(join(folder, "f"), "f")
      await expect(step("upload", "twice", [join(folder, "f")], folder)).rejects.toThrow("this run has an artifact named twice already")
      expect(await load("twice")).toBe("one")
      expect((await ask("DeleteArtifact", { name: "twice" })).status).toBe(200)
      await store("twice", "two")
      expect(await load("twice")).toBe("two")
    })
  }

  test("addresses are built from the one that the runner used", async () => {
    const { port } = new URL(forge.hearth.url)
    const call = (headers: Readonly<Record<string, string>>) =>
      fetch(`http://127.0.0.1:${port}/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact`, {
        method: "POST",
        headers: { authorization: `Bearer ${job.token}`, ...headers },
        body: JSON.stringify({ workflowRunBackendId: String(job.runId), name: "x", version: 4, somethingNew: [1] }),
      }).then(async (answer): Promise<{ readonly signedUploadUrl: string }> => JSON.parse(await answer.text()))
    expect((await call({})).signedUploadUrl).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:${port}/twirp/.*/UploadArtifact\\?id=\\d+&expires=\\d+&sig=`),
    )
    expect((await call({ "x-forwarded-host": "ci.example.com", "x-forwarded-proto": "https" })).signedUploadUrl).toMatch(
      /^https:\/\/ci\.example\.com\/twirp\//,
    )
  })

  test("blocks come in any order and several at once, one again replaces itself, and others are left out", async () => {
    const url = await begin("blocks")
    const parts = ["one", "two", "three", "four"]
    await Promise.all(parts.toReversed().map(async (id) => expect(await put(url, block(id), `${id} `)).toBe(201)))
    expect(await put(url, block("two"), "TWO ")).toBe(201)
    expect(await put(url, block("unused"), "unused")).toBe(201)
    expect(await put(url, "&comp=blocklist", blockList(...parts))).toBe(201)
    expect((await finish("blocks", "one TWO three four ")).status).toBe(200)
    expect(await load("blocks")).toBe("one TWO three four ")
    expect(await names(job, { name_filter: { value: "blocks" } })).toEqual(["blocks"])
    expect(await names(job, { nameFilter: "other" })).toEqual([])
  })

  test("whole bodies and appended ones are stored", async () => {
    const whole = await begin("whole")
    expect(await put(whole, "", "first")).toBe(201)
    expect(await put(whole, "", "second")).toBe(201)
    expect((await finish("whole", "second")).status).toBe(200)
    const appended = await begin("appended")
    for (const text of ["a", "bc", "d"]) expect(await put(appended, "&comp=appendBlock", text)).toBe(201)
    expect((await finish("appended", "abcd")).status).toBe(200)
    expect([await load("whole"), await load("appended")]).toEqual(["second", "abcd"])
  })

  test("an upload goes on after a size or digest that lies", async () => {
    const url = await begin("lies")
    for (const id of ["a", "b"]) await put(url, block(id), id)
    await put(url, "&comp=blocklist", blockList("a", "b"))
    expect(await finish("lies", "ab", { size: "3" })).toMatchObject({ status: 400, body: { code: "invalid_argument" } })
    expect((await finish("lies", "ab", { hash: `sha256:${sha256("x")}` })).status).toBe(400)
    expect((await finish("lies", "ab", { hash: "md5:1" })).status).toBe(400)
    expect((await finish("lies", "ab", { size: "-1" })).status).toBe(400)
    expect(await names()).toEqual([])
    expect((await finish("lies", "ab")).status).toBe(200)
    const before = await files()
    // A repeated call gives the same artifact; one that says something else does not.
    expect((await finish("lies", "ab")).body).toEqual((await finish("lies", "ab")).body)
    expect((await finish("lies", "abc")).status).toBe(404)
    expect(await files()).toEqual(before)
  })

  test("missing blocks, and lists of them that can't be read, are refused", async () => {
    const url = await begin("holes")
    await put(url, block("a"), "a")
    expect(await put(url, "&comp=blocklist", blockList("a", "b"))).toBe(400)
    expect(await put(url, "&comp=blocklist", "nothing")).toBe(400)
    expect(await put(url, "&comp=blocklist", "x".repeat(3 * MiB))).toBe(412)
    expect(await put(url, "&comp=block", "no id")).toBe(400)
    expect(await put(url, `&comp=block&blockid=${"x".repeat(200)}`, "long id")).toBe(400)
    expect(await put(url, "&comp=lease", "x")).toBe(400)
    await put(url, block("b"), "b")
    expect((await finish("holes", "ab")).status).toBe(400)
    expect((await ask("FinalizeArtifact", { name: "never begun", size: "1" })).status).toBe(404)
  })

  test("two calls that end an upload at once make one artifact", async () => {
    const url = await begin("raced")
    for (const id of ["a", "b", "c"]) await put(url, block(id), id)
    await put(url, "&comp=blocklist", blockList("a", "b", "c"))
    const answers = await Promise.all(Array.from({ length: 6 }, () => finish("raced", "abc")))
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map(({ body }) => body.artifactId)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    expect(await load("raced")).toBe("abc")
    expect(await names()).toEqual(["raced"])
  })

  test("a token is for its own run, while its task runs or is being cancelled", async () => {
    const other = await runJob(forge, "ann/lamp")
    await store("mine", "mine")
    const of = { workflow_run_backend_id: String(job.runId), name: "mine" }
    for (const method of ["ListArtifacts", "GetSignedArtifactURL", "DeleteArtifact", "CreateArtifact"])
      expect(await ask(method, of, other)).toMatchObject({ status: 403, body: { code: "permission_denied" } })
    expect((await ask("FinalizeArtifact", { ...of, size: "4" }, other)).status).toBe(403)
    expect(await load("mine", other)).toBe(404)
    for (const token of [undefined, "x", `${job.token}x`, other.token.replace(/\.[^.]+$/, `.${job.token.split(".")[2]}`)])
      expect(await twirp(forge, token, "ArtifactService/ListArtifacts", {})).toMatchObject({
        status: 401,
        body: { code: "unauthenticated" },
      })

    const url = await begin("late")
    await endTask(forge, job, "cancelling")
    expect(await put(url, "", "clean-up")).toBe(201)
    expect((await finish("late", "clean-up")).status).toBe(200)
    const open = await begin("later")
    await endTask(forge, job)
    expect(await put(open, "", "x")).toBe(401)
    expect((await ask("ListArtifacts", {})).status).toBe(401)
  })

  test("addresses are refused when altered, expired, or used for something else", async () => {
    const url = await begin("signed")
    const at = (change: (query: URLSearchParams) => void) => {
      const changed = new URL(url)
      change(changed.searchParams)
      return put(changed.href, "", "x")
    }
    const { id } = Object.fromEntries(new URL(url).searchParams)
    const changes: readonly ((query: URLSearchParams) => void)[] = [
      (query) => query.set("id", String(Number(id) + 1)),
      (query) => query.set("expires", String(Number(query.get("expires")) + 1)),
      (query) => query.set("sig", `${query.get("sig")?.slice(0, -1)}_`),
      (query) => query.delete("sig"),
      (query) => query.append("sig", "x"),
      (query) => query.set("id", ""),
      (query) => {
        const { secrets, now } = forge.hearth.services
        query.set("expires", String(now() - 1))
        query.set("sig", secrets.mac("actions file address", `artifact upload ${id} ${now() - 1}`))
      },
    ]
    for (const change of changes) expect(await at(change)).toBe(401)
    expect((await fetch(url.replace("UploadArtifact", "DownloadArtifact"))).status).toBe(401)
    expect(await at(() => {})).toBe(201)
    await store("down", "down")
    const { signedUrl } = (await ask("GetSignedArtifactURL", { name: "down" })).body
    expect(await put(signedUrl.replace("DownloadArtifact", "UploadArtifact"), "", "x")).toBe(401)
  })

  test("names, times and bodies that can't be used are refused in words", async () => {
    for (const name of ["", "a/b", "..\\x", "a:b", "a\nb", "x".repeat(256), "<a>"])
      expect(await ask("CreateArtifact", { name, version: 4 })).toMatchObject({ status: 400, body: { code: "invalid_argument" } })
    expect((await ask("CreateArtifact", { name: "t", expires_at: "soon" })).status).toBe(400)
    expect((await ask("CreateArtifact", { name: "t", expires_at: "2001-01-01T00:00:00Z" })).status).toBe(400)
    expect((await ask("CreateArtifact", { version: 4 })).status).toBe(400)
    for (const body of ["{", "[]", "1", "{".repeat(500)])
      expect(await twirp(forge, job.token, "ArtifactService/ListArtifacts", body)).toMatchObject({
        status: 400,
        body: { code: "malformed" },
      })
    expect(await ask("Explode", {})).toMatchObject({ status: 404, body: { code: "bad_route" } })
    expect(await ask("toString", {})).toMatchObject({ status: 404, body: { code: "bad_route" } })
    expect((await ask("GetSignedArtifactURL", { name: "unknown" })).body.code).toBe("not_found")
    expect((await ask("DeleteArtifact", { name: "unknown" })).status).toBe(404)
  })

  test("expire when their job says so", async () => {
    const expires = new Date((forge.hearth.services.now() + 3600) * 1000).toISOString()
    const url = await begin("brief", { expires_at: expires })
    await put(url, "", "brief")
    const { artifactId } = (await finish("brief", "brief")).body
    expect((await forge.call(ann, `GET /repos/ann/lamp/actions/artifacts/${artifactId}`)).body.expires_at).toBe(`${expires.slice(0, 19)}Z`)
  })

  test("of jobs that a later attempt passes through are found there, and those of rerun jobs are not", async () => {
    const rerun = await runAnotherJob(forge, job)
    await store("kept", "kept")
    await store("made anew", "old", rerun)
    await store("both", "of the passed job")
    const later = await runAnotherJob(forge, job, job)
    expect(await names(later)).toEqual(["both", "kept"])
    expect([await load("kept", later), await load("made anew", later)]).toEqual(["kept", 404])
    await store("both", "of the second attempt", later)
    expect([await load("both", later), await load("both")]).toEqual(["of the second attempt", "of the passed job"])
    expect((await ask("DeleteArtifact", { name: "both" }, later)).status).toBe(200)
    expect(await load("both", later)).toBe("of the passed job")
  })

  test("have limits for one, for a run and for a repository", async () => {
    const large = Buffer.alloc(12 * MiB)
    const url = await begin("too large")
    expect(await put(url, block("a"), large)).toBe(201)
    expect(await put(url, block("b"), large)).toBe(412)
    expect(await put(url, block("a"), large)).toBe(201)
    const fill = async (name: string, by = job) => {
      const { body } = await ask("CreateArtifact", { name }, by)
      if (body.signedUploadUrl === undefined) return body.msg
      await put(body.signedUploadUrl, "", large)
      return (await ask("FinalizeArtifact", { name, size: large.length }, by)).body.msg
    }
    expect([await fill("one"), await fill("two")]).toEqual([undefined, undefined])
    expect(await fill("three")).toBe(`the artifacts of a run have at most ${30 * MiB} bytes together`)
    const others = [await runJob(forge, "ann/lamp"), await runJob(forge, "ann/lamp")] as const
    expect(await fill("one", others[0])).toBeUndefined()
    expect(await fill("one", others[1])).toMatch(/^the artifacts of a repository have at most/)
  })

  test("an upload that breaks off leaves nothing but what arrived whole", async () => {
    const url = await begin("broken")
    await put(url, block("a"), "whole")
    const before = await files()
    const { hostname, port, pathname, search } = new URL(url + block("b"))
    const cut = request({ host: hostname, port, path: pathname + search, method: "PUT", headers: { "content-length": "200000" } })
    const ended = new Promise((resolve) => cut.on("close", resolve))
    cut.on("error", () => {})
    cut.write(Buffer.alloc(100_000), () => cut.destroy())
    await ended
    await expect.poll(async () => (await files()).filter((name) => !before.includes(name))).toEqual([])
    expect(await put(url, "&comp=blocklist", blockList("a", "b"))).toBe(400)
  })
})
