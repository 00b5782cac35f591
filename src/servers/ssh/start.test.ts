import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { freshDatabase } from "../../../tests/support/database.ts"
import { freePort } from "../../../tests/support/ports.ts"
import { type HearthOptions, startHearth } from "../../app.ts"
import { loadConfig, sshHostKeyFile } from "../../core/config.ts"
import { KeyRefused, openSecrets } from "../../core/secrets.ts"
import { settings } from "../../core/settings.ts"
import { sshRoot } from "../../features/code/repositories/urls.ts"
import { openFileKey, openHostKey } from "./host-key.ts"
import { SshRefused } from "./refused.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hearth-ssh-start-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const options = (ssh: { readonly port?: number; readonly publicPort?: number; readonly host?: string }): HearthOptions => ({
  env: {},
  config: { dataDir, http: { port: 0 }, log: { level: "silent" }, rootUrl: "https://code.example.com", ssh },
})

test("the host's key is made once, for its owner alone, and kept", async () => {
  const file = sshHostKeyFile(dataDir)
  const [first, second] = await Promise.all([openFileKey(file), openFileKey(file)])
  expect(second.fingerprint).toBe(first.fingerprint)
  expect((await openFileKey(file)).privateKey).toBe(first.privateKey)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, "utf8")).toContain("BEGIN OPENSSH PRIVATE KEY")
})

test("a damaged key is not replaced: clients would be warned of another host", async () => {
  await writeFile(sshHostKeyFile(dataDir), "not a key", { mode: 0o600 })
  await expect(openFileKey(sshHostKeyFile(dataDir))).rejects.toThrow(/is damaged\. Bring it back from a backup/)
  await expect(openFileKey("/dev/null/data/key")).rejects.toThrow(/can't be read or made/)
})

test("servers that are one host have one key: that of the first to start, sealed in the database", async () => {
  const fresh = await freshDatabase("sqlite")
  const { database } = fresh
  const secrets = await openSecrets({ memory: true })
  const { config } = loadConfig({ env: {}, file: false, overrides: { dataDir } })
  const at = (folder: string) => ({ config: { ...config, dataDir: folder }, database, secrets })
  try {
    const before = await openHostKey(at(dataDir), false)
    const [other, another] = [join(dataDir, "other"), join(dataDir, "another")]
    const [first, ...others] = [
      await openHostKey(at(dataDir), true),
      ...(await Promise.all([openHostKey(at(other), true), openHostKey(at(another), true)])),
    ]
    for (const key of [first, ...others]) expect(key).toEqual(before)
    // Also for one that no longer shares.
    expect(await openHostKey(at(other), false)).toEqual(before)
    const rows = await database.read.selectFrom("site_values").select("value").execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.value).not.toContain("PRIVATE")
    const wrong = openHostKey({ ...at(dataDir), secrets: await openSecrets({ memory: true }) }, true)
    await expect(wrong).rejects.toThrow(/can't be read: it was sealed with another key/)
    await expect(wrong).rejects.toBeInstanceOf(KeyRefused)
  } finally {
    await fresh.drop()
  }
})

test("of servers that start at once without a key, all have the one that one has made", async () => {
  const fresh = await freshDatabase("sqlite")
  const secrets = await openSecrets({ memory: true })
  const { config } = loadConfig({ env: {}, file: false, overrides: { dataDir } })
  try {
    const keys = await Promise.all(Array.from({ length: 4 }, () => openHostKey({ config, database: fresh.database, secrets }, true)))
    expect(new Set(keys.map(({ privateKey }) => privateKey)).size).toBe(1)
    await expect(stat(sshHostKeyFile(dataDir))).rejects.toThrow("ENOENT")
  } finally {
    await fresh.drop()
  }
})

test("addresses name the port unless it is the usual one, and the one that people reach", async () => {
  const port = await freePort()
  for (const [ssh, expected] of [
    [{ port }, `ssh://git@code.example.com:${port}/`],
    [{ port, publicPort: 22 }, "git@code.example.com:"],
    [{ port, publicPort: 2022 }, "ssh://git@code.example.com:2022/"],
    [{ port: 0 }, "git@code.example.com:"],
  ] as const) {
    const hearth = await startHearth(options(ssh))
    expect(sshRoot(hearth.services.site)).toBe(expected)
    await hearth.close()
  }
})

test("a configured port that is taken stops the start; the default one only SSH", async () => {
  const other = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => other.once("listening", resolve))
  const address = other.address()
  const port = typeof address === "object" && address ? address.port : 0
  await expect(startHearth(options({ port }))).rejects.toBeInstanceOf(SshRefused)
  await new Promise((resolve) => other.close(resolve))

  const usual = createServer()
  await new Promise((resolve) => usual.once("listening", resolve).once("error", resolve).listen(settings.ssh.port.fallback, "127.0.0.1"))
  const hearth = await startHearth(options({}))
  expect(hearth.services.site.sshPort).toBeUndefined()
  await hearth.close()
  await new Promise((resolve) => usual.close(resolve))
})

test("nothing listens where SSH is switched off", async () => {
  const hearth = await startHearth({ memory: true })
  expect(hearth.services.config.ssh.port).toBe(0)
  expect(hearth.services.site.sshPort).toBeUndefined()
  await hearth.close()
})
