import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type OpenServices, openServices } from "../app.ts"
import { insertStored } from "../core/repositories/store.ts"
import { openSecrets } from "../core/secrets.ts"
import { putFirstValue } from "../core/values/store.ts"
import { putPlaceOfRepositories } from "../features/code/lifecycle/place.ts"
import { type Repository, refName } from "../git/index.ts"
import { openShell, type Shell } from "./testing.ts"

let prepared: Shell
let shell: Shell
let opened: OpenServices | undefined
beforeAll(async () => {
  prepared = await openShell()
  await prepare()
})
afterAll(() => prepared.close())
beforeEach(async () => {
  shell = await openShell()
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  await shell.close()
})

const quiet = { HEARTH_LOG_LEVEL: "silent" }
const HOURS_AGO = new Date(Date.now() - 7_200_000)

const open = ({ dataDir }: Shell) => openServices({ env: { HEARTH_DATA_DIR: dataDir, ...quiet } })

/** An installation with one owner, "ada", and one repository of one commit, "ada/first". */
async function prepare(): Promise<void> {
  const { services, close } = await open(prepared)
  const { git, database } = services
  const repository = await git.repositories.create("ab/first", { format: "sha1", branch: "main" })
  const person = { name: "Ada", email: "ada@example.org", when: 1_700_000_000, offset: 0 }
  const blob = await git.objects.writeBlob(repository, "hello\n")
  const tree = await git.objects.writeTree(repository, [{ mode: "100644", name: "README", id: blob }])
  const commit = await git.objects.writeCommit(repository, { tree, parents: [], author: person, committer: person, message: "First\n" })
  writeFileSync(join(repository.directory, "refs/heads/main"), `${commit}\n`)
  await database.write(async (tx) => {
    await sql`insert into users (id, kind, name, lower_name) values (1, 'person', 'ada', 'ada')`.execute(tx)
    await sql`insert into repositories (owner_id, name, lower_name, storage) values (1, 'first', 'first', 'ab/first')`.execute(tx)
  })
  await close()
}

/** A copy of that installation, and its repository; the services stay open, as beside a server. */
async function installed(): Promise<Repository> {
  await cp(prepared.dataDir, shell.dataDir, { recursive: true })
  opened = await open(shell)
  return opened.services.git.at("ab/first", "sha1")
}

