import { spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type Gitea, makeGitea } from "../../../../tests/support/gitea.ts"
import { serveHearth } from "../../../app.ts"
import { openShell, type Shell } from "../../../command/testing.ts"

import { fill, type Made, TOKEN } from "./testing.ts"

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
