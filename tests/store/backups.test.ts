/** Backups in an object store, and restores from a folder and SQLite to PostgreSQL and an object store, and back. */
import { execFileSync } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openShell, type Shell } from "../../src/command/testing.ts"
import { type FreshUrl, freshUrl } from "../support/database.ts"
import { openTestStore, type TestStore } from "./support/store.ts"

let store: TestStore
let fresh: FreshUrl
let shell: Shell
type Settings = Readonly<Record<string, string>>
/** The first site, in a folder with SQLite; and the same in PostgreSQL and the store. */
let passphrase: Settings
let shared: Settings
const ATTACHED = "attachments/ab/abcdef01-0000-4000-8000-000000000000"
const REPOSITORY = "repositories/f5/f5a786eca0a9ac7dce16b84a0400f06b.git"

beforeAll(async () => {
  store = await openTestStore()
  fresh = await freshUrl("postgres", { empty: true })
  shell = await openShell()
  await mkdir(join(shell.dataDir, "attachments/ab"), { recursive: true, mode: 0o700 })
  execFileSync("tar", ["xzf", join(import.meta.dirname, "../stored/0.1.0.tar.gz"), "-C", shell.dataDir])
  await writeFile(join(shell.dataDir, ATTACHED), Buffer.alloc(20_000_000, "attached"))
  const { url, accessKey, secretKey } = store.storage
  passphrase = {
    HEARTH_BACKUP_TO: url,
    HEARTH_BACKUP_ACCESS_KEY: accessKey,
    HEARTH_BACKUP_SECRET_KEY: secretKey,
    HEARTH_BACKUP_PASSPHRASE: "secret",
  }
  shared = {
    ...passphrase,
    HEARTH_DATA_DIR: join(shell.dataDir, "../shared"),
    HEARTH_DATABASE_URL: fresh.url,
    HEARTH_STORAGE_URL: url,
    HEARTH_STORAGE_ACCESS_KEY: accessKey,
    HEARTH_STORAGE_SECRET_KEY: secretKey,
    HEARTH_SECURITY_SECRET_KEY: (await readFile(join(shell.dataDir, "secret.key"), "utf8")).trim(),
    HEARTH_ROOT_URL: "http://127.0.0.1:3999",
  }
})
afterAll(async () => {
  await shell.close()
  await store.close()
  await fresh.drop()
})

const refs = (folder: string) => execFileSync("git", ["-C", join(folder, REPOSITORY), "for-each-ref"]).toString()

test("a site in a folder is backed up into a store, and restored into PostgreSQL and the store", async () => {
  expect(await shell.run("backup", passphrase)).toMatchObject({ code: 0, said: "" })
  expect(await shell.run("backup verify", passphrase)).toMatchObject({ code: 0, out: expect.stringContaining("All is well.") })
  expect(await shell.run("restore", { ...shared, HEARTH_SECURITY_SECRET_KEY: "ab".repeat(32) })).toMatchObject({
    code: 1,
    said: expect.stringContaining("security.secretKey is another key"),
  })
  expect(await shell.run("restore", shared)).toMatchObject({ code: 0, said: "" })
  const doctor = await shell.run("doctor", shared)
  expect(doctor.out).not.toMatch(/^FAIL/m)
  expect(doctor.out).toContain("1 repositor")
})

test("what is in PostgreSQL and the store is backed up into a folder, and restored into a folder and SQLite", async () => {
  const to = join(shell.dataDir, "../backups")
  expect(await shell.run(`backup ${to}`, shared)).toMatchObject({ code: 0, said: "" })
  const back = { ...passphrase, HEARTH_DATA_DIR: join(shell.dataDir, "../back") }
  expect(await shell.run(`restore ${to}`, back)).toMatchObject({ code: 0, said: "" })
  expect(refs(back.HEARTH_DATA_DIR)).toBe(refs(shell.dataDir))
  expect((await readFile(join(back.HEARTH_DATA_DIR, ATTACHED))).equals(await readFile(join(shell.dataDir, ATTACHED)))).toBe(true)
  expect((await shell.run("doctor", back)).out).not.toMatch(/^FAIL/m)
})

test("a store that fails is named, with what to do", async () => {
  expect(await shell.run("backup list s3://none?endpoint=http://127.0.0.1:9&path_style=true", passphrase)).toMatchObject({
    code: 1,
    said: expect.stringMatching(/can't be used|fails/),
  })
})