describe("hearth doctor", () => {
  test("finds nothing wrong where nothing was started yet, and makes nothing", async () => {
    const { code, out } = await shell.run("doctor")
    expect(out).toContain("not there yet, the first start makes it")
    expect(out).toContain("All is well.")
    expect([code, existsSync(shell.dataDir)]).toEqual([0, false])
  })

  test("finds nothing wrong with a good installation", async () => {
    await installed()
    const { code, out } = await shell.run("doctor")
    expect(out).toMatch(/^ok +git 2\.\d+/m)
    expect(out).toContain("up to date")
    expect(out).toContain("repositories: 1, each with its folder")
    expect(out).toContain("objects: all there in 1 repositories")
    expect(out).not.toMatch(/^(FAIL|warn)/m)
    expect(code).toBe(0)
  })

  test("knows wikis: one without its folder, and a folder without its row", async () => {
    await installed()
    if (!opened) throw new TypeError("it is open")
    const { git, database } = opened.services
    const wiki = await git.repositories.create("ab/first-wiki", { format: "sha1", branch: "main" })
    utimesSync(wiki.directory, HOURS_AGO, HOURS_AGO)
    expect((await shell.run("doctor")).out).toContain(`The folder ${wiki.directory} belongs to no repository.`)
    await database.write((tx) => sql`insert into wikis (repository_id, created_at) select id, 1 from repositories`.execute(tx))
    const good = await shell.run("doctor")
    expect(good.out).toContain("repositories: 2, each with its folder")
    expect(good.out).toContain("objects: all there in 2 repositories")
    expect(good.code).toBe(0)
    await git.repositories.remove(wiki)
    const { code, out } = await shell.run("doctor")
    expect(out).toContain("The repository ada/first.wiki has no folder (ab/first-wiki.git).")
    expect(code).toBe(1)
  })

  test("finds a git program that can't be used", async () => {
    const { code, out } = await shell.run("doctor", { HEARTH_GIT_PATH: "/nonexistent/git" })
    expect(out).toMatch(/FAIL {2}The git program "\/nonexistent\/git" can't be used.*\n {6}Install git 2\.39 or newer/)
    expect(code).toBe(1)
  })

  test("finds a database that isn't one, and one that doesn't answer", async () => {
    mkdirSync(shell.dataDir)
    writeFileSync(join(shell.dataDir, "hearth.db"), "not a database at all".repeat(100))
    expect(await shell.run("doctor")).toMatchObject({ code: 1, out: expect.stringMatching(/^FAIL .*hearth\.db/m) })
    const gone = await shell.run("doctor", { HEARTH_DATABASE_URL: "postgres://hearth:hunter2@127.0.0.1:1/hearth" })
    expect(gone).toMatchObject({ code: 1, out: expect.stringMatching(/^FAIL .+\n {6}\S/m) })
    expect(gone.out).not.toContain("hunter2")
  })

  test("finds a key that others can read, and takes that from them", async () => {
    await installed()
    const key = join(shell.dataDir, "secret.key")
    chmodSync(key, 0o644)
    expect(await shell.run("doctor --no-fsck")).toMatchObject({ code: 1, out: expect.stringContaining(`chmod 600 ${key}`) })
    expect(await shell.run("doctor --no-fsck --repair")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Repaired: only its owner can read it now."),
    })
    expect(statSync(key).mode & 0o777).toBe(0o600)
    expect((await shell.run("doctor --no-fsck")).out).toContain("All is well.")
  })

  test("finds a damaged and a missing key", async () => {
    await installed()
    const key = join(shell.dataDir, "secret.key")
    writeFileSync(key, "short")
    expect(await shell.run("doctor --no-fsck --repair")).toMatchObject({
      code: 1,
      out: expect.stringContaining("is damaged: it must be 32 bytes"),
    })
    rmSync(key)
    expect(await shell.run("doctor --no-fsck --repair")).toMatchObject({
      code: 1,
      out: expect.stringContaining("is missing, but there is a database"),
    })
  })

  test("finds a folder without a repository and moves it aside, but leaves one that is being made", async () => {
    await installed()
    const stray = await opened?.services.git.repositories.create("cd/stray", { format: "sha1", branch: "main" })
    expect((await shell.run("doctor --no-fsck")).out).not.toContain("stray")
    utimesSync(stray?.directory ?? "", HOURS_AGO, HOURS_AGO)
    expect(await shell.run("doctor --no-fsck")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^warn .*stray\.git belongs to no repository/m),
    })
    expect((await shell.run("doctor --no-fsck --repair")).out).toContain(`moved to ${join(shell.dataDir, "lost+found/cd-stray.git")}`)
    expect(readdirSync(join(shell.dataDir, "lost+found/cd-stray.git"))).toContain("HEAD")
    expect((await shell.run("doctor --no-fsck")).out).toContain("All is well.")
  })

  test("finds a repository without a folder, which it can't repair", async () => {
    const { directory } = await installed()
    rmSync(directory, { recursive: true })
    const { code, out } = await shell.run("doctor --repair")
    expect(out).toMatch(/^FAIL {2}The repository ada\/first has no folder \(ab\/first\.git\)\.\n {6}Bring the folder back from a backup/m)
    expect(code).toBe(1)
  })

  test("finds an object that is missing", async () => {
    const { directory } = await installed()
    const objects = join(directory, "objects")
    for (const name of readdirSync(objects)) if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true })
    const { code, out } = await shell.run("doctor")
    expect(out).toMatch(/^FAIL {2}The repository ada\/first .*is damaged:\n {8}.*refs\/heads\/main/m)
    expect(code).toBe(1)
    expect((await shell.run("doctor --no-fsck")).code).toBe(0)
  })

  test("finds a lock that was left behind, and removes it; a young one stays", async () => {
    const { directory } = await installed()
    const old = join(directory, "refs/heads/main.lock")
    const young = join(directory, "HEAD.lock")
    for (const path of [old, young]) writeFileSync(path, "")
    utimesSync(old, HOURS_AGO, HOURS_AGO)
    const { out } = await shell.run("doctor --no-fsck --repair")
    expect(out).toContain(`The lock ${old} was left behind.`)
    expect(out).not.toContain(young)
    expect([existsSync(old), existsSync(young)]).toEqual([false, true])
  })

  test("tells of jobs that were given up", async () => {
    await installed()
    await opened?.services.database.write((tx) =>
      tx
        .insertInto("jobs")
        .values({
          kind: "webhook",
          payload: "{}",
          state: "failed",
          attempts: 8,
          run_at: 1,
          held_until: 0,
          last_error: "gone",
          created_at: 1,
          finished_at: 2,
        })
        .execute(),
    )
    expect((await shell.run("doctor --no-fsck")).out).toMatch(/^warn {2}Background jobs failed for good: 1 × webhook\.$/m)
  })

  test.each([
    [{ HEARTH_HTTP_HOST: "0.0.0.0" }, "Set HEARTH_ROOT_URL to the address that people use."],
    [{ HEARTH_ROOT_URL: "http://git.example.org" }, "carries passwords in the clear"],
  ])("looks at the address: %j", async (env, words) => {
    expect(await shell.run("doctor", env)).toMatchObject({ code: 0, out: expect.stringContaining(words) })
  })

  test("is content with https, and with this machine alone", async () => {
    expect((await shell.run("doctor", { HEARTH_ROOT_URL: "https://git.example.org" })).out).toContain("All is well.")
  })
})

