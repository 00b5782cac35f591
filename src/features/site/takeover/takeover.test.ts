import { spawn } from "node:child_process"
import { argon2Sync, createHash, pbkdf2Sync, scryptSync } from "node:crypto"
import { once } from "node:events"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { hashSync } from "bcryptjs"
import { TOTP } from "otpauth"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { databaseKinds, type FreshUrl, freshUrl } from "../../../../tests/support/database.ts"
import { type Gitea, makeGitea, sealedText, sealedTotp, tokenHash } from "../../../../tests/support/gitea.ts"
import { openServices, type Serving, serveHearth } from "../../../app.ts"
import { openShell, type Shell } from "../../../command/testing.ts"

const TOKEN = "0123456789abcdef0123456789abcdef01234567"
const RUNNER_TOKEN = "89abcdef0123456789abcdef0123456789abcdef"
const TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
const SALT = "00112233445566778899aabbccddeeff"
const salt = Buffer.from(SALT, "hex")

const HASHES: Readonly<Record<string, (password: string) => readonly [algorithm: string, hash: string, salt?: string]>> = {
  pbkdf2: (password) => ["pbkdf2$50000$50", pbkdf2Sync(password, salt, 50_000, 50, "sha256").toString("hex")],
  old: (password) => ["", pbkdf2Sync(password, "tencharact", 10_000, 50, "sha256").toString("hex"), "tencharact"],
  argon2: (password) => [
    "argon2$2$4096$2$50",
    argon2Sync("argon2id", { message: password, nonce: salt, passes: 2, memory: 4096, parallelism: 2, tagLength: 50 }).toString("hex"),
  ],
  scrypt: (password) => ["scrypt$4096$8$1$50", scryptSync(password, salt, 50, { N: 4096, r: 8, p: 1 }).toString("hex")],
  bcrypt: (password) => ["bcrypt$4", hashSync(password, 4)],
}

interface Made {
  readonly first: string
  readonly last: string
}

