// Long tick: a backup and a restore are the work of commands of their own, which keep no callers waiting.
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freshUrl } from "../../tests/support/database.ts"
import { openPlace } from "../core/backup/place.ts"
import { openBackups } from "../core/backup/snapshots.ts"
import { openShell, type Shell } from "./testing.ts"

/** A data folder that an earlier version has written, see tests/stored. */
let shell: Shell
let to: string
const PASSPHRASE = "correct horse battery staple"
const env = { HEARTH_BACKUP_PASSPHRASE: PASSPHRASE }

beforeAll(async () => {
  shell = await openShell()
  await mkdir(shell.dataDir, { mode: 0o700 })
  execFileSync("tar", ["xzf", join(import.meta.dirname, "../../tests/stored/0.1.0.tar.gz"), "-C", shell.dataDir])
  await mkdir(join(shell.dataDir, "attachments/ab"), { recursive: true })
  await writeFile(join(shell.dataDir, "attachments/ab/abcdef01-0000-4000-8000-000000000000"), randomBytes(9_000_000))
  to = join(shell.dataDir, "../backups")
  const place = await openPlace(to, { accessKey: "", secretKey: "" }, { writes: true })
  await openBackups(place, PASSPHRASE, { creates: true, cost: { n: 1024, r: 8, p: 1 } })
})
afterAll(() => shell.close())

const restored = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  ...env,
  HEARTH_DATA_DIR: join(shell.dataDir, "..", name),
  ...more,
})
const repository = "repositories/f5/f5a786eca0a9ac7dce16b84a0400f06b.git"
const refs = (folder: string) => execFileSync("git", ["-C", join(folder, repository), "for-each-ref"]).toString()

it("takes a backup, and of what is the same nothing again", async () => {
  const first = await shell.run(`backup ${to}`, env)
  expect(first).toMatchObject({ code: 0, said: "" })
  expect(first.out).toMatch(/^Backup [0-9a-f]{8} of .*: \d+ rows, 1 repositories \(.*\), 1 files \(8.6 MiB\); .* added to /)
  const second = await shell.run(`backup ${to}`, env)
  expect(second.out).toMatch(/; \d+ bytes added|; [0-9.]+ KiB added/)
  const list = JSON.parse((await shell.run(`backup list ${to} --json`, env)).out)
  expect(list).toMatchObject([{ repositories: 1, files: 1, faults: 0 }, { files: 1 }])
  expect(list[1].added).toBeLessThan(list[0].added / 4)
  expect((await shell.run(`backup show latest ${to}`, env)).out).toMatch(/issues +2 +[0-9a-f]{16}\n(.|\n)*acme\/rocket +\d+ /)
  expect(await shell.run(`backup verify ${to}`, env)).toMatchObject({ code: 0, out: expect.stringContaining("All is well.") })
})

it("restores into a folder and SQLite, with references, files and keys, and refuses what is not empty", async () => {
  const folder = join(shell.dataDir, "../back")
  const done = await shell.run(`restore ${to}`, restored("back"))
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/rows, 1 repositories and 1 files restored, as they were on /) })
  expect(refs(folder)).toBe(refs(shell.dataDir))
  expect(await readFile(join(folder, "secret.key"), "utf8")).toBe(await readFile(join(shell.dataDir, "secret.key"), "utf8"))
  expect((await stat(join(folder, "attachments/ab/abcdef01-0000-4000-8000-000000000000"))).size).toBe(9_000_000)
  expect((await shell.run("user list", restored("back"))).out).toContain("ada")
  expect(await shell.run(`restore ${to}`, restored("back"))).toMatchObject({
    code: 1,
    said: expect.stringContaining("The database is not empty"),
  })
  expect((await shell.run("doctor", restored("back"))).out).not.toMatch(/^FAIL {2}(?!.*attachment)/m)
})

it("restores into PostgreSQL from one file", async () => {
  const postgres = await freshUrl("postgres", { empty: true })
  const file = join(shell.dataDir, "../one.hearth")
  try {
    expect(await shell.run(`backup ${file}`, env)).toMatchObject({ code: 0 })
    expect(await shell.run(`backup ${file}`, env)).toMatchObject({ code: 1, said: expect.stringContaining("is there already") })
    const there = restored("postgres", { HEARTH_DATABASE_URL: postgres.url })
    expect(await shell.run(`restore ${file}`, there)).toMatchObject({ code: 0, said: "" })
    expect((await shell.run("user list", there)).out).toContain("ada")
    expect(refs(join(shell.dataDir, "../postgres"))).toBe(refs(shell.dataDir))
  } finally {
    await postgres.drop()
  }
})

