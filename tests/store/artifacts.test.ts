/** Artifacts of workflow runs whose files are in an object store. */
import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { putAlone, type RunningJob, runJob, twirp } from "../../src/servers/runner/results/testing.ts"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { freshHearth } from "../support/hearth.ts"
import { openTestStore } from "./support/store.ts"

async function open(kind: FreshKind) {
  const store = await openTestStore()
  const forge = await freshHearth(kind, { storage: store.storage, undo: { keepSeconds: 0 } })
  const close = async () => {
    await forge.close()
    await store.close()
  }
  return { ...forge, store, close }
}

withWorld("artifacts in an object store", { open }, ({ test, world }) => {
  const ask = async (job: RunningJob, method: string, input: object) =>
    (
      await twirp(world, job.token, `ArtifactService/${method}`, {
        workflow_run_backend_id: String(job.runId),
        workflow_job_run_backend_id: String(job.jobId),
        ...input,
      })
    ).body
  const objects = async () =>
    (await readdir(join(world.store.folder, "actions"), { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) =>
      entry.isFile(),
    )

  test("are sent in blocks, put together, fetched in parts, and removed with their repository", async () => {
    await world.call(world.root, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    const job = await runJob(world, "root/lamp")
    const { signedUploadUrl } = await ask(job, "CreateArtifact", { name: "film", version: 4 })
    const parts = [randomBytes(9 * 2 ** 20), randomBytes(1_000)]
    const idOf = (index: number) => Buffer.from(`block-${index}`).toString("base64")
    for (const [index, part] of parts.entries())
      expect(await putAlone(`${signedUploadUrl}&comp=block&blockid=${encodeURIComponent(idOf(index))}`, part)).toBe(201)
    const list = `<?xml version="1.0"?><BlockList>${parts.map((_, index) => `<Latest>${idOf(index)}</Latest>`).join("")}</BlockList>`
    expect(await putAlone(`${signedUploadUrl}&comp=blocklist`, Buffer.from(list))).toBe(201)
    const bytes = Buffer.concat(parts)
    expect(await ask(job, "FinalizeArtifact", { name: "film", size: String(bytes.length) })).toMatchObject({ ok: true })
    const { signedUrl } = await ask(job, "GetSignedArtifactURL", { name: "film" })
    const whole = await fetch(signedUrl)
    expect([whole.status, Buffer.from(await whole.arrayBuffer()).equals(bytes)]).toEqual([200, true])
    const part = await fetch(signedUrl, { headers: { range: "bytes=9437180-9437190" } })
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(9_437_180, 9_437_191))).toBe(true)
    await world.settle()
    expect(await objects()).toHaveLength(1)

    world.store.disturb(() => "failing")
    expect((await fetch(signedUrl)).status).toBe(503)
    world.store.disturb(undefined)
    expect((await world.call(world.root, "DELETE /repos/root/lamp")).status).toBe(204)
    await world.settle()
    expect(await objects()).toEqual([])
  })
})
