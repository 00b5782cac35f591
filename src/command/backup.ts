import { mkdir } from "node:fs/promises"
import { findUserByName } from "../access/store.ts"
import { hasRule, readKeep } from "../core/backup/keep.ts"
import { holdPlace } from "../core/backup/locks.ts"
import { type BackupPlace, openPlace } from "../core/backup/place.ts"
import { Damaged, PassphraseWrong } from "../core/backup/seal.ts"
import {
  type Backups,
  isRepositoryLine,
  listSnapshots,
  NoBackups,
  openBackups,
  RepositoryLine,
  readLine,
  type Snapshot,
} from "../core/backup/snapshots.ts"
import { readLines } from "../core/backup/streams.ts"
import { StorageUnavailable } from "../core/blobs/blobs.ts"
import { bytesInWords } from "../core/blobs/move.ts"
import { type Config, loadConfig, sshHostKeyFile } from "../core/config.ts"
import { DatabaseUnavailable } from "../core/database/failures.ts"
import { lockForServer } from "../core/database/server-lock.ts"
import type { Services } from "../core/services.ts"
import { size } from "../core/setting.ts"
import { backUp } from "../features/site/backups/backup.ts"
import { prune } from "../features/site/backups/prune.ts"
import { restore } from "../features/site/backups/restore.ts"
import { withSource } from "../features/site/backups/source.ts"
import { forget, verify } from "../features/site/backups/verify.ts"
import { putAccount } from "../features/site/copies/put-account.ts"
import { putRepository, type Source } from "../features/site/copies/put-repository.ts"
import { findRepositoryNamed } from "../features/site/copies/store.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import { type Environment, withInstallation } from "./installation.ts"
import { onSignals } from "./signals.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** Faults that are told one by one. */
const MOST_TOLD = 50
const AGAIN = "What was stored stays stored. Run it again to go on."

export async function takeBackup(
  terminal: Terminal,
  env: Environment,
  to: string | undefined,
  { rate, keep }: { readonly rate?: string; readonly keep?: string },
): Promise<ExitCode> {
  const { config } = loadConfig({ env })
  const rules = readKeep(keep ?? "")
  if (!rules) throw new CommandFailed(`--keep ${keep} can't be understood.`, "Give it like last=3,daily=7,weekly=5,monthly=12.")
  const most = rate === undefined ? config.backup.maxRate : size(0, "").read(rate)
  if (most === undefined) throw new CommandFailed(`--rate ${rate} can't be understood.`, "Give it in bytes a second, like 20MiB.")
  const place = await openFor(config, to, { writes: true })
  return during(terminal, place, async (signal) => {
    const passphrase = await passphraseFor(terminal, config, place)
    const backups = await openBackups(place, passphrase, { creates: true })
    const release = await holdPlace(place, { alone: false })
    const snapshot = await withInstallation(env, (services) =>
      backUp(services, backups, { rate: most, progress: terminal.progress, signal, sshKeyFile: sshHostKeyFile(config.dataDir) }),
    ).finally(release)
    terminal.out(`${wordsFor(snapshot)}; ${bytesInWords(snapshot.added)} added to ${place.name}.`)
    tell(terminal, snapshot.faults)
    if (hasRule(rules)) {
      const { snapshots, bytes } = await prune(backups, rules, passphrase, terminal.progress)
      terminal.progress("")
      terminal.out(`${snapshots} older backups removed, ${bytesInWords(Math.max(0, bytes))} freed.`)
    }
    if (snapshot.faults.length > 0) terminal.say("See `hearth doctor` about them. All else is in the backup.")
    return snapshot.faults.length > 0 ? FAILED : DONE
  })
}

