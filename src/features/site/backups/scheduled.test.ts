import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { freshHearth } from "../../../../tests/support/hearth.ts"
import { openPlace } from "../../../core/backup/place.ts"
import { openBackups } from "../../../core/backup/snapshots.ts"
import { mailConfig, openMailServer } from "../../events/mail/testing.ts"

async function open(kind: FreshKind) {
  const folder = await mkdtemp(join(tmpdir(), "hearth-scheduled-"))
  const to = join(folder, "backups")
  const server = await openMailServer()
  const backup = { to, passphrase: "secret", schedule: "30 2 * * *", keep: "last=1" }
  let now = Math.floor(Date.now() / 1000)
  const forge = await freshHearth(kind, { mail: mailConfig(server), backup, undo: { keepSeconds: 0 } }, { now: () => now })
  return {
    ...forge,
    server,
    to,
    later: (seconds: number) => {
      now += seconds
    },
    async close() {
      await forge.close()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

withWorld("a scheduled backup", { open }, ({ test, world }) => {
  const health = async () => JSON.parse(await (await fetch(`${world.hearth.url}/api/healthz`)).text()).checks["backup:last"]
  const task = async () => (await world.hearth.services.jobs.tasks.list()).find(({ name }) => name === "backup")

  test("that fails is told by the health of the server, and by mail to administrators", async () => {
    await world.person("ada", {})
    await world.call(world.root, "PATCH /admin/users/ada", { login_name: "ada", admin: true })
    await writeFile(world.to, "in the way")
    expect(await world.hearth.services.jobs.tasks.run("backup")).toBe("failed")
    await world.settle()
    expect(world.server.arrived.map(({ to }) => to)).toContain("ada@example.com")
    expect(world.server.arrived[0]?.headers.get("subject")).toContain("The backup has failed")
    expect(world.server.arrived[0]?.parts.get("text/plain")).toContain("ENOTDIR")
    await expect.poll(health).toMatchObject([{ status: "warn", output: "the last backup has failed" }])
    await rm(world.to)
  })

  test("is taken, keeps what its rules say, and makes the server well again", async () => {
    const place = await openPlace(world.to, { accessKey: "", secretKey: "" }, { writes: true })
    await openBackups(place, "secret", { creates: true, cost: { n: 1024, r: 8, p: 1 } })
    for (const _ of [1, 2]) expect(await world.hearth.services.jobs.tasks.run("backup")).toBe("ok")
    expect(await readdir(join(world.to, "backup/snapshots"))).toHaveLength(1)
    expect(await task()).toMatchObject({ cron: "30 2 * * *", lastStatus: "ok" })
    await expect.poll(health).toMatchObject([{ status: "pass" }])
  })

  test("keeps files and repositories meanwhile that are deleted", async () => {
    const ben = await world.person("ben")
    await world.call(ben, "POST /user/repos", { name: "lamp", auto_init: true })
    const { services } = world.hearth
    const key = "attachments/ab/abcdef01-0000-4000-8000-000000000000"
    await services.blobs.write(key, [Buffer.from("x")])
    // The clock of this test stands still, so that the last backup is as good as under way.
    await services.blobs.remove(key)
    expect(await services.blobs.open(key).then((blob) => blob?.close().then(() => blob.size))).toBe(1)
    const [repository] = await services.database.read.selectFrom("repositories").selectAll().where("lower_name", "=", "lamp").execute()
    const exists = () => services.git.repositories.exists(services.git.at(repository?.storage ?? "", "sha1"))
    await world.call(ben, "DELETE /repos/ben/lamp")
    await world.settle()
    expect(await exists()).toBe(true)
    world.later(200)
    await world.settle()
    expect(await exists()).toBe(false)
    await services.blobs.remove(key)
    expect(await services.blobs.open(key)).toBeUndefined()
  })
})
