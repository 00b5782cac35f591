import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { TOTP } from "otpauth"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { databaseKinds, type FreshUrl, freshUrl } from "../../../../tests/support/database.ts"
import { type Gitea, makeGitea } from "../../../../tests/support/gitea.ts"
import { openServices, type Serving, serveHearth } from "../../../app.ts"
import { openShell, type Shell } from "../../../command/testing.ts"

import { fill, HASHES, type Made, RUNNER_TOKEN, TOKEN, TOTP_SECRET } from "./testing.ts"

describe.each(databaseKinds)("taking over a Gitea into %s", (kind) => {
  let gitea: Gitea
  let made: Made
  let shell: Shell
  let fresh: FreshUrl
  let env: Readonly<Record<string, string>>
  beforeEach(async () => {
    gitea = await makeGitea()
    made = fill(gitea)
    shell = await openShell()
    fresh = await freshUrl(kind, { empty: true })
    env = { HEARTH_DATABASE_URL: fresh.url, HEARTH_LOG_LEVEL: "silent", HEARTH_DATA_DIR: shell.dataDir }
  })
  afterEach(async () => {
    await fresh.drop()
    await shell.close()
    await gitea.close()
  })
  const take = (more = "") => shell.run(`takeover --from ${gitea.folder} ${more}`, env)
  const serving = async (work: (server: Serving) => Promise<void>) => {
    const server = await serveHearth({ env: { ...env, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0" } })
    try {
      await work(server)
    } finally {
      await server.close()
    }
  }
  const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
  const get = async ({ url }: Serving, path: string, authorization = `token ${TOKEN}`, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization, ...headers } })
    const body: unknown = await response.json().catch(() => undefined)
    return { status: response.status, body }
  }

  test("brings accounts with their secrets, repositories and issues, and only reads", async () => {
    const before = await gitea.contents()
    const { code, out, said } = await take()
    expect([code, await gitea.contents()]).toEqual([0, before])
    expect(out).toMatch(/people and organisations +8 +7 +7 +0 +1\n/)
    expect(out).toMatch(/issues and pull requests +3 +2 +2 +0 +1\n/)
    expect(said).toMatch(/8: reserved is only a reserved name/)
    expect(said).toMatch(/72: the repository is gone/)
    expect(said).toMatch(/acme\/lost has no folder there/)
    await serving(async (server) => {
      const { database, secrets, git } = server.services
      for (const name of Object.keys(HASHES)) {
        const otp = { "x-gitea-otp": new TOTP({ secret: TOTP_SECRET }).generate() }
        expect([name, (await get(server, "/user", basic(name, `password of ${name}`), otp)).status]).toEqual([name, 200])
        expect([name, (await get(server, "/user", basic(name, "another one"))).status]).toEqual([name, 401])
      }
      const hashes = () => database.read.selectFrom("users").select("password_hash").where("password_hash", "<>", "").execute()
      await expect.poll(async () => (await hashes()).every(({ password_hash }) => password_hash.startsWith("$scrypt$"))).toBe(true)
      expect((await get(server, "/user", basic("old", "password of old"))).status).toBe(401)
      expect((await get(server, "/user", basic("old", "password of old"), { "x-gitea-otp": "Scratch1Code" })).status).toBe(200)
      expect((await get(server, "/user", basic("old", "password of old"), { "x-gitea-otp": "Scratch1Code" })).status).toBe(401)
      const first = await Promise.all(Array.from({ length: 12 }, () => get(server, "/user")))
      expect(first).toEqual(
        Array(12).fill(expect.objectContaining({ status: 200, body: expect.objectContaining({ id: 1, login: "root" }) })),
      )
      expect((await get(server, "/user", `token ${TOKEN.replace(/^0/, "1")}`)).status).toBe(401)
      expect(await database.read.selectFrom("former_hashes").select("kind").execute()).toEqual([{ kind: "runner" }])
      expect(await get(server, "/repos/acme/engine")).toMatchObject({
        body: { id: 40, name: "Engine", owner: { id: 7 }, open_issues_count: 1 },
      })
      expect(await get(server, "/repos/acme/engine/issues/1")).toMatchObject({
        body: { id: 70, number: 1, title: "Steam", comments: 1, labels: [{ id: 9 }], assets: [{ id: 4, name: "a.txt" }] },
      })
      expect(await get(server, "/repos/acme/engine/issues/1/timeline")).toMatchObject({
        body: [
          { id: 80, type: "comment", body: "indeed" },
          { id: 81, type: "add_time_manual", body: "1 hour 1 minute" },
        ],
      })
      expect(await get(server, "/repos/acme/engine/pulls/2")).toMatchObject({
        body: { id: 3, head: { sha: made.last } },
      })
      expect(await get(server, "/repos/acme/engine/branches")).toMatchObject({ body: [{ name: "main", commit: { id: made.last } }] })
      expect(await get(server, "/repos/acme/engine/tags")).toMatchObject({ body: [{ name: "v1", id: made.first }] })
      expect(await get(server, "/repos/acme/engine/contents/README.md")).toMatchObject({
        body: { content: Buffer.from("two").toString("base64") },
      })
      const hook = await database.read.selectFrom("webhooks").selectAll().executeTakeFirstOrThrow()
      expect(secrets.unseal(hook.sealed_secret, "webhook:8:secret")).toBe("signs")
      expect(secrets.unseal(hook.sealed_authorization, "webhook:8:authorization")).toBe("Bearer x")
      const secret = await database.read.selectFrom("action_secrets").selectAll().executeTakeFirstOrThrow()
      expect(secrets.unseal(secret.sealed_data, "action secret:repository:40:KEY")).toBe("hidden")
      const row = await database.read.selectFrom("repositories").select("storage").where("id", "=", 40).executeTakeFirstOrThrow()
      expect(await readdir(git.at(row.storage, "sha1").directory)).not.toContain("hooks")
      const declared = (token: string) =>
        fetch(`${server.url}/api/actions/runner.v1.RunnerService/Declare`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-runner-uuid": "9d166578-7fb7-4c78-a9b4-89765cb098e7", "x-runner-token": token },
          body: JSON.stringify({ version: "2", labels: ["linux"] }),
        })
      expect([(await declared("wrong")).status, (await declared(RUNNER_TOKEN)).status, (await declared(RUNNER_TOKEN)).status]).toEqual([
        401, 200, 200,
      ])
      const redirect = await fetch(`${server.url}/ruth`, { redirect: "manual" })
      expect(redirect.headers.get("location")).toBe("/root")
      // Ids that are given here come after those that were taken.
      const response = await fetch(`${server.url}/api/v1/repos/acme/engine/issues`, {
        method: "POST",
        headers: { authorization: `token ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ title: "New" }),
      })
      const issue: unknown = await response.json()
      expect(issue).toMatchObject({ number: 13 })
      expect(Number(Object(issue).id)).toBeGreaterThan(71)
    })
  })

  test("run again brings what is new, changed and gone, and leaves the rest", async () => {
    await take()
    const again = await take()
    expect(again.out).toMatch(/people and organisations +8 +7 +0 +0 +1\n/)
    gitea.run("update user set lower_name = 'x', name = 'x' where id = 2")
    gitea.run("update user set lower_name = 'pbkdf2', name = 'pbkdf2' where id = 3")
    gitea.run("update user set lower_name = 'old', name = 'old' where id = 2")
    gitea.run("delete from comment where id = 80")
    gitea.add("comment", { id: 82, type: 0, poster_id: 1, issue_id: 70, content: "later", created_unix: 1, updated_unix: 1 })
    const [third = ""] = gitea.repository("acme/lost", ["three"])
    gitea.git("acme/engine", "update-ref", "-d", "refs/tags/v1")
    gitea.git("acme/engine", "tag", "v2", made.last)
    const { out } = await take()
    expect(out).toMatch(/people and organisations +8 +7 +2 +0 +1\n/)
    expect(out).toMatch(/comments and events of timelines +2 +2 +1 +1 +0\n/)
    await serving(async (server) => {
      expect(await get(server, "/users/old")).toMatchObject({ body: { id: 2 } })
      expect(await get(server, "/users/pbkdf2")).toMatchObject({ body: { id: 3 } })
      expect(await get(server, "/repos/acme/engine/issues/1/comments")).toMatchObject({ body: [{ id: 82, body: "later" }] })
      expect(await get(server, "/repos/acme/engine/tags")).toMatchObject({ body: [{ name: "v2" }] })
      expect(await get(server, "/repos/acme/lost/branches")).toMatchObject({ body: [{ name: "main", commit: { id: third } }] })
    })
  })

  test("reads the same from a PostgreSQL", async () => {
    const source = await freshUrl("postgres", { empty: true })
    try {
      await gitea.intoPostgres(source.url)
      const { code, out, said } = await take(`--database ${source.url}`)
      expect([code, out], said).toEqual([0, expect.stringMatching(/people and organisations +8 +7 +7 +0 +1\n/)])
      // Nothing differs from what the file has.
      const again = await take()
      expect(again.out).not.toMatch(/^[a-z].* \d+ +\d+ +[1-9]\d* +\d+ +\d+$/m)
    } finally {
      await source.drop()
    }
  })

  test("a dry run tells the same and makes nothing", async () => {
    const { code, out } = await take("--dry-run")
    expect([code, out]).toEqual([0, expect.stringMatching(/people and organisations +8 +7 +7 +0 +1\n/)])
    if (kind === "sqlite") expect(await readdir(join(shell.dataDir, "..", "data")).catch(() => [])).toEqual([])
    expect((await take()).out).toMatch(/people and organisations +8 +7 +7 +0 +1\n/)
  })

  test("ended after any page, it goes on to the same rows", async () => {
    const { takeOverInstallation } = await import("./takeover.ts")
    for (let pages = 1, isStopped = true; isStopped; pages += 9) {
      const opened = await openServices({ env })
      const stopping = new AbortController()
      let left = pages
      const progress = () => {
        if (--left === 0) stopping.abort()
      }
      const options = { from: gitea.folder, dryRun: false, link: true, signal: stopping.signal, progress }
      isStopped = (await takeOverInstallation(opened.services, options)).isStopped
      await opened.close()
    }
    const { out } = await take()
    expect(out).toMatch(/people and organisations +8 +7 +0 +0 +1\n/)
    expect(out).toMatch(/git repositories +2 +1 +0 +0 +1\n/)
  })

  test("refuses a site with accounts, and a folder without an installation", async () => {
    await serving(async () => {})
    expect(await take()).toMatchObject({ code: 1, said: expect.stringMatching(/accounts here already/) })
    expect(await shell.run(`takeover --from ${join(gitea.folder, "repos")}`, env)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/no app\.ini/),
    })
  })
})
