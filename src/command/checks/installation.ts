import type { Stats } from "node:fs"
import { access, chmod, constants, mkdtemp, rm, stat, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Config, sshHostKeyFile } from "../../core/config.ts"
import type { Database } from "../../core/database/database.ts"
import { exposureOf } from "../../core/private-file.ts"
import { KeyRefused, keyFile, openSecrets } from "../../core/secrets.ts"
import { isGitError, openGit } from "../../git/index.ts"
import { type Finding, failure, ok, warning } from "./finding.ts"

const GIB = 2 ** 30
const KEY_MODE = 0o600

/** The git program: installed, and new enough. */
export async function checkGit({ dataDir, git: { path } }: Config): Promise<Finding> {
  const git = openGit({ root: await nearestFolder(dataDir), program: path })
  try {
    return ok(`git ${await git.version()}`)
  } catch (error) {
    const words = isGitError(error) ? error.message : String(error)
    return failure(`The git program "${path}" can't be used: ${words}.`, "Install git 2.39 or newer, or name it with HEARTH_GIT_PATH.")
  } finally {
    await git.close()
  }
}

/** The data folder: exists, and writable. */
export async function checkDataFolder({ dataDir }: Config): Promise<Finding> {
  if (!(await isFolder(dataDir))) {
    return access(await nearestFolder(dataDir), constants.W_OK).then(
      () => ok(`data folder ${dataDir}: not there yet, the first start makes it`),
      () =>
        failure(`The data folder ${dataDir} is not there and can't be made.`, `Make it, and let the user that Hearth runs as write to it.`),
    )
  }
  try {
    await rm(await mkdtemp(join(dataDir, ".doctor-")), { recursive: true })
    return ok(`data folder ${dataDir}`)
  } catch {
    return failure(`The data folder ${dataDir} can't be written.`, "Let the user that Hearth runs as write to it.")
  }
}

/** Free space on the disk of the data folder. */
export async function checkSpace({ dataDir }: Config): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(await nearestFolder(dataDir))
  const free = bavail * bsize
  const text = `${(free / GIB).toFixed(1)} GiB free of ${((blocks * bsize) / GIB).toFixed(1)} GiB`
  const advice = "Make room before pushes fail: remove what isn't needed, or move the data folder to a larger disk."
  if (free < GIB / 4) return failure(`The disk of the data folder is nearly full: ${text}.`, advice)
  return free < GIB ? warning(`The disk of the data folder is filling up: ${text}.`, advice) : ok(`disk: ${text}`)
}

/** The key that seals stored secrets: exists, is intact, and readable by this account only. */
export async function checkKey(config: Config, databaseThere: boolean): Promise<Finding> {
  if (config.security.secretKey !== "") return ok("key: from the configuration")
  const file = keyFile(config.dataDir)
  const status = await stat(file).catch(() => undefined)
  if (status === undefined)
    return databaseThere
      ? failure(
          `The key file ${file} is missing, but there is a database.`,
          "Bring it back from a backup. Without it the next start makes a new one, and stored secrets can't be read any more.",
        )
      : ok("key: not there yet, the first start makes it")
  return checkPrivate("key", file, status, () => openSecrets({ dataDir: config.dataDir }))
}

/** The SSH host key: intact, and readable by this account only. Where all servers are one host, it is in the database. */
export async function checkHostKey(config: Config, database: Database | undefined): Promise<Finding> {
  const { dataDir, ssh, security } = config
  if (ssh.port === 0) return ok("SSH host key: SSH is switched off")
  const { openFileKey, readRow } = await import("../../servers/ssh/host-key.ts")
  const file = sshHostKeyFile(dataDir)
  try {
    // Opening the secrets would make a key that is missing.
    const hasKey = security.secretKey !== "" || (await stat(keyFile(dataDir)).catch(() => undefined)) !== undefined
    const row =
      database && hasKey ? await readRow({ database, secrets: await openSecrets({ keyText: security.secretKey, dataDir }) }) : undefined
    if (row !== undefined) return ok("SSH host key: in the database")
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error
    return failure(error.message, "Until then the server doesn't start.")
  }
  const status = await stat(file).catch(() => undefined)
  if (status === undefined) return ok("SSH host key: not there yet, the first start makes it")
  return checkPrivate("SSH host key", file, status, () => openFileKey(file))
}

/** A file that is there, and that a start would refuse when others can read it or when it can't be opened. */
async function checkPrivate(what: string, file: string, status: Stats, open: () => Promise<unknown>): Promise<Finding> {
  const exposure = exposureOf(file, status)
  if (exposure !== undefined)
    return failure(exposure, "With --repair only its owner can read it.", async () => {
      await chmod(file, KEY_MODE)
      return "only its owner can read it now"
    })
  try {
    await open()
    return ok(`${what}: ${file}`)
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error), "Put back the right file before the next start.")
  }
}

/** The public address: reachable from elsewhere, and without passwords in clear text. */
export function checkAddress({ rootUrl, http: { host } }: Config): Finding {
  const local = /^(127\.|::1$|localhost$)/
  if (rootUrl === "")
    return local.test(host)
      ? ok("address: http://localhost, for this machine only")
      : warning(
          `Hearth listens on ${host}, but no address is set: links and clone addresses will say localhost.`,
          "Set HEARTH_ROOT_URL to the address that people use.",
        )
  const url = new URL(rootUrl)
  if (url.protocol === "http:" && !local.test(url.hostname))
    return warning(
      `People use ${rootUrl}, which carries passwords in the clear.`,
      "Put a proxy that speaks TLS before Hearth, and set HEARTH_ROOT_URL to its https address.",
    )
  return ok(`address: ${rootUrl}`)
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )

/** The folder itself, or the closest existing one above it. */
const nearestFolder = async (path: string): Promise<string> => ((await isFolder(path)) ? path : nearestFolder(dirname(path)))
