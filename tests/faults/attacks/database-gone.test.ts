import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openKeyFolder } from "../../../src/features/people/keys/ssh/testing.ts"
import { withKey } from "../../../src/servers/ssh/testing.ts"
import { folderForTests } from "../../support/folder.ts"
import { type Forge, forgeOn } from "../../support/forge-on.ts"
import { freePort } from "../../support/ports.ts"
import { type PostgresServer, startPostgres } from "../../support/postgres.ts"

/**
 * PostgreSQL was shut down under a running server. Every call was answered with 500 and an empty message, and git said no more than that; the log got a
 * stack for each. Now every protocol says 503, in words and with Retry-After where it has such a thing, health names the database, the log has
 * a line now and then, and when the database is back the same server goes on: calls, workers and the clock.
 */
describe("a PostgreSQL server that is shut down", () => {
  let postgres: PostgresServer
  let forge: Forge
  let keys: Awaited<ReturnType<typeof openKeyFolder>>
  let sshPort: number

  beforeAll(async () => {
    postgres = await startPostgres(["fsync=off"], folderForTests())
    sshPort = await freePort()
    forge = await forgeOn(postgres.url, { ssh: { port: sshPort }, database: { waitSeconds: 4 } }, { running: true })
    keys = await openKeyFolder()
  })
  afterAll(async () => {
    await forge?.close()
    await keys?.close()
    await postgres?.stop()
  })

  it("is 503 in words by every protocol, and nothing has to be restarted when it is back", async () => {
    const { hearth, ask, git, clone } = forge
    const key = await keys.make("ed25519")
    expect((await ask("/api/v1/user/keys", { method: "POST", body: JSON.stringify({ title: "k", key: key.line }) })).status).toBe(201)
    const bySsh = () => git(...withKey(key), "ls-remote", `ssh://git@127.0.0.1:${sshPort}/root/rocket`)
    expect((await bySsh()).out).toContain("refs/heads/main")
    expect(JSON.parse((await ask("/api/healthz")).text)).toMatchObject({ status: "pass" })

    await postgres.shutDown()

    const calls = [
      ["GET", "/api/v1/repos/root/rocket"],
      ["POST", "/api/v1/repos/root/rocket/issues", JSON.stringify({ title: "x" })],
      ["GET", "/root/rocket/info/refs?service=git-upload-pack"],
      ["GET", "/root/rocket/info/refs?service=git-receive-pack"],
      ["GET", "/root/rocket/archive/main.zip"],
      ["GET", "/root.keys"],
      ["GET", "/root/rocket.git/info/lfs/locks", undefined, "application/vnd.git-lfs+json"],
    ] as const
    for (const [method, path, body, accept = "*/*"] of calls) {
      const answer = await ask(path, { method, headers: { accept }, ...(body !== undefined && { body }) })
      expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "5"])
      expect(answer.text).toContain("the database is not available")
    }
    const pushed = await git("-C", clone, "push", `${hearth.url}/root/rocket`, "main:other")
    expect(pushed).toMatchObject({ code: 1, err: expect.stringContaining("503") })
    expect((await bySsh()).code).not.toBe(0)
    // An answer is shared for a second.
    let health = await ask("/api/healthz")
    while (health.status !== 503) health = await ask("/api/healthz")
    expect(JSON.parse(health.text)).toMatchObject({
      status: "fail",
      checks: { "database:write": [{ status: "fail", output: "takes no write" }], "git:start": [{ status: "pass" }] },
    })

    await postgres.startAgain()

    while ((await ask("/api/healthz")).status !== 200) await sleep(50)
    expect((await ask("/api/v1/repos/root/rocket")).status).toBe(200)
    expect((await git("-C", clone, "push", `${hearth.url}/root/rocket`, "main:other")).code).toBe(0)
    expect((await bySsh()).out).toContain("refs/heads/other")
    // No one drains the outbox: the workers take up what the push has stored by themselves.
    const waiting = async () => (await hearth.services.jobs.counts()).filter(({ state }) => state !== "failed").length
    while ((await waiting()) > 0) await sleep(50)
    const [task] = await hearth.services.jobs.tasks.list()
    expect(await hearth.services.jobs.tasks.run(task?.name ?? "")).toBe("ok")
  })
})
