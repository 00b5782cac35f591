import ssh2 from "ssh2"
import { type Config, isSharedByServers, sshHostKeyFile } from "../../core/config.ts"
import { FileExposed, makePrivateFile, readPrivateFile } from "../../core/private-file.ts"
import { KeyRefused, SealBroken } from "../../core/secrets.ts"
import type { Services } from "../../core/services.ts"
import { findValue, putFirstValue } from "../../core/values/store.ts"
import { fingerprintOf } from "../../features/people/keys/ssh/public-key.ts"

/** The key that identifies this server: clients remember it, and warn when it changes. */
export interface HostKey {
  /** In the format of OpenSSH. */
  readonly privateKey: string
  readonly fingerprint: string
}

/** A new key. One in 256 that ssh2 writes lacks the first byte of its public half, a zero, and can't be read again by anyone. */
export function generateHostKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync("ed25519", { comment: "hearth" })
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key
  }
}

/** The name of the row of the key, and what it is sealed for. */
const NAME = "ssh host key"

type Sealing = Pick<Services, "database" | "secrets"> & { readonly config: Pick<Config, "dataDir" | "databaseUrl" | "storage"> }

/**
 * The host's key, made at the first start. Where all servers are one host, it is sealed in a row: the first to start gives the key of its data folder, where it has one. Throws
 * {@link KeyRefused} where it can't be created, read, unsealed or parsed, or where others can read its file.
 */
export async function openHostKey(services: Sealing, isShared = isSharedByServers(services.config)): Promise<HostKey> {
  const row = (await readRow(services)) ?? (isShared ? await makeRow(services) : undefined)
  if (row !== undefined) return parseHostKey(row, "in the database")
  return openFileKey(sshHostKeyFile(services.config.dataDir))
}

/** The key in a file, which is made where it is missing. Throws {@link KeyRefused}. */
export const openFileKey = async (file: string): Promise<HostKey> => parseHostKey((await readFile(file)) ?? (await makeFile(file)), file)

/** The key in the database, where there is one. Throws {@link KeyRefused}. */
export async function readRow({ database, secrets }: Pick<Services, "database" | "secrets">): Promise<string | undefined> {
  const row = await findValue.first(database.read, { name: NAME })
  if (!row) return undefined
  try {
    return secrets.unseal(row.value, NAME)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new KeyRefused(
      `The SSH host key in the database can't be read: it was sealed with another key than the one in use. Bring back security.secretKey (or secret.key); without it, run "delete from site_values where name = '${NAME}'", and clients will be warned of another key.`,
      error,
    )
  }
}

async function makeRow(services: Sealing): Promise<string | undefined> {
  const { config, database, secrets } = services
  const file = sshHostKeyFile(config.dataDir)
  const own = await readFile(file)
  if (own !== undefined) parseHostKey(own, file)
  const value = secrets.seal(own ?? generateHostKey(), NAME)
  await database.write((tx) => putFirstValue(tx, { name: NAME, value }))
  return readRow(services)
}

async function readFile(file: string): Promise<string | undefined> {
  try {
    return await readPrivateFile(file)
  } catch (error) {
    throw unusable(file, error)
  }
}

async function makeFile(file: string): Promise<string> {
  try {
    await makePrivateFile(file, generateHostKey())
    return (await readPrivateFile(file)) ?? ""
  } catch (error) {
    throw unusable(file, error)
  }
}

const unusable = (file: string, error: unknown): KeyRefused =>
  error instanceof FileExposed
    ? new KeyRefused(error.message, error)
    : new KeyRefused(`The SSH host key ${file} can't be read or made. Let the user that Hearth runs as do so.`, error)

function parseHostKey(privateKey: string, where: string): HostKey {
  const parsed = ssh2.utils.parseKey(privateKey)
  if (parsed instanceof Error || !parsed.isPrivateKey())
    throw new KeyRefused(
      `The SSH host key ${where} is damaged. Bring it back from a backup; without it, remove it, and clients will be warned of another key.`,
    )
  return { privateKey, fingerprint: fingerprintOf(parsed.getPublicSSH()) }
}
