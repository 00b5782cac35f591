import { access, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { CHUNKED, chunk, dial, head, times } from "../../../../tests/attacks/sockets.ts"
import { pathOfBlob } from "../../../../tests/support/blobs.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../../../../tests/support/database.ts"
import { startServer } from "../../../../tests/support/server-process.ts"
import { startHearth } from "../../../app.ts"
import { cleanUpAfter, send, storedFiles } from "../testing.ts"
import { FOLDER } from "./blobs.ts"

/** The process is killed with SIGKILL in the middle of uploads. */
describe.each(databaseKinds)("killed on %s", (kind) => {
  let fresh: FreshUrl
  let folder: string
  beforeEach(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-packages-"))
  })
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  test("what was answered is there whole, and nothing else is after the sweep", async () => {
    const dataDir = join(folder, "data")
    const config = { dataDir, databaseUrl: fresh.url, http: { port: 0 }, ssh: { port: 0 }, log: { level: "silent" } } as const
    const admin = { username: "root", password: "root-pass-1", email: "root@example.com" }
    await (await startHearth({ config: { ...config, admin }, env: {} })).close()
    const root = { authorization: `Basic ${btoa("root:root-pass-1")}` }

    const doomed = await startServer({ HEARTH_DATA_DIR: dataDir, HEARTH_DATABASE_URL: fresh.url })
    expect((await send(doomed, root, "PUT root/generic/tool/1/before", { body: "before" })).status).toBe(201)
    const stalled = await Promise.all(
      times(3, (index) =>
        dial(doomed.url, head(`PUT /api/packages/root/generic/tool/1/stalled-${index}`, { headers: { ...CHUNKED, ...root } })),
      ),
    )
    for (const { socket } of stalled) socket.write(chunk("the beginning"))
    const files = () => storedFiles({ config: { dataDir } })
    await expect.poll(async () => (await files()).filter((name) => name.endsWith(".part")).length).toBe(3)
    // These are killed at whatever moment they have reached.
    const answered: number[] = []
    const running = times(40, async (index) => {
      const came = await send(doomed, root, `PUT root/generic/tool/1/running-${index}`, { body: Buffer.alloc(100_000, index) }).catch(
        () => undefined,
      )
      if (came?.status === 201) answered.push(index)
    })
    await expect.poll(() => answered.length).toBeGreaterThan(2)
    await doomed.kill()
    await Promise.all(running)

    const hearth = await startHearth({ config, env: {} })
    try {
      const { services } = hearth
      await cleanUpAfter(services, 2)
      const blobs = await services.database.read.selectFrom("package_blobs").select("file").execute()
      expect((await storedFiles(services)).toSorted()).toEqual(blobs.map(({ file }) => file).toSorted())
      await Promise.all(blobs.map(({ file }) => access(pathOfBlob(services, `${FOLDER}/${file.slice(0, 2)}/${file}`))))
      for (const index of answered) {
        const { status, text } = await send(hearth, root, `GET root/generic/tool/1/running-${index}`)
        expect([status, text === Buffer.alloc(100_000, index).toString("latin1")]).toEqual([200, true])
      }
      for (const index of [0, 1, 2]) expect((await send(hearth, root, `GET root/generic/tool/1/stalled-${index}`)).status).toBe(404)
      expect((await send(hearth, root, "GET root/generic/tool/1/before")).text).toBe("before")
    } finally {
      await hearth.close()
    }
  })
})