export async function listBackups(
  terminal: Terminal,
  env: Environment,
  from: string | undefined,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  return withBackups(terminal, env, from, async (backups) => {
    const all = await listSnapshots(backups)
    if (json) {
      const shown = all.map(({ id, at, version, repositories, files, added, faults }) => ({
        id,
        at: timeOf(at),
        version,
        repositories: repositories.count,
        files: files.count,
        bytes: repositories.bytes + files.bytes,
        added,
        faults: faults.length,
      }))
      terminal.out(JSON.stringify(shown, undefined, 2))
      return DONE
    }
    const rows = all.map(({ id, at, version, repositories, files, added, faults }) => [
      id,
      timeOf(at),
      version,
      String(repositories.count),
      String(files.count),
      bytesInWords(repositories.bytes + files.bytes),
      bytesInWords(added),
      String(faults.length),
    ])
    printTable(terminal, ["ID", "MOMENT", "VERSION", "REPOSITORIES", "FILES", "BYTES", "ADDED", "FAULTS"], rows)
    return DONE
  })
}

export async function showBackup(terminal: Terminal, env: Environment, id: string, from: string | undefined): Promise<ExitCode> {
  return withBackups(terminal, env, from, async (backups) => {
    const snapshot = await find(backups, id)
    terminal.out(`${wordsFor(snapshot)}.`)
    terminal.out(
      `Hearth ${snapshot.version} at ${snapshot.rootUrl}, step ${snapshot.schema.step} (${snapshot.schema.name}) of the database`,
    )
    printTable(
      terminal,
      ["TABLE", "ROWS", "SHA-256"],
      snapshot.tables.filter(({ rows }) => rows > 0).map(({ name, rows, sha256 }) => [name, String(rows), sha256.slice(0, 16)]),
    )
    const rows: string[][] = []
    for await (const text of readLines(backups.reader, snapshot.repositories.chunks)) {
      const { name, references, packs } = readLine(RepositoryLine, text, isRepositoryLine)
      rows.push([name, String(references.length), bytesInWords(packs.reduce((sum, each) => sum + each.size, 0))])
    }
    printTable(terminal, ["REPOSITORY", "REFERENCES", "BYTES"], rows)
    tell(terminal, snapshot.faults)
    return DONE
  })
}

export async function verifyBackups(
  terminal: Terminal,
  env: Environment,
  from: string | undefined,
  options: { readonly forget: boolean },
): Promise<ExitCode> {
  return withBackups(terminal, env, from, async (backups, signal) => {
    const { packs, bytes, faults, damaged } = await verify(backups, { progress: terminal.progress, signal })
    terminal.out(`${packs} packs (${bytesInWords(bytes)}) were read.`)
    if (faults.length === 0) {
      terminal.out("All is well.")
      return DONE
    }
    tell(terminal, faults)
    if (options.forget && !backups.place.isOneFile) {
      await forget(backups, damaged)
      terminal.say(
        "It is forgotten. Take a backup now: what the site still has is stored anew, and the older backups are whole again with it.",
      )
    } else terminal.say("Bring the named files back from another copy of the backups. Or run this with --forget, and take a backup.")
    return FAILED
  })
}

export async function restoreBackup(
  terminal: Terminal,
  env: Environment,
  from: string | undefined,
  options: OnePart & { readonly despiteFaults: boolean },
): Promise<ExitCode> {
  const { config } = loadConfig({ env })
  const { backup, despiteFaults, repository, account } = options
  if (repository !== undefined && account !== undefined)
    throw new CommandFailed("--repository and --account are two things.", "Give one of them.")
  if (repository !== undefined || account !== undefined) return restoreOne(terminal, env, from, options)
  if (options.as !== undefined)
    throw new CommandFailed("--as names what is restored alone.", "Say which with --repository OWNER/NAME or --account NAME.")
  return withBackups(terminal, env, from, async (backups, signal) => {
    const snapshot = await find(backups, backup)
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    const unlock = lockForServer(config.databaseUrl)
    const release = await holdPlace(backups.place, { alone: false })
    try {
      const done = await restore(config, backups, snapshot, { progress: terminal.progress, signal, despiteFaults })
      terminal.out(
        `${done.rows} rows, ${done.repositories} repositories and ${done.files} files restored, as they were on ${timeOf(snapshot.at)}.`,
      )
      tell(terminal, done.faults)
      if (done.faults.length > 0 && !despiteFaults) {
        terminal.say("Servers refuse it as it is. Restore an earlier backup, or run this again with --despite-faults.")
        return FAILED
      }
      terminal.out("Run `hearth doctor`, and start.")
      return done.faults.length > 0 ? FAILED : DONE
    } finally {
      await release()
      unlock?.()
    }
  })
}

