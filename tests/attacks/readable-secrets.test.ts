/**
 * The keys in the data folder were restored from a backup, or put on a volume, with the modes of ordinary files. Every account of the machine could
 * read the key that seals all stored secrets, and the SSH host key, and the server started without a word. Now it refuses to start, says which
 * command takes the access away, and `doctor` finds and repairs it. The same holds for a settings file that has passwords in it.
 */
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startHearth } from "../../src/app.ts"
import { openShell, type Shell } from "../../src/command/testing.ts"
import { freePort } from "../support/ports.ts"

let shell: Shell
beforeEach(async () => {
  shell = await openShell()
})
afterEach(() => shell.close())

const OPEN_MODES = [0o640, 0o604, 0o620, 0o666]

/** Starts a server on the data folder, with SSH, and closes it. */
async function startOnce(): Promise<void> {
  const config = { dataDir: shell.dataDir, http: { port: 0 }, ssh: { port: await freePort() }, log: { level: "silent" } } as const
  const hearth = await startHearth({ env: {}, config })
  await hearth.close()
}

describe.each(["secret.key", "ssh_host_ed25519_key"])("%s", (name) => {
  test("is made for its owner alone, in a folder of its owner alone", async () => {
    await startOnce()
    expect(statSync(join(shell.dataDir, name)).mode & 0o777).toBe(0o600)
    expect(statSync(shell.dataDir).mode & 0o777).toBe(0o700)
  })

  test("is refused at the start while others have access to it", async () => {
    await startOnce()
    const file = join(shell.dataDir, name)
    for (const mode of OPEN_MODES) {
      chmodSync(file, mode)
      await expect(startOnce(), mode.toString(8)).rejects.toMatchObject({
        name: "KeyRefused",
        message: expect.stringContaining(`Take that away with: chmod 600 ${file}`),
      })
    }
    for (const mode of [0o400, 0o600]) {
      chmodSync(file, mode)
      await startOnce()
    }
  })

  test("is named and repaired by doctor", async () => {
    await startOnce()
    const file = join(shell.dataDir, name)
    chmodSync(file, 0o644)
    expect(await shell.run("doctor --no-fsck")).toMatchObject({ code: 1, out: expect.stringContaining(`chmod 600 ${file}`) })
    expect(await shell.run("doctor --no-fsck --repair")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Repaired: only its owner"),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await startOnce()
  })
})

describe("hearth.toml", () => {
  const write = (text: string, mode: number): string => {
    mkdirSync(shell.dataDir, { recursive: true })
    const file = join(shell.dataDir, "hearth.toml")
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }

  test.each([
    '[mail]\npassword = "hunter22"\n',
    'databaseUrl = "postgres://hearth:hunter22@127.0.0.1/hearth"\n',
    `[security]\nsecretKey = "${"ab".repeat(32)}"\n`,
  ])("is refused with a password that others can read: %j", async (text) => {
    const file = write(text, 0o644)
    for (const command of ["config", "doctor"]) {
      const { code, said, out } = await shell.run(command)
      expect([code, said]).toEqual([2, expect.stringMatching(new RegExp(`Take that away with: chmod (600|o-rwx) ${file}`))])
      expect(said + out).not.toContain("hunter22")
    }
    chmodSync(file, 0o600)
    expect((await shell.run("config")).code).toBe(0)
  })

  test("may be read by all while it holds no secret", async () => {
    write('databaseUrl = "postgres://127.0.0.1/hearth"\n[http]\nport = 4001\n', 0o644)
    expect((await shell.run("config")).code).toBe(0)
  })
})
