import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { KeyRefused, keyFile, openSecrets, SealBroken } from "./secrets.ts"

const folder = mkdtempSync(join(tmpdir(), "hearth-secrets-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("sealing", () => {
  test("gives the text back, in the same context only", async () => {
    const secrets = await openSecrets({ memory: true })
    for (const text of ["", "hunter2", "Grüße 🔥", "x".repeat(100_000)]) {
      const sealed = secrets.seal(text, "mirror:12")
      expect(secrets.unseal(sealed, "mirror:12")).toBe(text)
      expect(() => secrets.unseal(sealed, "mirror:13")).toThrow(SealBroken)
    }
  })

  test("never gives the same twice, and hides the text", async () => {
    const secrets = await openSecrets({ memory: true })
    const sealed = secrets.seal("hunter2", "a")
    expect(secrets.seal("hunter2", "a")).not.toBe(sealed)
    expect(Buffer.from(sealed.slice(3), "base64url").includes("hunter2")).toBe(false)
  })

  test("notices every changed byte", async () => {
    const secrets = await openSecrets({ memory: true })
    const sealed = secrets.seal("hunter2", "a")
    const body = Buffer.from(sealed.slice(3), "base64url")
    for (let at = 0; at < body.length; at++) {
      const changed = Buffer.from(body)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => secrets.unseal(`v1.${changed.toString("base64url")}`, "a"), `byte ${at}`).toThrow(SealBroken)
    }
  })

  test.each(["", "v1.", "v1.AAAA", "v2.AAAA", "hunter2"])("refuses %j", async (text) => {
    const secrets = await openSecrets({ memory: true })
    expect(() => secrets.unseal(text, "a")).toThrow(SealBroken)
  })

  test("a cut tag doesn't pass", async () => {
    const secrets = await openSecrets({ memory: true })
    expect(() => secrets.unseal(secrets.seal("hunter2", "a").slice(0, -4), "a")).toThrow(SealBroken)
  })

  test("another site can't read it", async () => {
    const [one, other] = await Promise.all([openSecrets({ memory: true }), openSecrets({ memory: true })])
    expect(() => other.unseal(one.seal("hunter2", "a"), "a")).toThrow(SealBroken)
  })
})

test("digests depend on purpose, data and key, and on nothing else", async () => {
  const keyText = "ab".repeat(32)
  const [one, same, other] = await Promise.all([
    openSecrets({ keyText, dataDir: folder }),
    openSecrets({ keyText: Buffer.from(keyText, "hex").toString("base64"), dataDir: folder }),
    openSecrets({ memory: true }),
  ])
  expect(one.mac("sign-in", "x")).toBe(same.mac("sign-in", "x"))
  const digests = [one.mac("sign-in", "x"), one.mac("cookie", "x"), one.mac("sign-in", "y"), other.mac("sign-in", "x")]
  expect(new Set(digests).size).toBe(4)
})

describe("the key file", () => {
  test("is made once, for its owner only, and leaves nothing else", async () => {
    const dataDir = join(folder, "new", "data")
    const all = await Promise.all(Array.from({ length: 8 }, () => openSecrets({ dataDir })))
    const sealed = all[0]?.seal("hunter2", "a") ?? ""
    for (const each of all) expect(each.unseal(sealed, "a")).toBe("hunter2")
    expect(readdirSync(dataDir)).toEqual(["secret.key"])
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600)
    const before = readFileSync(keyFile(dataDir), "utf8")
    expect((await openSecrets({ dataDir })).unseal(sealed, "a")).toBe("hunter2")
    expect(readFileSync(keyFile(dataDir), "utf8")).toBe(before)
  })

  test.each(["", "\n", "c2hvcnQ\n", "not a key at all, but long enough to be one", "ab".repeat(31)])(
    "is refused with words when it holds %j",
    async (content) => {
      const dataDir = mkdtempSync(join(folder, "bad-"))
      writeFileSync(keyFile(dataDir), content, { mode: 0o600 })
      await expect(openSecrets({ dataDir })).rejects.toThrow(/secret\.key is damaged: it must be 32 bytes.*Bring it back from a backup/)
      expect(readFileSync(keyFile(dataDir), "utf8")).toBe(content)
    },
  )

  test("is refused with words when it can't be read or made", async () => {
    const dataDir = mkdtempSync(join(folder, "folder-"))
    mkdirSync(keyFile(dataDir))
    await expect(openSecrets({ dataDir })).rejects.toThrow(KeyRefused)
    writeFileSync(join(folder, "file"), "")
    await expect(openSecrets({ dataDir: join(folder, "file") })).rejects.toThrow(KeyRefused)
    // Permissions don't bind root, so that this can only be seen as another user.
    if (process.getuid?.() === 0) return
    const closed = mkdtempSync(join(folder, "closed-"))
    chmodSync(closed, 0o500)
    await expect(openSecrets({ dataDir: closed })).rejects.toThrow("can't be made. Let the user that Hearth runs as write to its folder.")
  })

  test("a key in the configuration goes before it, and a damaged one names the setting", async () => {
    const dataDir = mkdtempSync(join(folder, "unused-"))
    await openSecrets({ keyText: "cd".repeat(32), dataDir })
    expect(readdirSync(dataDir)).toEqual([])
    await expect(openSecrets({ keyText: "short", dataDir })).rejects.toThrow("The key in security.secretKey is damaged")
  })
})