interface OnePart {
  readonly backup: string
  readonly repository?: string | undefined
  readonly account?: string | undefined
  readonly as?: string | undefined
}

/** Restores a repository or an account into a site whose servers may run. */
async function restoreOne(terminal: Terminal, env: Environment, from: string | undefined, wanted: OnePart): Promise<ExitCode> {
  return withBackups(terminal, env, from, async (backups) => {
    const snapshot = await find(backups, wanted.backup)
    const release = await holdPlace(backups.place, { alone: false })
    try {
      return await withSource(backups, snapshot, terminal.progress, (source) =>
        withInstallation(env, async (services): Promise<ExitCode> => {
          const { words, faults } =
            wanted.account === undefined
              ? await putOneRepository(services, source, terminal, wanted)
              : await putOneAccount(services, source, terminal, wanted.account, wanted.as)
          terminal.progress("")
          terminal.out(`${words}, as of ${timeOf(snapshot.at)}.`)
          terminal.out("Not restored are workflow runs, packages, webhooks, keys, mirrors and secrets.")
          tell(terminal, faults)
          return faults.length > 0 ? FAILED : DONE
        }),
      )
    } finally {
      await release()
    }
  })
}

interface Put {
  readonly words: string
  readonly faults: readonly string[]
}

const LISTED = "`hearth backup show` lists what it has."

async function putOneRepository(
  services: Services,
  source: Source,
  { progress }: Terminal,
  { repository = "", as = repository }: OnePart,
): Promise<Put> {
  const [[owner, name], [newOwner, newName]] = [namesIn(repository), namesIn(as)]
  const found = await findRepositoryNamed.first(source.db, { owner: owner.toLowerCase(), name: name.toLowerCase() })
  if (!found) throw new CommandFailed(`There is no repository ${repository} in the backup.`, LISTED)
  const account = await findUserByName.first(services.database.read, { lowerName: newOwner.toLowerCase() })
  if (!account) throw new CommandFailed(`There is no account ${newOwner} here.`, "Make it first, or name another with --as OWNER/NAME.")
  const { rows, faults } = await putRepository(services, source, { repositoryId: found.id, owner: account, name: newName, progress })
  return { words: `${repository} restored as ${account.name}/${newName}, with ${rows} rows`, faults }
}

async function putOneAccount(services: Services, source: Source, { progress }: Terminal, name: string, as = name): Promise<Put> {
  const found = await findUserByName.first(source.db, { lowerName: name.toLowerCase() })
  if (!found) throw new CommandFailed(`There is no account ${name} in the backup.`, "Name one that was there then.")
  const { account, repositories, skipped, faults } = await putAccount(services, source, { accountId: found.id, name: as, progress })
  const left = skipped.length > 0 ? `; left as they are: ${skipped.join(", ")}` : ""
  return { words: `${name} restored as ${account.name}, with ${repositories.length} repositories${left}`, faults }
}

