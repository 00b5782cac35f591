import { generateKeyPairSync, hash } from "node:crypto"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { keyLine, parseKeyText } from "./key-text.ts"
import { fingerprintOf, readKey, UnusableKeyError } from "./public-key.ts"
import { isSignedBy } from "./signature.ts"
import { type KeyFile, type KeyFolder, makeToken, openKeyFolder } from "./testing.ts"
import { wireBytes, wireNumber, wireReader } from "./wire.ts"

let keys: KeyFolder
beforeAll(async () => {
  keys = await openKeyFolder()
})
afterAll(() => keys.close())

const made = new Map<string, Promise<KeyFile>>()
/** A key of this kind, made once: an RSA key takes a second. */
function keyOf(type: string, ...options: readonly string[]): Promise<KeyFile> {
  const kind = [type, ...options].join(" ")
  const key = made.get(kind) ?? keys.make(type, ...options)
  made.set(kind, key)
  return key
}

const ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKUxwFnYDLJrjlcHvcu2dreUmlfLNAT/O/ipyS2HC9Ro"

const refusal = (text: string): string => {
  try {
    parseKeyText(text)
    return "accepted"
  } catch (error) {
    if (error instanceof UnusableKeyError) return error.message
    throw error
  }
}

describe("keys as OpenSSH makes them", () => {
  test.each([
    ["ed25519", []],
    ["ecdsa", ["-b", "256"]],
    ["ecdsa", ["-b", "384"]],
    ["ecdsa", ["-b", "521"]],
    ["rsa", ["-b", "3072"]],
  ])("%s %j is read, in all three forms, with its fingerprint", async (type, options) => {
    const { file, line, fingerprint } = await keyOf(type, ...options)
    const text = parseKeyText(`${line}  \n`)
    expect(keyLine(text)).toBe(line)
    expect(fingerprintOf(text.key.blob)).toBe(fingerprint)
    const block = await keys.keygen("-e", "-m", "RFC4716", "-f", `${file}.pub`)
    expect(keyLine(parseKeyText(block))).toBe(line.split(" ", 2).join(" "))
    const pem = text.key.verifier.export({ format: "pem", type: "spki" }).toString()
    expect(parseKeyText(pem).key.blob.equals(text.key.blob)).toBe(true)
  })

  test("an RSA key is read from PKCS#1 as well", async () => {
    const { file, line } = await keyOf("rsa", "-b", "3072")
    const pem = await keys.keygen("-e", "-m", "PEM", "-f", `${file}.pub`)
    expect(pem).toContain("BEGIN RSA PUBLIC KEY")
    expect(keyLine(parseKeyText(pem))).toBe(line.split(" ", 2).join(" "))
  })

  test("a key that a mail program has broken into lines is put together, a comment is one line", () => {
    expect(keyLine(parseKeyText(`${ED25519.slice(0, 40)}\r\n${ED25519.slice(40)} me@laptop`))).toBe(`${ED25519} me@laptop`)
    expect(keyLine(parseKeyText(`${ED25519}\t me\x1b[31m and my key `))).toBe(`${ED25519} me [31m and my key`)
  })
})

describe("refused in words", () => {
  test.each([
    ["a short RSA key", async () => (await keyOf("rsa", "-b", "2048")).line, /^key length is not enough: got 2048, needs 3071$/],
    [
      "another kind than was said",
      () => ED25519.replace("ssh-ed25519", "ssh-rsa"),
      /^key type and content does not match: ssh-rsa - ssh-ed25519$/,
    ],
    ["no base64", () => "ssh-ed25519 this-is-not-base64!", /not base64/],
    ["a key cut off", () => "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIELI", /ends too early/],
    [
      "a key with something behind it",
      () => `ssh-ed25519 ${Buffer.concat([blobOf(ED25519), Buffer.of(0)]).toString("base64")}`,
      /holds more than it should/,
    ],
    ["options before the key", () => `command="ls" ${ED25519}`, /no options/],
    ["two keys", () => `${ED25519} one\n${ED25519} two`, /one by one/],
    ["a private key", () => "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", /private key/],
    [
      "a certificate",
      () => `ssh-ed25519-cert-v01@openssh.com ${Buffer.from(wireBytes("ssh-ed25519-cert-v01@openssh.com")).toString("base64")}`,
      /type is not allowed/,
    ],
    ["DSA", () => `ssh-dss ${wireBytes("ssh-dss").toString("base64")}`, /^key type is not allowed: ssh-dss$/],
    ["a block cut off", () => "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA", /cut off/],
    ["PEM that is none", () => "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", /can't be read/],
    [
      "another curve",
      () => generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey.export({ format: "pem", type: "spki" }).toString(),
      /type is not allowed/,
    ],
    ["a point off the curve", () => `ecdsa-sha2-nistp256 ${offCurve().toString("base64")}`, /damaged/],
    ["far too long a text", () => `${ED25519} ${"x".repeat(20_000)}`, /longer than/],
    ["a monstrous RSA key", () => `ssh-rsa ${rsa(Buffer.alloc(4096, 0xff)).toString("base64")}`, /at most 16384/],
    ["an RSA key of nothing", () => `ssh-rsa ${rsa(Buffer.alloc(0)).toString("base64")}`, /not enough: got 0/],
    ["nothing", () => "", /no public key/],
  ])("%s", async (_name, make, words) => {
    expect(refusal(await make())).toMatch(words)
  })

  const blobOf = (line: string) => Buffer.from(line.split(" ")[1] ?? "", "base64")
  const rsa = (modulus: Buffer) => Buffer.concat([wireBytes("ssh-rsa"), wireNumber(Buffer.of(1, 0, 1)), wireNumber(modulus)])
  const offCurve = () =>
    Buffer.concat(["ecdsa-sha2-nistp256", "nistp256", Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)])].map(wireBytes))
})