/** People with passwords of all kinds, an organisation, and a repository with what repositories have. */
function fill(gitea: Gitea): Made {
  const at = 1_700_000_000
  let id = 0
  const person = (name: string, more: Readonly<Record<string, string | number>> = {}) => {
    id++
    gitea.add("user", {
      id,
      lower_name: name,
      name,
      email: `${name}@example.org`,
      passwd: "",
      passwd_hash_algo: "",
      salt: SALT,
      type: 0,
      is_active: 1,
      avatar: "",
      avatar_email: "",
      allow_create_organization: 1,
      created_unix: at,
      updated_unix: at,
      ...more,
    })
    gitea.add("email_address", {
      uid: id,
      email: `${name}@example.org`,
      lower_email: `${name}@example.org`,
      is_activated: 1,
      is_primary: 1,
    })
    return id
  }
  person("root", { is_admin: 1 })
  for (const [name, hash] of Object.entries(HASHES)) {
    const [algorithm, passwd, own = SALT] = hash(`password of ${name}`)
    person(name, { passwd, passwd_hash_algo: algorithm, salt: own })
  }
  person("acme", { type: 1 })
  person("reserved", { type: 2 })
  gitea.add("team", { id: 1, org_id: 7, lower_name: "owners", name: "Owners", authorize: 4, visibility: 1 })
  gitea.add("team_user", { org_id: 7, team_id: 1, uid: 1 })
  gitea.add("org_user", { uid: 1, org_id: 7, is_public: 1 })
  gitea.add("access_token", {
    id: 5,
    uid: 1,
    name: "all",
    token_hash: tokenHash(TOKEN, "saltofatok"),
    token_salt: "saltofatok",
    token_last_eight: TOKEN.slice(-8),
    scope: "all",
    created_unix: at,
    updated_unix: at,
  })
  gitea.add("two_factor", {
    uid: 3,
    secret: sealedTotp(TOTP_SECRET),
    scratch_salt: "saltofcode",
    scratch_hash: tokenHash("Scratch1Code", "saltofcode"),
    created_unix: at,
  })
  gitea.add("user_redirect", { lower_name: "ruth", redirect_user_id: 1 })
  gitea.add("user_redirect", { lower_name: "gone", redirect_user_id: 99 })
  gitea.add("repository", {
    id: 40,
    owner_id: 7,
    owner_name: "acme",
    lower_name: "engine",
    name: "Engine",
    default_branch: "main",
    is_empty: 0,
    is_private: 0,
    trust_model: 0,
    topics: '["steam"]',
    created_unix: at,
    updated_unix: at,
  })
  gitea.add("repository", {
    id: 41,
    owner_id: 7,
    owner_name: "acme",
    lower_name: "lost",
    name: "lost",
    default_branch: "main",
    is_empty: 0,
  })
  for (const type of [1, 2, 3, 4, 5, 8, 9, 10])
    for (const repo of [40, 41]) gitea.add("repo_unit", { repo_id: repo, type, config: type === 2 ? '{"EnableTimetracker":false}' : null })
  const [first = "", last = ""] = gitea.repository("acme/engine", ["one", "two"])
  gitea.git("acme/engine", "tag", "v1", first)
  gitea.git("acme/engine", "update-ref", "refs/pull/2/head", last)
  gitea.file("repos/acme/engine.git/hooks/post-receive", "#!/bin/sh\n")
  gitea.add("label", { id: 9, repo_id: 40, org_id: 0, name: "bug", color: "#EE0701", description: "", exclusive: 0 })
  gitea.add("issue_index", { group_id: 40, max_index: 12 })
  gitea.add("issue", {
    id: 70,
    repo_id: 40,
    index: 1,
    poster_id: 1,
    name: "Steam",
    content: "hot",
    is_pull: 0,
    is_closed: 0,
    created_unix: at,
  })
  gitea.add("issue", { id: 71, repo_id: 40, index: 2, poster_id: 2, name: "Cool", content: "", is_pull: 1, is_closed: 0, created_unix: at })
  gitea.add("issue", {
    id: 72,
    repo_id: 99,
    index: 1,
    poster_id: 1,
    name: "Of a lost repository",
    is_pull: 0,
    is_closed: 0,
    created_unix: at,
  })
  gitea.add("issue_label", { issue_id: 70, label_id: 9 })
  gitea.add("comment", { id: 80, type: 0, poster_id: 1, issue_id: 70, content: "indeed", created_unix: at + 1, updated_unix: at + 1 })
  gitea.add("comment", { id: 81, type: 14, poster_id: 1, issue_id: 70, content: "|3660", created_unix: at + 2, updated_unix: at + 2 })
  gitea.add("pull_request", {
    id: 3,
    type: 0,
    status: 2,
    issue_id: 71,
    index: 2,
    head_repo_id: 40,
    base_repo_id: 40,
    head_branch: "topic",
    base_branch: "main",
    merge_base: first,
    has_merged: 0,
  })
  const uuid = "fa3b1f41-6559-423f-be8e-1ac567367f38"
  gitea.add("attachment", {
    id: 4,
    uuid,
    repo_id: 40,
    issue_id: 70,
    comment_id: 0,
    release_id: 0,
    uploader_id: 1,
    name: "a.txt",
    size: 5,
    created_unix: at,
  })
  gitea.file(`data/attachments/f/a/${uuid}`, "hello")
  const oid = createHash("sha256").update("large").digest("hex")
  gitea.add("lfs_meta_object", { id: 6, oid, size: 5, repository_id: 40, created_unix: at })
  gitea.file(`data/lfs/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}`, "large")
  gitea.add("secret", { id: 2, owner_id: 0, repo_id: 40, name: "KEY", data: sealedText("hidden"), description: "", created_unix: at })
  gitea.add("webhook", {
    id: 8,
    repo_id: 40,
    owner_id: 0,
    is_system_webhook: 0,
    url: "http://example.org/hook",
    content_type: 1,
    secret: "signs",
    events: '{"push_only":true}',
    is_active: 1,
    type: "gitea",
    header_authorization_encrypted: sealedText("Bearer x"),
    created_unix: at,
    updated_unix: at,
  })
  gitea.add("action_runner", {
    id: 2,
    uuid: "9d166578-7fb7-4c78-a9b4-89765cb098e7",
    name: "one",
    version: "1",
    owner_id: 0,
    repo_id: 40,
    token_hash: tokenHash(RUNNER_TOKEN, "saltrunner"),
    token_salt: "saltrunner",
    agent_labels: '["linux"]',
    created: at,
    updated: at,
  })
  return { first, last }
}

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

