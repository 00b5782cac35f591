import { request } from "node:http"
import { expect } from "vitest"
import { blobsBelow } from "../../../../tests/support/blobs.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { actionFilesOf } from "../../../features/actions/files/files.ts"
import { runJob, twirp } from "./testing.ts"

withHearth("uploads of jobs that stall", { people: ["ann"], config: { http: { stallSeconds: 1 } } }, ({ test, forge, ann }) => {
  test("are cut, and leave nothing", async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    const { services } = forge.hearth
    const { storage } = await services.database.read
      .selectFrom("repositories")
      .select("storage")
      .where("name", "=", "lamp")
      .executeTakeFirstOrThrow()
    const files = () => blobsBelow(services, actionFilesOf(storage))
    const job = await runJob(forge, "ann/lamp")
    const artifact = await twirp(forge, job.token, "ArtifactService/CreateArtifact", {
      workflow_run_backend_id: String(job.runId),
      name: "slow",
    })
    const cache = await twirp(forge, job.token, "CacheService/CreateCacheEntry", { key: "slow", version: "v" })
    const urls = [artifact.body.signedUploadUrl, cache.body.signedUploadUrl, `${artifact.body.signedUploadUrl}&comp=blocklist`]
    const cut = urls.map(
      (url) =>
        new Promise((resolve) => {
          const stalled = request(url, { method: "PUT", agent: false, headers: { "content-length": "100000" } })
          stalled.on("error", () => {}).on("close", () => resolve("cut"))
          stalled.write("<BlockList>")
        }),
    )
    expect(await Promise.all(cut)).toEqual(["cut", "cut", "cut"])
    await expect.poll(files).toEqual([])
    const rows = await services.database.read.selectFrom("action_upload_parts").selectAll().execute()
    expect(rows).toEqual([])
    expect((await fetch(artifact.body.signedUploadUrl, { method: "PUT", body: "at last" })).status).toBe(201)
  })
})

const small = { actions: { maxArtifactBytes: 1000, maxArtifactBytesPerRun: 1500, maxCacheBytes: 1000 } }

withHearth("uploads that a job begins and never ends", { people: ["ann"], config: small }, ({ test, forge, ann }) => {
  test("take no more together than its run may store", async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    const job = await runJob(forge, "ann/lamp")
    const begin = async (name: string): Promise<string> =>
      (await twirp(forge, job.token, "ArtifactService/CreateArtifact", { workflow_run_backend_id: String(job.runId), name })).body
        .signedUploadUrl
    const put = async (url: string, size: number) => (await fetch(url, { method: "PUT", body: "x".repeat(size) })).status
    const urls = await Promise.all(["a", "b", "c"].map(begin))
    const [a = "", b = "", c = ""] = urls
    expect([await put(a, 1000), await put(b, 1000), await put(c, 1000)]).toEqual([201, 201, 412])
    expect([await put(a, 1000), await put(c, 500), await put(c, 501)]).toEqual([201, 201, 412])
    // Beginning again drops what came before.
    expect(await put(await begin("a"), 1)).toBe(201)
    expect(await put(c, 1000)).toBe(201)
    expect(await put(a, 1)).toBe(401)
  })
})