it("restores a single repository into the site, beside the one that is there", async () => {
  const again = `restore ${to} --repository acme/rocket --as Acme/rocket-2`
  const done = await shell.run(again, env)
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^acme\/rocket restored as acme\/rocket-2, with \d+ rows, as of /) })
  const database = new DatabaseSync(join(shell.dataDir, "hearth.db"), { readOnly: true })
  const of = (name: string) => database.prepare("select repositories.id, storage from repositories where lower_name = ?").get(name)
  const [one, two] = [of("rocket"), of("rocket-2")]
  const told = (sql: string, id: unknown) =>
    database
      .prepare(sql)
      .all(Number(id))
      .map((row) => ({ ...row }))
  for (const sql of [
    "select number, title, content, is_closed, author_id, comments_count from issues where repository_id = ? order by number",
    "select issues.number, comments.kind, comments.content, comments.author_id from comments join issues on issues.id = issue_id where repository_id = ? order by comments.id",
    "select number, labels.name from issue_labels join labels on labels.id = label_id join issues on issues.id = issue_id where issues.repository_id = ?",
    "select number, state, reviewer_id from reviews join issues on issues.id = issue_id where repository_id = ?",
    "select head_branch, head_id, is_merged, head_repository_id is null from pulls where repository_id = ?",
    "select tag_name, title from releases where repository_id = ?",
    "select name, commit_id from branches where repository_id = ? order by name",
    "select last_number from issue_counters where repository_id = ?",
  ]) {
    expect(told(sql, one?.["id"]).length, sql).toBeGreaterThan(0)
    expect(told(sql, two?.["id"]), sql).toEqual(told(sql, one?.["id"]))
  }
  database.close()
  const shown = (storage: unknown) =>
    execFileSync("git", ["-C", join(shell.dataDir, "repositories", `${storage}.git`), "for-each-ref"]).toString()
  expect(shown(two?.["storage"])).toBe(shown(one?.["storage"]))
  expect((await shell.run(`restore ${to} --account acme --as acme-2`, env)).out).toMatch(
    /^acme restored as acme-2, with 1 repositories, as of /,
  )
  expect(await shell.run(again, env)).toMatchObject({ code: 1, said: expect.stringContaining("already exists") })
  expect(await shell.run(`restore ${to} --repository acme/none`, env)).toMatchObject({
    code: 1,
    said: expect.stringContaining("There is no repository acme/none"),
  })
})

it("says what is wrong with a passphrase, and with a place without backups", async () => {
  const other = { HEARTH_BACKUP_PASSPHRASE: "another" }
  expect(await shell.run(`backup list ${to}`, other)).toMatchObject({ code: 1, said: expect.stringContaining("have another passphrase") })
  expect(await shell.run(`backup list ${to}`)).toMatchObject({ code: 1, said: expect.stringContaining("HEARTH_BACKUP_PASSPHRASE") })
  expect(await shell.run("backup list /tmp/hearth-none", env)).toMatchObject({
    code: 1,
    said: expect.stringContaining("There is no backup in"),
  })
  expect(await shell.run("backup", env)).toMatchObject({ code: 1, said: expect.stringContaining("set backup.to") })
})

it("finds a flipped bit, names it and what it is of, and restores all else", async () => {
  const [large] = (await filesBelow(join(to, "backup/data"))).toSorted((a, b) => b.size - a.size)
  const path = large?.path ?? ""
  await flip(path, 0.5)
  const found = await shell.run(`backup verify ${to}`, env)
  expect(found.code).toBe(1)
  const [pack = "", first = "", second = ""] = found.said.split("\n")
  expect(pack).toMatch(/^data\/[0-9a-f]{2}\/[0-9a-f]{32}: damaged in bytes \d+ to \d+$/)
  expect([first, second].map((line) => line.slice(10))).toEqual(
    Array(2).fill("the file attachments/ab/abcdef01-0000-4000-8000-000000000000 is damaged"),
  )
  const done = await shell.run(`restore ${to}`, restored("damaged"))
  expect(done).toMatchObject({ code: 1, said: expect.stringMatching(/^attachments\/ab\/[-0-9a-f]+: data\/.* is damaged between bytes/) })
  expect(await shell.run("user list", restored("damaged"))).toMatchObject({
    code: 1,
    said: expect.stringContaining("has not come to its end"),
  })
  await shell.run(`restore ${to} --despite-faults`, restored("damaged"))
  expect((await shell.run("user list", restored("damaged"))).out).toContain("ada")
  expect(refs(join(shell.dataDir, "../damaged"))).toBe(refs(shell.dataDir))
  expect(await shell.run(`backup verify ${to} --forget`, env)).toMatchObject({
    code: 1,
    said: expect.stringContaining("Take a backup now"),
  })
  expect(await shell.run(`backup ${to}`, env)).toMatchObject({ code: 0, out: expect.stringMatching(/; [48]\.\d MiB added/) })
  expect(await shell.run(`backup verify ${to}`, env)).toMatchObject({ code: 0, out: expect.stringContaining("All is well.") })
})

it("removes what rules don't keep, and what no backup needs any more", async () => {
  await rm(join(shell.dataDir, "attachments"), { recursive: true })
  const done = await shell.run(`backup ${to} --keep last=1`, env)
  expect(done.out).toMatch(/\n3 older backups removed, \d+\.\d MiB freed\./)
  expect(JSON.parse((await shell.run(`backup list ${to} --json`, env)).out)).toHaveLength(1)
  expect(await shell.run(`backup verify ${to}`, env)).toMatchObject({ code: 0, out: expect.stringContaining("All is well.") })
  expect(await shell.run(`restore ${to}`, restored("pruned"))).toMatchObject({ code: 0 })
  expect(refs(join(shell.dataDir, "../pruned"))).toBe(refs(shell.dataDir))
})

async function flip(path: string, where: number): Promise<void> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length * where)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

async function filesBelow(folder: string) {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })))
}
