import { execFileSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openShell, type Shell } from "./testing.ts"

let shell: Shell
let folder: string
const git = (...args: readonly string[]) => execFileSync("git", args, { stdio: "pipe" })
beforeAll(async () => {
  shell = await openShell()
  folder = join(shell.dataDir, "../there")
  await mkdir(folder)
  await shell.run("user add ann --email ann@example.com")
})
afterAll(() => shell.close())

test("takes the bare repositories of a folder, once, and names the one that is none", async () => {
  const from = join(folder, "git")
  git("init", "-q", "--bare", join(from, "rocket.git"))
  await mkdir(join(from, "broken.git"))
  expect(await shell.run(`import ${from} --owner ann`)).toMatchObject({
    code: 1,
    out: "1 repositories are ann's now.",
    said: expect.stringContaining("broken was not taken: "),
  })
  expect((await shell.run(`import ${from} --owner ann`)).out).toBe("0 repositories are ann's now; 1 were there already.")
})

test("puts the addresses of a list into the queue", async () => {
  const list = join(folder, "list.txt")
  await writeFile(list, "# ours\nhttps://git.example.com/one.git\nhttps://git.example.com/two.git zwei\n")
  expect(await shell.run(`import ${list} --owner ann`)).toMatchObject({ code: 0, out: expect.stringMatching(/^2 imports wait\./) })
  await writeFile(list, "file:///etc\n")
  expect(await shell.run(`import ${list} --owner ann`)).toMatchObject({ code: 1, said: expect.stringContaining("From entry 1 on") })
})

test("brings an archive under the name of its file, once, and refuses what is none", async () => {
  const export_ = join(folder, "export")
  await mkdir(join(export_, "tree/project"), { recursive: true })
  await writeFile(join(export_, "tree/project.json"), JSON.stringify({ description: "goes up", visibility_level: 0 }))
  await writeFile(
    join(export_, "tree/project/issues.ndjson"),
    `${JSON.stringify({ id: 70, iid: 7, title: "Too slow", state: "opened", created_at: "2024-03-01T10:00:00Z" })}\n`,
  )
  const file = join(folder, "shuttle.tar.gz")
  execFileSync("tar", ["-czf", file, "-C", export_, "."])
  const done = await shell.run(`import ${file} --owner ann`)
  expect(done).toMatchObject({ code: 0, said: "" })
  expect(done.out).toMatch(/issues +1 +0/)
  expect(await shell.run(`import ${file} --owner ann`)).toMatchObject({ code: 1, said: expect.stringContaining("already exists") })
  await writeFile(join(folder, "none.tar.gz"), "no archive")
  expect(await shell.run(`import ${join(folder, "none.tar.gz")} --owner ann`)).toMatchObject({
    code: 1,
    said: expect.stringContaining("can't be brought"),
  })
})

test("says what to do where nothing can be taken", async () => {
  expect((await shell.run(`import ${join(folder, "nothing")} --owner ann`)).said).toContain("Name a folder")
  expect((await shell.run(`import ${folder} --owner nobody`)).said).toContain("hearth user list")
})
