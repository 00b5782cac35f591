/**
 * How long a backup and a restore of many small repositories take: `node bench/backups.ts [REPOSITORIES] [LARGE FILES OF 10 MB]`. Prints seconds, and what the place takes. The repositories
 * are copies of one with ten commits; each has an issue.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openServices } from "../src/app.ts"
import { openPlace } from "../src/core/backup/place.ts"
import { listSnapshots, openBackups } from "../src/core/backup/snapshots.ts"
import { loadConfig } from "../src/core/config.ts"
import { backUp } from "../src/features/site/backups/backup.ts"
import { restore } from "../src/features/site/backups/restore.ts"

const [count = 1_000, large = 20] = process.argv.slice(2).map(Number)
const root = mkdtempSync(join(tmpdir(), "hearth-bench-"))
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.org", ...args], { cwd, encoding: "utf8" }).trim()

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const [began, before] = [performance.now(), process.cpuUsage()]
  const value = await work()
  const used = process.cpuUsage(before)
  const memory = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(
    `${what}: ${((performance.now() - began) / 1000).toFixed(1)} s, ${((used.user + used.system) / 1e6).toFixed(1)} s of this processor, at most ${memory} MiB`,
  )
  return value
}

function makeRepository(): { readonly path: string; readonly commit: string } {
  const [work, path] = [join(root, "work"), join(root, "one.git")]
  mkdirSync(work)
  git(work, "init", "-q", "-b", "main")
  for (let each = 0; each < 10; each++) {
    writeFileSync(join(work, `file-${each}.txt`), randomBytes(2_000).toString("base64"))
    git(work, "add", ".")
    git(work, "commit", "-qm", `commit ${each}`)
  }
  git(root, "clone", "-q", "--bare", work, path)
  return { path, commit: git(work, "rev-parse", "HEAD") }
}

try {
  const one = makeRepository()
  const env = { HEARTH_DATA_DIR: join(root, "data"), HEARTH_LOG_LEVEL: "silent" }
  const opened = await openServices({ env })
  const { database, now } = opened.services
  await timed(`making ${count} repositories`, async () => {
    await database.write(async (tx) => {
      await tx
        .insertInto("users")
        .values({ kind: "person", name: "ada", lower_name: "ada", created_at: now(), updated_at: now() })
        .execute()
    })
    for (let start = 0; start < count; start += 100)
      await database.write(async (tx) => {
        for (let each = start; each < Math.min(count, start + 100); each++) {
          const key = randomBytes(16).toString("hex")
          const storage = `${key.slice(0, 2)}/${key}`
          const row = {
            owner_id: 1,
            name: `r${each}`,
            lower_name: `r${each}`,
            storage,
            default_branch: "main",
            is_empty: 0 as const,
            object_format: "sha1" as const,
          }
          const { id } = await tx
            .insertInto("repositories")
            .values({ ...row, created_at: now(), updated_at: now() })
            .returning("id")
            .executeTakeFirstOrThrow()
          const branch = {
            repository_id: id,
            name: "main",
            commit_id: one.commit,
            commit_message: "commit 9",
            committed_at: now(),
            pusher_id: 1,
            updated_at: now(),
          }
          await tx.insertInto("branches").values(branch).execute()
          cpSync(one.path, join(root, "data/repositories", `${storage}.git`), { recursive: true })
        }
      })
    mkdirSync(join(root, "data/lfs/aa"), { recursive: true })
    for (let each = 0; each < large; each++)
      writeFileSync(join(root, `data/lfs/aa/aa000000-0000-4000-8000-${String(each).padStart(12, "0")}`), randomBytes(10_000_000))
  })
  const place = await openPlace(join(root, "backups"), { accessKey: "", secretKey: "" }, { writes: true })
  const backups = await openBackups(place, "secret", { creates: true, cost: { n: 1024, r: 8, p: 1 } })
  const first = await timed("first backup", () => backUp(opened.services, backups))
  await timed("second backup, of the same", () => backUp(opened.services, backups))
  await opened.close()
  const config = loadConfig({ env: { ...env, HEARTH_DATA_DIR: join(root, "restored") } }).config
  const [snapshot] = await listSnapshots(backups)
  if (!snapshot) throw new Error("there is no backup")
  const done = await timed("restore", () => restore(config, backups, snapshot))
  console.log(
    `${done.repositories} repositories, ${done.files} files, ${done.faults.length} faults; ${(first.added / 1e6).toFixed(1)} MB stored; database ${(statSync(join(root, "data/hearth.db")).size / 1e6).toFixed(1)} MB`,
  )
} finally {
  rmSync(root, { recursive: true, force: true })
}
