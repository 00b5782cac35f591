// Long tick: a move is the work of a command of its own, which keeps no callers waiting.
import { execFileSync } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freshUrl } from "../../tests/support/database.ts"
import { lockForServer } from "../core/database/server-lock.ts"
import { openShell, type Shell } from "./testing.ts"

let shell: Shell
beforeAll(async () => {
  shell = await openShell()
  await mkdir(shell.dataDir, { mode: 0o700 })
  execFileSync("tar", ["xzf", join(import.meta.dirname, "../../tests/stored/0.1.0.tar.gz"), "-C", shell.dataDir])
})
afterAll(() => shell.close())

it("moves a database from SQLite to PostgreSQL and back, and says when that was done before", async () => {
  const postgres = await freshUrl("postgres", { empty: true })
  try {
    const there = await shell.run("database move", { HEARTH_MOVE_TO: postgres.url })
    expect(there.out).toMatch(/^\d+ rows in \d+ tables are the same in both databases\.\nSet HEARTH_DATABASE_URL/)
    expect((await shell.run(`database move --to ${postgres.url}`)).out).toContain("as they were before")
    const env = { HEARTH_DATABASE_URL: postgres.url }
    expect((await shell.run("user list", env)).out).toContain("ada")
    expect((await shell.run(`database move --to sqlite:${shell.dataDir}/back.db`, env)).code).toBe(0)
    await shell.run("user add eve --email eve@example.org", { HEARTH_DATABASE_URL: `sqlite:${shell.dataDir}/back.db` })
    const other = await shell.run(`database move --to sqlite:${shell.dataDir}/back.db`, env)
    expect(other).toMatchObject({ code: 1, said: expect.stringContaining("has other rows: ") })
  } finally {
    await postgres.drop()
  }
})

it("refuses while a server runs, and what is no database", async () => {
  const unlock = lockForServer(`sqlite:${join(shell.dataDir, "hearth.db")}`)
  expect(await shell.run("database move --to sqlite:/tmp/other.db")).toMatchObject({
    code: 1,
    said: expect.stringContaining("Another server works on"),
  })
  unlock?.()
  expect(await shell.run("database move --to other.db")).toMatchObject({ code: 1, said: expect.stringContaining("Give --to sqlite:/path") })
})
