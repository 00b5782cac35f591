// Long tick: what commands do is the work of processes of their own, which keep no callers waiting.
import { execFileSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openShell, type Shell } from "./testing.ts"

/** The data folder of an earlier version, see tests/stored, and another Hearth. */
let shell: Shell
let file: string
const other = () => ({ HEARTH_DATA_DIR: join(shell.dataDir, "../other") })

beforeAll(async () => {
  shell = await openShell()
  file = join(shell.dataDir, "../acme.tar.gz")
  await mkdir(shell.dataDir, { mode: 0o700 })
  execFileSync("tar", ["xzf", join(import.meta.dirname, "../../tests/stored/0.1.0.tar.gz"), "-C", shell.dataDir])
  await shell.run("user add root --email root@example.org --admin", other())
})
afterAll(() => shell.close())

const SAME = [
  "select name, full_name, kind from users where lower_name = 'acme'",
  "select name, mode, visibility from teams where organization_id = (select id from users where lower_name = 'acme')",
  "select number, title, content, is_closed, comments_count, created_at from issues order by number",
  "select issues.number, kind, comments.content from comments join issues on issues.id = issue_id order by comments.id",
  "select number, labels.name, color from issue_labels join labels on labels.id = label_id join issues on issues.id = issue_id",
  "select number, state, commit_id from reviews join issues on issues.id = issue_id",
  "select head_branch, head_id, is_merged, merge_commit_id from pulls",
  "select tag_name, title, note from releases",
  "select name, commit_id from branches order by name",
]

function told(folder: string, sql: string) {
  const database = new DatabaseSync(join(folder, "hearth.db"), { readOnly: true })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

it("writes an organisation into an archive that tar reads, with schemas, and no secrets", async () => {
  expect(await shell.run(`account export Acme ${file}`)).toMatchObject({ code: 0, out: expect.stringContaining("with 1 repositories") })
  const names = execFileSync("tar", ["tzf", file]).toString().trim().split("\n")
  expect(names).toEqual(expect.arrayContaining(["manifest.json", "schemas/issues.json", "rows/issues.jsonl", "git/1.bundle"]))
  const text = execFileSync("tar", ["xzOf", file]).toString()
  expect(text).not.toContain("$scrypt$")
  expect(text).toContain('"title":"It leaks"')
  expect(await shell.run(`account export acme ${file}`)).toMatchObject({ code: 1, said: expect.stringContaining("is there already") })
})

it("takes it over into another Hearth, equal to what it was, and does nothing twice", async () => {
  const done = await shell.run(`account import ${file}`, other())
  expect(done).toMatchObject({ code: 0, said: "", out: expect.stringMatching(/^1 repositories of acme at .* are acme's now\.$/m) })
  for (const sql of SAME) {
    expect(told(shell.dataDir, sql).length, sql).toBeGreaterThan(0)
    expect(told(join(shell.dataDir, "../other"), sql), sql).toEqual(told(shell.dataDir, sql))
  }
  // Ada has no account there, and is named.
  expect(told(join(shell.dataDir, "../other"), "select distinct original_author from comments where author_id = -1")).toEqual([
    { original_author: "ada" },
  ])
  const refs = (folder: string) => {
    const [row] = told(folder, "select storage from repositories")
    return execFileSync("git", ["-C", join(folder, "repositories", `${row?.["storage"]}.git`), "for-each-ref"]).toString()
  }
  expect(refs(join(shell.dataDir, "../other"))).toBe(refs(shell.dataDir))
  expect(await shell.run(`account import ${file}`, other())).toMatchObject({
    code: 0,
    out: expect.stringContaining("Left as they are, since there are some of these names: rocket."),
  })
  expect((await shell.run("doctor", other())).out).not.toMatch(/^FAIL/m)
})

it("says what is wrong with a file that is no archive, or breaks off", async () => {
  await writeFile(join(shell.dataDir, "../none.tar.gz"), "nothing")
  expect(await shell.run(`account import ${shell.dataDir}/../none.tar.gz`, other())).toMatchObject({
    code: 1,
    said: expect.stringContaining("can't be read"),
  })
  expect(await shell.run("account export nobody /tmp/hearth-none.tar.gz")).toMatchObject({
    code: 1,
    said: expect.stringContaining("There is no account nobody"),
  })
})
