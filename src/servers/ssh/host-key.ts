import { join } from "node:path"
import ssh2 from "ssh2"
import { FileExposed, makePrivateFile, readPrivateFile } from "../../core/private-file.ts"
import { KeyRefused } from "../../core/secrets.ts"
import { fingerprintOf } from "../../features/people/keys/ssh/public-key.ts"

/** The key that identifies this server: clients remember it, and warn when it changes. */
export interface HostKey {
  /** In the format of OpenSSH. */
  readonly privateKey: string
  readonly fingerprint: string
}

/** The file of the key: beside the repositories, so that all processes that serve them are the same host. */
export const hostKeyFile = (dataDir: string): string => join(dataDir, "ssh_host_ed25519_key")

/** A new key. One in 256 that ssh2 writes lacks the first byte of its public half, a zero, and can't be read again by anyone. */
export function generateHostKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync("ed25519", { comment: "hearth" })
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key
  }
}

/** The host's key, generated at the first start. Throws {@link KeyRefused} where it can't be created, read or parsed, or where others can read it. */
export async function openHostKey(dataDir: string): Promise<HostKey> {
  const file = hostKeyFile(dataDir)
  let privateKey: string
  try {
    if ((await readPrivateFile(file)) === undefined) await makePrivateFile(file, generateHostKey())
    privateKey = (await readPrivateFile(file)) ?? ""
  } catch (error) {
    if (error instanceof FileExposed) throw new KeyRefused(error.message, error)
    throw new KeyRefused(`The SSH host key ${file} can't be read or made. Let the user that Hearth runs as do so.`, error)
  }
  const parsed = ssh2.utils.parseKey(privateKey)
  if (parsed instanceof Error || !parsed.isPrivateKey())
    throw new KeyRefused(
      `The SSH host key ${file} is damaged. Bring it back from a backup; without it, remove the file, and clients will be warned of another key.`,
    )
  return { privateKey, fingerprint: fingerprintOf(parsed.getPublicSSH()) }
}
