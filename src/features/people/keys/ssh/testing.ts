import { execFile } from "node:child_process"
import { generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { wireBytes } from "./wire.ts"

/** For tests: keys made by OpenSSH, and keys of security tokens. */

const run = promisify(execFile)

export interface KeyFile {
  /** The path of the private key. */
  readonly file: string
  /** The line of the public key. */
  readonly line: string
  readonly fingerprint: string
}

export interface KeyFolder {
  readonly folder: string
  /** Makes a key by `ssh-keygen`: `make("ed25519")`, `make("rsa", "-b", "2048")`. */
  readonly make: (type: string, ...options: readonly string[]) => Promise<KeyFile>
  readonly keygen: (...args: readonly string[]) => Promise<string>
  readonly close: () => Promise<void>
}

/** A folder with keys in it. Needs OpenSSH on the machine. */
export async function openKeyFolder(): Promise<KeyFolder> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-keys-"))
  let count = 0
  const keygen = async (...args: readonly string[]): Promise<string> => (await run("ssh-keygen", args, { cwd: folder })).stdout
  return {
    folder,
    keygen,
    async make(type, ...options) {
      const file = join(folder, `key-${++count}`)
      await keygen("-q", "-t", type, ...options, "-N", "", "-C", `key ${count}`, "-f", file)
      const line = (await readFile(`${file}.pub`, "utf8")).trim()
      const fingerprint = /SHA256:\S+/.exec(await keygen("-l", "-f", `${file}.pub`))?.[0] ?? ""
      return { file, line, fingerprint }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A security token in software: it reports user presence, unless asked not to. */
export interface Token {
  readonly blob: Buffer
  /** The algorithm's name, and the signature with the fields that the token adds. */
  readonly sign: (data: Buffer, options?: { readonly touched?: boolean; readonly application?: string }) => Buffer
}

export function makeToken(): Token {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const type = "sk-ssh-ed25519@openssh.com"
  const blob = Buffer.concat([type, pointOf(publicKey), "ssh:"].map(wireBytes))
  const digest = (data: Buffer | string) => hash("sha256", data, "buffer")
  return {
    blob,
    sign: (data, { touched = true, application = "ssh:" } = {}) => {
      const seen = Buffer.from([touched ? 1 : 0, 0, 0, 0, 7])
      const signature = sign(null, Buffer.concat([digest(application), seen, digest(data)]), privateKey)
      return Buffer.concat([wireBytes(type), wireBytes(signature), seen])
    },
  }
}

const pointOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url")