test("any bytes at all are a key or are refused, and nothing else", () => {
  const blob = Buffer.from(ED25519.split(" ")[1] ?? "", "base64")
  for (let at = 0; at < blob.length; at++)
    for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(blob)
      changed[at] = byte
      for (const tried of [changed, changed.subarray(0, at)])
        try {
          readKey(tried)
        } catch (error) {
          expect(error).toBeInstanceOf(UnusableKeyError)
        }
    }
})

describe("signatures", () => {
  const data = Buffer.from("what is signed")

  /** `ssh-keygen -Y sign` signs a wrapped message; this returns the raw signature. */
  async function signed(file: string): Promise<{ readonly signature: Buffer; readonly over: Buffer; readonly blob: Buffer }> {
    const path = join(keys.folder, "data")
    await writeFile(path, data)
    await rm(`${path}.sig`, { force: true })
    await keys.keygen("-Y", "sign", "-q", "-f", file, "-n", "git", path)
    const armored = await readFile(`${path}.sig`, "utf8")
    const reader = wireReader(Buffer.from(armored.replace(/-----.*-----/g, ""), "base64"))
    reader.take(10)
    const [blob, namespace, reserved, algorithm, signature] = [
      reader.bytes(),
      reader.bytes(),
      reader.bytes(),
      reader.bytes(),
      reader.bytes(),
    ]
    const digest = hash(algorithm.toString(), data, "buffer")
    const over = Buffer.concat([Buffer.from("SSHSIG"), ...[namespace, reserved, algorithm, digest].map(wireBytes)])
    return { signature, over, blob }
  }

  test.each([
    ["ed25519", []],
    ["ecdsa", ["-b", "256"]],
    ["ecdsa", ["-b", "384"]],
    ["ecdsa", ["-b", "521"]],
    ["rsa", ["-b", "3072"]],
  ])("of %s %j are right over what was signed, and over nothing else", async (type, options) => {
    const { file } = await keyOf(type, ...options)
    const { signature, over, blob } = await signed(file)
    const reader = wireReader(signature)
    const [algorithm, body] = [reader.text(), reader.bytes()]
    const key = readKey(blob)
    expect(isSignedBy(key, { algorithm, body, numbers: "ssh" }, over)).toBe(true)
    expect(isSignedBy(key, { algorithm, body, numbers: "ssh" }, Buffer.concat([over, Buffer.of(0)]))).toBe(false)
    expect(isSignedBy(key, { algorithm: "ssh-rsa", body, numbers: "ssh" }, over)).toBe(false)
    expect(isSignedBy(key, { algorithm, body: body.subarray(1), numbers: "ssh" }, over)).toBe(false)
    const other = await keys.make(type, ...options)
    expect(isSignedBy(parseKeyText(other.line).key, { algorithm, body, numbers: "ssh" }, over)).toBe(false)
  })

  test("of a security key count when someone touched it, for the application that it is for", () => {
    const token = makeToken()
    const key = readKey(token.blob)
    expect(key.application).toBe("ssh:")
    const check = (made: Buffer, over = data) => {
      const reader = wireReader(made)
      const algorithm = reader.text()
      const body = Buffer.concat([reader.bytes(), reader.take(5)])
      return isSignedBy(key, { algorithm, body, numbers: "ssh" }, over)
    }
    expect(check(token.sign(data))).toBe(true)
    expect(check(token.sign(data), Buffer.from("something else"))).toBe(false)
    expect(check(token.sign(data, { touched: false }))).toBe(false)
    expect(check(token.sign(data, { application: "ssh:other" }))).toBe(false)
    expect(check(makeToken().sign(data))).toBe(false)
  })

  test("a number of too many digits is no signature", () => {
    const pem = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "pem", type: "spki" }).toString()
    const body = Buffer.concat([wireNumber(Buffer.alloc(40, 1)), wireNumber(Buffer.alloc(32, 1))])
    const { key } = parseKeyText(pem)
    expect(isSignedBy(key, { algorithm: "ecdsa-sha2-nistp256", body, numbers: "ssh" }, data)).toBe(false)
  })
})