function namesIn(text: string): readonly [owner: string, name: string] {
  const [, owner, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? []
  if (owner === undefined || name === undefined) throw new CommandFailed(`${text} is no repository.`, "Name it like OWNER/NAME.")
  return [owner, name]
}

/** The backup that an operator means. Fails with {@link CommandFailed}. */
export async function find(backups: Backups, id: string): Promise<Snapshot> {
  const all = await listSnapshots(backups)
  const found = id === "latest" ? all.at(-1) : all.find((each) => each.id === id)
  if (!found) throw new CommandFailed(`There is no backup ${id} in ${backups.place.name}.`, "`hearth backup list` shows which there are.")
  return found
}

async function withBackups(
  terminal: Terminal,
  env: Environment,
  from: string | undefined,
  work: (backups: Backups, signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { config } = loadConfig({ env })
  const place = await openFor(config, from, { writes: false })
  return during(terminal, place, async (signal) => work(await openBackups(place, await passphraseFor(terminal, config, place)), signal))
}

async function openFor(config: Config, named: string | undefined, how: { readonly writes: boolean }): Promise<BackupPlace> {
  const name = named ?? config.backup.to
  if (name === "")
    throw new CommandFailed("It is not said where backups are.", "Give a folder, s3://… or a file that ends in .hearth, or set backup.to.")
  const { accessKey, secretKey } = config.backup.accessKey === "" ? config.storage : config.backup
  return openPlace(name, { accessKey, secretKey }, how)
}

/** Does what is asked with a place, ends it at the first signal, and says what to do where it fails. */
async function during(terminal: Terminal, place: BackupPlace, work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const stopped = new AbortController()
  const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
  try {
    return await work(stopped.signal)
  } catch (error) {
    terminal.progress("")
    if (stopped.signal.aborted) throw new CommandFailed("Stopped.", AGAIN)
    if (error instanceof PassphraseWrong)
      throw new CommandFailed(
        `The backups in ${place.name} have another passphrase.`,
        "Give the one that they were made with: HEARTH_BACKUP_PASSPHRASE.",
      )
    if (error instanceof NoBackups) throw new CommandFailed(error.message, "Name the folder, bucket or file that one was taken to.")
    if (error instanceof Damaged)
      throw new CommandFailed(
        `The backups in ${place.name} are damaged: ${error.message}.`,
        "Bring that file back from another copy. `hearth backup verify` names all that is damaged.",
      )
    if (error instanceof StorageUnavailable) throw new CommandFailed(`The object store fails: ${error.message}.`, AGAIN)
    if (error instanceof DatabaseUnavailable) throw new CommandFailed(`The database fails: ${error.message}.`, AGAIN)
    throw error
  } finally {
    quiet()
    await place.close()
  }
}

/** It is never an argument, which every user of the machine could read. */
async function passphraseFor(terminal: Terminal, config: Config, place: BackupPlace): Promise<string> {
  if (config.backup.passphrase !== "") return config.backup.passphrase
  if (!terminal.interactive)
    throw new CommandFailed(
      "Backups are sealed with a passphrase, and there is none.",
      "Set HEARTH_BACKUP_PASSPHRASE, or backup.passphrase.",
    )
  const given = await terminal.ask(`Passphrase of the backups in ${place.name}: `, { hidden: true })
  if (given === "") throw new CommandFailed("The passphrase is empty.", "Nothing was changed.")
  const isNew = (await place.read("config")) === undefined
  if (isNew && (await terminal.ask("The same again: ", { hidden: true })) !== given)
    throw new CommandFailed("The two passphrases differ.", "Nothing was changed. Try again.")
  return given
}

function wordsFor({ id, at, tables, repositories, files }: Snapshot): string {
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  return `Backup ${id} of ${timeOf(at)}: ${rows} rows, ${repositories.count} repositories (${bytesInWords(repositories.bytes)}), ${files.count} files (${bytesInWords(files.bytes)})`
}

const timeOf = (at: number): string => new Date(at * 1000).toISOString().replace(".000Z", "Z")

function tell(terminal: Terminal, faults: readonly string[]): void {
  for (const fault of faults.slice(0, MOST_TOLD)) terminal.say(fault)
  if (faults.length > MOST_TOLD) terminal.say(`… and ${faults.length - MOST_TOLD} more.`)
}