describe("hearth doctor, where all servers share repositories", () => {
  /** The same with its repository among the stored ones. */
  async function stored() {
    opened = await openServices({ env: { HEARTH_DATA_DIR: shell.dataDir, ...quiet }, shared: true })
    const { git, database, blobs } = opened.services
    const repository = await git.repositories.create("ab/first", { format: "sha1", branch: "main" })
    const person = { name: "Ada", email: "ada@example.org", when: 1_700_000_000, offset: 0 }
    const batch = git.objects.batch(repository)
    const blob = batch.blob(randomBytes(400_000))
    const tree = batch.tree([{ mode: "100644", name: "noise", id: blob }])
    const commit = batch.commit({ tree, parents: [], author: person, committer: person, message: "First\n" })
    await batch.store()
    await git.references.update(repository, [{ name: refName("refs/heads/main"), to: commit }])
    await database.write(async (tx) => {
      await sql`insert into users (id, kind, name, lower_name) values (1, 'person', 'ada', 'ada')`.execute(tx)
      await sql`insert into repositories (owner_id, name, lower_name, storage) values (1, 'first', 'first', 'ab/first')`.execute(tx)
    })
    await putPlaceOfRepositories(database, "store")
    const keys: string[] = []
    for await (const { key } of blobs.list("packs")) keys.push(key)
    return { database, blobs, keys }
  }
  const run = async (args: string) => (await shell.run(`doctor ${args}`)).out.split("\n")

  test("examines what is stored, and no folders", async () => {
    const { database } = await stored()
    const out = await run("")
    expect(out).toContain("ok    repositories: 1, each stored")
    expect(out).toContain("ok    packs: the files of all 1 are in the object store")
    expect(out).toContain("ok    objects: all there in 1 repositories")
    expect(out).toContainEqual(expect.stringMatching(/^ok {4}cache of repositories: .*cache\/repositories, up to \d+\.\d GiB$/))
    // The settings of this test say nothing of a store.
    expect(out).toContain("FAIL  1 repository is in the object store, and not in the data folder.")

    await database.write(async (tx) => {
      await sql`insert into repositories (owner_id, name, lower_name, storage) values (1, 'lost', 'lost', 'ab/lost')`.execute(tx)
      for (const [key, at] of [
        ["ab/orphan", 1],
        ["ab/young", Math.floor(Date.now() / 1000)],
      ] as const)
        await insertStored.first(tx, { key, format: "sha1", head: "refs/heads/main", size: 0, packsCount: 0, now: at })
    })
    const worse = await run("--no-fsck --repair")
    expect(worse).toContain("FAIL  The repository ada/lost is not among the stored ones (ab/lost).")
    expect(worse).toContain("warn  The stored repository ab/orphan belongs to no repository.")
    expect(worse.join("\n")).toContain("Repaired: removed.")
    expect(worse.join("\n")).not.toContain("ab/young")
    expect((await run("--no-fsck")).join("\n")).not.toContain("ab/orphan")
  })

  test("finds files of packs that are missing or cut, and damaged objects", async () => {
    const { blobs, keys } = await stored()
    const [pack = "", idx = ""] = [".pack", ".idx"].map((ending) => keys.find((key) => key.endsWith(ending)) ?? "")
    const path = join(shell.dataDir, pack)
    const whole = await readFile(path)
    await blobs.remove(idx)
    expect((await run("--no-fsck")).join("\n")).toMatch(/FAIL {2}The pack [0-9a-f]{40} of ada\/first lacks its files \.idx\./)
    await writeFile(path, whole.subarray(0, -10))
    expect((await run("--no-fsck")).join("\n")).toMatch(/lacks its files \.idx\./)
    expect((await run("")).join("\n")).toMatch(/FAIL {2}The repository ada\/first \(ab\/first\) is damaged:/)
  })

  test("finds a host key that was sealed with another key", async () => {
    const { database } = await stored()
    const value = (await openSecrets({ memory: true })).seal("key", "ssh host key")
    await database.write((tx) => putFirstValue(tx, { name: "ssh host key", value }))
    expect((await run("--no-fsck")).join("\n")).toMatch(/^FAIL {2}The SSH host key in the database can't be read: it was sealed/m)
  })
})
