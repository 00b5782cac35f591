import { execFile, execFileSync } from "node:child_process"
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { generateKey, readPrivateKey, reformatKey } from "openpgp"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openServices, startHearth } from "../app.ts"
import { setSiteKey } from "../features/code/signatures/keys.ts"
import { readSigningKey } from "../features/code/signatures/signing-key.ts"
import { openShell, type Shell } from "./testing.ts"

const execute = promisify(execFile)
let shell: Shell
let folder: string
beforeEach(async () => {
  shell = await openShell()
  folder = await mkdtemp(join(tmpdir(), "hearth-keys-"))
})
afterEach(async () => {
  await shell.close()
  await rm(folder, { recursive: true, force: true })
})

const SSH = { HEARTH_SIGNING_KEY: "ssh" }
const start = async (env: Readonly<Record<string, string>> = SSH) => {
  const hearth = await startHearth({
    env: { HEARTH_DATA_DIR: shell.dataDir, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0", HEARTH_LOG_LEVEL: "silent", ...env },
  })
  await hearth.close()
}
const keys = async (): Promise<readonly { id: string; kind: string; current: boolean }[]> =>
  JSON.parse((await shell.run("signing-key list --json")).out)

test("the first start makes a key, which is sealed, and renewing replaces it", async () => {
  await start({})
  expect(await keys()).toEqual([])
  expect(await shell.run("signing-key renew")).toMatchObject({ code: 1, said: expect.stringContaining("HEARTH_SIGNING_KEY") })
  await start()
  const [first] = await keys()
  expect(first).toMatchObject({ id: expect.stringMatching(/^SHA256:/), kind: "ssh", current: true })
  await start()
  expect(await keys()).toEqual([first])
  const { code, out } = await shell.run("signing-key renew", SSH)
  const [second] = await keys()
  expect([code, out]).toEqual([0, `Commits are signed with ${second?.id} from now on.`])
  expect((await keys()).map(({ current }) => current)).toEqual([true, false])
  expect((await shell.run("signing-key list")).out).toMatch(/^KEY +KIND +CURRENT +MADE\nSHA256:.* ssh +yes /)
  expect(await shell.run(`signing-key forget ${second?.id}`)).toMatchObject({ code: 1, said: expect.stringContaining("no former key") })
  expect((await shell.run(`signing-key forget ${first?.id}`)).code).toBe(0)
  expect(await keys()).toEqual([second])
  const database = await readFile(join(shell.dataDir, "hearth.db"), "latin1")
  expect(database).not.toContain("PRIVATE KEY")
})

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content, { mode: 0o600 })
  return join(folder, name)
}

const keygen = async (...args: readonly string[]) => {
  const path = join(folder, `key${Math.random()}`)
  await execute("ssh-keygen", ["-q", "-f", path, ...args])
  return path
}

test("keys of OpenSSH, PEM and OpenPGP are imported", async () => {
  await start({})
  const openssh = await keygen("-t", "ed25519", "-N", "")
  const { stdout } = await execute("ssh-keygen", ["-lf", openssh])
  expect((await shell.run(`signing-key import ${openssh}`, SSH)).out).toContain(`${stdout.split(" ")[1]} is the site's ssh key now.`)
  const pem = await file("pem", execFileSync("openssl", ["genpkey", "-algorithm", "ed25519"]).toString())
  expect((await shell.run(`signing-key import ${pem}`, SSH)).code).toBe(0)
  const pgp = await generateKey({ type: "ecc", curve: "ed25519Legacy", userIDs: [{ name: "Forge", email: "forge@example.com" }] })
  const imported = await shell.run(`signing-key import ${await file("pgp", pgp.privateKey)}`, SSH)
  expect([imported.code, imported.said]).toEqual([0, expect.stringContaining("once signing.key is openpgp; now it is ssh")])
  expect((await keys()).map(({ kind, current }) => `${kind} ${current}`).sort()).toEqual(["openpgp true", "ssh false", "ssh true"])
  // One that was used before is used again.
  expect((await shell.run(`signing-key import ${openssh}`, SSH)).code).toBe(0)
  expect((await keys()).length).toBe(3)
  await start()
})

