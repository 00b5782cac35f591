/** Slow: whole caches go back and forth on both databases, on SQLite with GitHub's own libraries too. */
import { randomBytes } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { blobsBelow } from "../../../../tests/support/blobs.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { actionFilesOf } from "../../../features/actions/files/files.ts"
import { endTask, openSteps, putAlone, type RunningJob, runJob, type Steps, twirp } from "./testing.ts"

const MiB = 2 ** 20
// Caches may be larger than bodies of the API.
const config = { actions: { maxCacheBytes: 30 * MiB }, api: { maxBodyBytes: 4 * MiB } }

withHearth("caches of jobs", { people: ["ann"], config, on: databaseKinds }, ({ kind, test, forge, ann }) => {
  let folder: string
  let steps: Steps | undefined
  let repository: string
  let storage: string
  let pull: number
  let count = 0
  const services = () => forge.hearth.services
  const url = () => forge.hearth.url

  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-caches-"))
    if (kind === "sqlite") steps = await openSteps()
  })
  test.beforeEach(async () => {
    count += 1
    repository = `ann/lamp${count}`
    await forge.call(ann, "POST /user/repos", { name: `lamp${count}`, auto_init: true, default_branch: "main" })
    const { database } = services()
    storage = (
      await database.read.selectFrom("repositories").select("storage").where("name", "=", `lamp${count}`).executeTakeFirstOrThrow()
    ).storage
  })
  test.afterAll(async () => {
    await steps?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Opens a pull request of the branch feature into dev. */
  async function openPull(): Promise<void> {
    const { database } = services()
    for (const branch of ["dev", "feature"])
      await forge.call(ann, `POST /repos/${repository}/contents/${branch}.txt`, {
        content: Buffer.from(branch).toString("base64"),
        new_branch: branch,
        message: branch,
      })
    const { body } = await forge.call(ann, `POST /repos/${repository}/pulls`, { head: "feature", base: "dev", title: "Add it" })
    pull = (
      await database.read
        .selectFrom("issues")
        .innerJoin("pulls", "pulls.issue_id", "issues.id")
        .select("pulls.id")
        .where("issues.id", "=", body.id)
        .executeTakeFirstOrThrow()
    ).id
  }
  const onBranch = (name: string) => runJob(forge, repository, { ref: `refs/heads/${name}` })
  const onPull = (more: object = {}) =>
    runJob(forge, repository, { event: "pull_request", ref: "refs/pull/1/head", pull_id: pull, ...more })
  const create = (job: RunningJob, key: string, version = "v") => twirp(forge, job.token, "CacheService/CreateCacheEntry", { key, version })
  const finish = (job: RunningJob, key: string, size: number, version = "v") =>
    twirp(forge, job.token, "CacheService/FinalizeCacheEntryUpload", { key, version, sizeBytes: String(size) })
  async function save(job: RunningJob, key: string, content: string | Buffer = key, version = "v") {
    const { status, body } = await create(job, key, version)
    if (status !== 200) return status
    expect((await fetch(body.signedUploadUrl, { method: "PUT", body: content })).status).toBe(201)
    return (await finish(job, key, content.length, version)).status
  }
  async function restore(job: RunningJob, key: string, restoreKeys: readonly string[] = [], version = "v") {
    const { body } = await twirp(forge, job.token, "CacheService/GetCacheEntryDownloadURL", { key, restoreKeys, version })
    return body.ok ? [body.matchedKey, await (await fetch(body.signedDownloadUrl)).text()] : undefined
  }
  const files = async (): Promise<readonly string[]> => {
    await services().jobs.drain()
    return blobsBelow(services(), actionFilesOf(storage))
  }
  const used = (key: string, at: number) =>
    services().database.write((tx) => tx.updateTable("action_caches").set({ used_at: at }).where("key", "=", key).execute())

  const protocols = [
    ["v1", { ACTIONS_CACHE_URL: "/" }],
    ["v1 below the pipeline's address", { ACTIONS_CACHE_URL: "/api/actions_pipeline/" }],
    ["v2", { ACTIONS_CACHE_SERVICE_V2: "true" }],
  ] as const
  for (const [protocol, env] of kind === "sqlite" ? protocols : [])
    test(`are saved and restored by GitHub's own library, ${protocol}`, async () => {
      const job = await onBranch("main")
      const variables = { ...env, ...("ACTIONS_CACHE_URL" in env && { ACTIONS_CACHE_URL: url() + env.ACTIONS_CACHE_URL }) }
      const step = (call: string, ...given: readonly unknown[]) => steps?.run(job, url(), call, given, variables)
      const file = join(folder, `deps-${count}`)
      const content = randomBytes(7 * MiB)
      await writeFile(file, content)
      expect(await step("save", [file], "deps-1", { uploadChunkSize: 2 * MiB })).toBeGreaterThan(0)
      expect(await step("save", [file], "deps-1")).toBe(-1)
      await rm(file)
      expect(await step("restore", [file], "deps-2", ["other-", "deps-"])).toBe("deps-1")
      expect((await readFile(file)).equals(content)).toBe(true)
      expect(await step("restore", [file], "deps-1", [], { lookupOnly: true })).toBe("deps-1")
      expect(await step("restore", [file], "nothing")).toBeUndefined()
      expect(await step("restore", [`${file}x`], "deps-1")).toBeUndefined()
      expect(await files()).toHaveLength(1)
    })

  test("are found by an exact key first, then by the newest that begins so, for each key in turn", async () => {
    const job = await onBranch("main")
    for (const key of ["a-1", "a-2", "b", "a-%", "a"]) expect(await save(job, key)).toBe(200)
    expect(await restore(job, "a-1")).toEqual(["a-1", "a-1"])
    expect(await restore(job, "a-")).toEqual(["a-%", "a-%"])
    expect(await restore(job, "a")).toEqual(["a", "a"])
    expect(await restore(job, "c", ["c-", "b", "a-"])).toEqual(["b", "b"])
    expect(await restore(job, "a-_", ["a_"])).toBeUndefined()
    expect(await restore(job, "a-1", [], "w")).toBeUndefined()
    expect(await save(job, "a-1", "other version", "w")).toBe(200)
    expect(await restore(job, "a-1", [], "w")).toEqual(["a-1", "other version"])
  })

  test("are seen by their own branch, by pull requests into it, and all of the default branch", async () => {
    await openPull()
    const [main, dev, feature, request] = [await onBranch("main"), await onBranch("dev"), await onBranch("feature"), await onPull()]
    for (const [job, name] of [
      [main, "main"],
      [dev, "dev"],
      [feature, "feature"],
      [request, "pull"],
    ] as const)
      expect(await save(job, `key-${name}`)).toBe(200)
    const seen = async (job: RunningJob) => {
      const all = ["main", "dev", "feature", "pull"]
      const found = await Promise.all(all.map((name) => restore(job, `key-${name}`)))
      return all.filter((_, index) => found[index] !== undefined)
    }
    expect(await seen(main)).toEqual(["main"])
    expect(await seen(dev)).toEqual(["main", "dev"])
    expect(await seen(feature)).toEqual(["main", "feature"])
    expect(await seen(request)).toEqual(["main", "dev", "pull"])
    // The nearest is taken, also where another one is newer or fits better.
    expect(await restore(request, "key-main", ["key-"])).toEqual(["key-pull", "key-pull"])
    expect(await restore(dev, "none", ["key-"])).toEqual(["key-dev", "key-dev"])
    const elsewhere = await runJob(forge, "ann/lamp1")
    if (repository !== "ann/lamp1") expect(await seen(elsewhere)).toEqual([])
  })

  test("of a pull request never reach the branches: not under their keys, nor by code of a fork on another reference", async () => {
    await openPull()
    const request = await onPull({ is_untrusted: 1 })
    expect(await save(request, "deps", "poisoned")).toBe(200)
    for (const branch of ["main", "dev", "feature"]) expect(await restore(await onBranch(branch), "deps", ["dep"])).toBeUndefined()
    expect(await save(await onBranch("main"), "deps", "clean")).toBe(200)
    expect(await restore(await onBranch("dev"), "deps")).toEqual(["deps", "clean"])
    const onMain = await runJob(forge, repository, { ref: "refs/heads/main", pull_id: pull, is_untrusted: 1 })
    expect(await create(onMain, "deps-2")).toMatchObject({ status: 403, body: { code: "permission_denied" } })
    expect((await finish(onMain, "deps", 5)).status).toBe(403)
  })

  test("a key never changes, and is stored by one job at a time", async () => {
    const [one, two] = [await onBranch("main"), await onBranch("main")]
    expect((await create(one, "k")).status).toBe(200)
    expect(await create(two, "k")).toMatchObject({ status: 409, body: { code: "already_exists" } })
    expect(await save(one, "k", "first")).toBe(200)
    expect([await save(one, "k", "second"), await save(two, "k", "second")]).toEqual([409, 409])
    expect(await restore(two, "k")).toEqual(["k", "first"])
    // A repeated call is answered again; a lie is not.
    expect((await finish(one, "k", 5)).status).toBe(200)
    expect((await finish(one, "k", 6)).status).toBe(404)

    expect((await create(one, "left")).status).toBe(200)
    await endTask(forge, one)
    expect(await save(two, "left")).toBe(200)
  })

  test("sizes that lie, unusable keys and foreign uploads are refused", async () => {
    const [job, other] = [await onBranch("main"), await onBranch("main")]
    const { signedUploadUrl } = (await create(job, "k")).body
    await fetch(signedUploadUrl, { method: "PUT", body: "12345" })
    expect((await finish(job, "k", 4)).status).toBe(400)
    expect((await finish(other, "k", 5)).status).toBe(404)
    expect((await finish(job, "k", 5)).status).toBe(200)
    for (const key of ["", "a,b", "x".repeat(513)]) expect((await create(job, key)).status).toBe(400)
    expect((await create(job, "k", "")).status).toBe(400)
    const many = Array.from({ length: 11 }, String)
    expect(
      (await twirp(forge, job.token, "CacheService/GetCacheEntryDownloadURL", { key: "k", version: "v", restoreKeys: many })).status,
    ).toBe(400)
    expect((await twirp(forge, undefined, "CacheService/CreateCacheEntry", { key: "k", version: "v" })).status).toBe(401)
    await endTask(forge, job)
    expect((await create(job, "late")).status).toBe(401)
  })

  const v1 = (
    job: RunningJob | undefined,
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${url()}/_apis/artifactcache/${path}`, {
      method,
      headers: { ...(job && { authorization: `Bearer ${job.token}` }), "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })

  test("of version 1 come in chunks, which must be complete", async () => {
    const [job, other] = [await onBranch("main"), await onBranch("main")]
    const reserved = await v1(job, "POST", "caches", { key: "k", version: "v", cacheSize: 10 })
    expect(reserved.status).toBe(201)
    const { cacheId } = JSON.parse(await reserved.text())
    const chunk = async (text: string, range: string, by = job) =>
      (await v1(by, "PATCH", `caches/${cacheId}`, text, { "content-range": range })).status
    expect(await chunk("67890", "bytes 5-9/*")).toBe(204)
    expect((await v1(job, "POST", `caches/${cacheId}`, { size: 5 })).status).toBe(422)
    expect(await chunk("12345", "bytes 0-4/*")).toBe(204)
    expect(await chunk("12345", "bytes 0-4/*")).toBe(204)
    expect(await chunk("12345", "bytes 0-5/*")).toBe(400)
    expect(await chunk("12345", "bytes 4-0/*")).toBe(400)
    expect(await chunk("12345", "")).toBe(400)
    expect(await chunk("12345", "bytes 0-4/*", other)).toBe(404)
    expect((await v1(other, "POST", `caches/${cacheId}`, { size: 10 })).status).toBe(404)
    expect((await v1(job, "POST", `caches/${cacheId}`, { size: 9 })).status).toBe(422)
    expect((await v1(job, "POST", `caches/${cacheId}`, { size: 10 })).status).toBe(204)
    expect((await v1(job, "POST", `caches/${cacheId}`, { size: 10 })).status).toBe(404)
    const found = await v1(job, "GET", "cache?keys=x,k&version=v")
    const { archiveLocation, ...record } = JSON.parse(await found.text())
    expect(record).toMatchObject({ cacheKey: "k", scope: "refs/heads/main" })
    expect(await (await fetch(archiveLocation)).text()).toBe("1234567890")
    expect((await fetch(archiveLocation.replace(/.$/, "_"))).status).toBe(401)
    expect((await v1(job, "GET", "cache?keys=none&version=v")).status).toBe(204)
    expect((await v1(job, "GET", "cache")).status).toBe(400)
    expect((await v1(job, "POST", "caches", "{")).status).toBe(400)
    expect((await v1(job, "POST", "caches", { key: "k", version: "v" })).status).toBe(409)
    expect((await v1(job, "POST", "caches", { key: "large", version: "v", cacheSize: 31 * MiB })).status).toBe(413)
    expect((await v1(undefined, "GET", "cache?keys=k&version=v")).status).toBe(401)
  })

  test("runners may announce the tokens of their jobs, which changes nothing", async () => {
    const job = await onBranch("main")
    for (const prefix of ["", "/api/actions_pipeline"])
      for (const path of ["register", "revoke"]) {
        const body = JSON.stringify({ token: job.token, repo: "ann/other" })
        const announced = await fetch(`${url()}${prefix}/_internal/${path}`, {
          method: "POST",
          headers: { authorization: "Bearer secret" },
          body,
        })
        expect(announced.status).toBe(204)
      }
    expect(await save(job, "k")).toBe(200)
    expect((await v1(undefined, "GET", "cache?keys=k&version=v", undefined, { authorization: "Bearer secret" })).status).toBe(401)
  })

  test("those that were not used for longest make room", async () => {
    const job = await onBranch("main")
    const now = services().now()
    const large = Buffer.alloc(12 * MiB)
    expect([await save(job, "one", large), await save(job, "two", large)]).toEqual([200, 200])
    await used("one", now - 200)
    await used("two", now - 100)
    expect(await restore(job, "one")).toBeDefined()
    expect(await save(job, "three", large)).toBe(200)
    expect([await restore(job, "one"), await restore(job, "two"), await restore(job, "three")].map(Boolean)).toEqual([true, false, true])
    expect(await files()).toHaveLength(2)
    // Small ones count as 1 MiB, so that their number is limited as well.
    for (let at = 0; at < 12; at++) expect(await save(job, `small-${at}`, "x")).toBe(200)
    expect(await files()).toHaveLength(13)
    expect(await restore(job, "small-0")).toBeDefined()
    expect([await restore(job, "one"), await restore(job, "three")].filter(Boolean)).toHaveLength(1)
  })

  test("are refused while they arrive where they are too large", async () => {
    const job = await onBranch("main")
    const huge = (await create(job, "huge")).body.signedUploadUrl
    expect(await putAlone(huge, Buffer.alloc(31 * MiB), { "content-length": String(31 * MiB) })).toBe(412)
    expect(await putAlone(huge, Buffer.alloc(31 * MiB), { "transfer-encoding": "chunked" })).toBe(412)
    expect(await putAlone(huge, Buffer.from("x"))).toBe(201)
    expect((await finish(job, "huge", 1)).status).toBe(200)
  })

  test("those that no one uses, and uploads of jobs that have ended, are removed by the clock", async () => {
    const job = await onBranch("main")
    const now = services().now()
    for (const key of ["old", "new"]) await save(job, key)
    await used("old", now - 7 * 86_400)
    expect(await restore(job, "old")).toBeUndefined()
    expect(await save(job, "old", "again")).toBe(200)
    await used("old", now - 7 * 86_400)
    const { signedUploadUrl } = (await create(job, "half")).body
    await fetch(`${signedUploadUrl}&comp=block&blockid=YQ==`, { method: "PUT", body: "half" })
    await services().database.write((tx) =>
      tx
        .updateTable("action_uploads")
        .set({ created_at: now - 7200 })
        .execute(),
    )
    expect(await files()).toHaveLength(3)
    expect(await services().jobs.tasks.run("cleanup_results")).toBe("ok")
    expect(await files()).toHaveLength(2)
    await endTask(forge, job)
    await services().jobs.tasks.run("cleanup_results")
    expect(await files()).toHaveLength(1)
    await services().jobs.tasks.run("sweep_action_files")
    expect(await files()).toHaveLength(1)
  })

  test("go with their repository", async () => {
    const job = await onBranch("main")
    await save(job, "k")
    await create(job, "open")
    expect((await forge.call(ann, `DELETE /repos/${repository}`)).status).toBe(204)
    // They stay while it can be restored.
    expect(await files()).not.toEqual([])
    expect((await create(job, "k")).status).toBe(401)
    await forge.call(ann, `DELETE /user/deleted/${(await forge.call(ann, "GET /user/deleted")).body[0].id}`)
    expect(await files()).toEqual([])
    const { read } = services().database
    for (const table of ["action_caches", "action_uploads"] as const) {
      const left = await read
        .selectFrom(table)
        .select("id")
        .where("repository_id", "not in", read.selectFrom("repositories").select("id"))
        .execute()
      expect(left).toEqual([])
    }
    expect((await create(job, "k")).status).toBe(401)
  })
})