describe("what is not as it should be", () => {
  let gitea: Gitea
  let made: Made
  let shell: Shell
  let env: Readonly<Record<string, string>>
  beforeEach(async () => {
    gitea = await makeGitea()
    made = fill(gitea)
    shell = await openShell()
    env = { HEARTH_LOG_LEVEL: "silent", HEARTH_DATA_DIR: shell.dataDir }
  })
  afterEach(async () => {
    await shell.close()
    await gitea.close()
  })
  const take = () => shell.run(`takeover --from ${gitea.folder}`, env)

  test("killed at any moment, it goes on to the same rows", async () => {
    const file = join(shell.dataDir, "hearth.db")
    for (let comment = 100; comment < 5_000; comment++)
      gitea.add("comment", { id: comment, type: 0, poster_id: 1, issue_id: 70, content: "words", created_unix: 1, updated_unix: 1 })
    for (const kind of ["people and organisations", "comments and events of timelines", "git repositories"]) {
      const child = spawn(process.execPath, [MAIN, "takeover", "--from", gitea.folder], {
        env: { ...process.env, ...env },
        stdio: "ignore",
      })
      const ended = once(child, "exit")
      // As soon as something of this kind is written.
      while (child.exitCode === null && !hasChunk(file, kind)) await new Promise((resolve) => setImmediate(resolve))
      child.kill("SIGKILL")
      await ended
    }
    const { code, out } = await take()
    expect([code, out]).toEqual([0, expect.stringMatching(/comments and events of timelines +4902 +4902 +/)])
    expect((await take()).out).not.toMatch(/^[a-z].* \d+ +\d+ +(?:[1-9]\d* +\d+|\d+ +[1-9]\d*) +\d+$/m)
    const db = new DatabaseSync(file, { readOnly: true })
    expect(db.prepare("select count(*) as comments, count(distinct id) as ids from comments").get()).toEqual({ comments: 4902, ids: 4902 })
    db.close()
  })

  test("a damaged repository is taken as it is, named in every report, and says so", async () => {
    gitea.git("acme/engine", "update-ref", "refs/heads/other", made.first)
    const blob = gitea.git("acme/engine", "rev-parse", `${made.last}:README.md`)
    await rm(join(gitea.folder, "repos/acme/engine.git/objects", blob.slice(0, 2), blob.slice(2)))
    await rm(join(gitea.folder, "repos/acme/engine.git/objects", made.first.slice(0, 2), made.first.slice(2)))
    for (let run = 0; run < 2; run++) expect((await take()).said).toMatch(/Engine is damaged there, and was taken as it is: other/)
    const server = await serveHearth({ env: { ...env, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0" } })
    try {
      const ask = async (path: string) => {
        const response = await fetch(`${server.url}${path}`, { headers: { accept: path.startsWith("/api") ? "*/*" : "text/html" } })
        return [response.status, await response.text()]
      }
      for (const path of ["contents/README.md", "raw/README.md", "commits", "archive/main.zip"])
        expect([path, ...(await ask(`/api/v1/repos/acme/engine/${path}`))]).toEqual([
          path,
          409,
          expect.stringContaining("object of this repository"),
        ])
      expect(await ask(`/api/v1/repos/acme/engine/git/trees/${made.last}`)).toEqual([200, expect.stringContaining(blob)])
      expect(await ask("/acme/engine")).toEqual([200, expect.stringContaining("README.md")])
      expect(await ask("/acme/engine/src/branch/main/README.md")).toEqual([409, expect.stringContaining("This repository is damaged")])
      expect(await ask("/acme/engine/issues")).toEqual([200, expect.stringContaining("Steam")])
    } finally {
      await server.close()
    }
  })

  test("invitations, viewed files and artifacts of several files come along, and a file that was missing when it is there", async () => {
    const now = Math.floor(Date.now() / 1000)
    gitea.add("team_invite", { id: 1, token: "t", inviter_id: 1, org_id: 7, team_id: 1, email: "New@example.org", created_unix: now })
    gitea.add("team_invite", { id: 2, token: "u", inviter_id: 1, org_id: 7, team_id: 1, email: "old@example.org", created_unix: 1 })
    const files = JSON.stringify({ "README.md": 2, "gone.md": 2, "other.md": 1 })
    gitea.add("review_state", { id: 1, user_id: 2, pull_id: 3, commit_sha: made.last, updated_files: files, updated_unix: now })
    const run = { id: 5, repo_id: 40, index: 1, title: "run", workflow_id: "ci.yml", event: "push", ref: "refs/heads/main", status: 1 }
    gitea.add("action_run", { ...run, commit_sha: made.last, trigger_user_id: 1, created: now, updated: now, started: now, stopped: now })
    const packed: readonly (readonly [string, string, string])[] = [
      ["1/a.chunk", "a.txt", ""],
      ["1/b.chunk", "b/b.txt", "gzip"],
    ]
    for (const [index, [path, name, encoding]] of packed.entries())
      gitea.add("action_artifact", {
        id: index + 1,
        run_id: 5,
        repo_id: 40,
        storage_path: path,
        artifact_path: name,
        artifact_name: "old",
        content_encoding: encoding,
        file_size: 5,
        status: 2,
        created_unix: now,
        expired_unix: now + 1_000,
      })
    gitea.file("data/actions_artifacts/1/a.chunk", "first")
    const { said } = await take()
    expect(said).toMatch(/New@example\.org has is of the old server/)
    expect(said).toMatch(/old@example\.org was invited more than a year ago/)
    expect(said).toMatch(/1: its file is missing: actions_artifacts\/1\/a\.chunk/)
    // Still missing: told again.
    expect((await take()).said).toMatch(/1: its file is missing: actions_artifacts\/1\/a\.chunk/)
    gitea.file("data/actions_artifacts/1/b.chunk", gzipSync("other"))
    expect((await take()).said).not.toMatch(/is missing: actions_artifacts/)
    const server = await serveHearth({ env: { ...env, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0" } })
    try {
      const { database } = server.services
      expect(await database.read.selectFrom("team_invitations").select(["id", "lower_email"]).execute()).toEqual([
        { id: 1, lower_email: "new@example.org" },
      ])
      expect(await database.read.selectFrom("viewed_files").select(["path", "blob_id"]).orderBy("path").execute()).toEqual([
        { path: "README.md", blob_id: gitea.git("acme/engine", "rev-parse", `${made.last}:README.md`) },
        { path: "gone.md", blob_id: "" },
      ])
      const response = await fetch(`${server.url}/api/v1/repos/acme/engine/actions/artifacts/1/zip`, {
        headers: { authorization: `token ${TOKEN}` },
      })
      const zip = Buffer.from(await response.arrayBuffer())
      expect([response.status, zip.includes("a.txtfirst"), zip.includes("b/b.txtother")]).toEqual([200, true, true])
    } finally {
      await server.close()
    }
  })
})

const MAIN = fileURLToPath(new URL("../../../command/main.ts", import.meta.url))

/** Whether rows of a kind were written down in a database that another process may be making just now. */
function hasChunk(file: string, kind: string): boolean {
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      return db.prepare("select 1 from takeover_chunks where kind = ?").get(kind) !== undefined
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}