test("what can't sign is refused by what is wrong with it, and changes nothing", async () => {
  await start()
  const before = await keys()
  const exposed = await keygen("-t", "ed25519", "-N", "")
  await chmod(exposed, 0o644)
  const pgp = (passphrase?: string) =>
    generateKey({ type: "ecc", curve: "ed25519Legacy", userIDs: [{ name: "Forge" }], ...(passphrase && { passphrase }) })
  const whole = await readFile(await keygen("-t", "ed25519", "-N", ""), "utf8")
  for (const [path, words] of [
    [await keygen("-t", "rsa", "-N", ""), "another kind"],
    [await keygen("-t", "ed25519", "-N", "secret"), "passphrase"],
    [exposed, "chmod 600"],
    [await file("cut", whole.replace(/\n.{30}/, "\n")), "damaged"],
    [await file("text", "hello"), "no private key"],
    [join(folder, "missing"), "There is no file"],
    [folder, "can't be read"],
    [await file("locked", (await pgp("secret")).privateKey), "passphrase"],
    [await file("public", (await pgp()).publicKey), "no private key"],
    [await file("half", (await pgp()).privateKey.slice(0, 200)), "can't be used"],
  ] as const) {
    const { code, said } = await shell.run(`signing-key import ${path}`, SSH)
    expect([code, said], path).toEqual([1, expect.stringContaining(words)])
    expect(said).not.toContain("BEGIN")
  }
  expect(await keys()).toEqual(before)
})

test("a lost site key is named by the doctor and by the start, and renewing mends it", async () => {
  await start()
  expect((await shell.run("doctor --no-fsck", SSH)).out).toContain("signing key: ssh SHA256:")
  await writeFile(join(shell.dataDir, "secret.key"), `${Buffer.alloc(32, 7).toString("base64url")}\n`, { mode: 0o600 })
  const { code, out } = await shell.run("doctor --no-fsck", SSH)
  expect([code, out]).toEqual([1, expect.stringMatching(/FAIL {2}The site's signing key SHA256:\S+ can't be read/)])
  await expect(start()).rejects.toThrow(/signing key .* can't be read.*hearth signing-key renew/)
  await start({})
  expect((await shell.run("signing-key renew", SSH)).code).toBe(0)
  expect((await shell.run("doctor --no-fsck", SSH)).code).toBe(0)
  await start()
})

test("an imported OpenPGP key that has expired since is named likewise", async () => {
  await start({})
  const date = new Date(Date.now() - 86_400_000)
  const made = await generateKey({ type: "ecc", curve: "ed25519Legacy", userIDs: [{ name: "Forge" }], date, format: "armored" })
  const { privateKey } = await reformatKey({
    privateKey: await readPrivateKey({ armoredKey: made.privateKey }),
    userIDs: [{ name: "Forge" }],
    date,
    keyExpirationTime: 3_600,
    format: "armored",
  })
  expect(await shell.run(`signing-key import ${await file("old", privateKey)}`)).toMatchObject({
    code: 1,
    said: expect.stringContaining("it can't sign"),
  })
  const opened = await openServices({ env: { HEARTH_DATA_DIR: shell.dataDir, HEARTH_LOG_LEVEL: "silent" } })
  // As if it had been imported while it was valid.
  await setSiteKey(opened.services, { ...(await readSigningKey(made.privateKey)), secret: privateKey })
  await opened.close()
  const PGP = { HEARTH_SIGNING_KEY: "openpgp" }
  expect((await shell.run("doctor --no-fsck", PGP)).out).toMatch(/FAIL {2}The site's signing key \w+ can't sign: .*expired/)
  await expect(start(PGP)).rejects.toThrow(/can't sign.*hearth signing-key renew/)
})
