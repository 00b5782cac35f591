import { join } from "node:path"
import { isSharedByServers } from "../../../core/config.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, isObjectId, objectId } from "../../../git/index.ts"
import { findEntry } from "../../code/contents/paths.ts"
import { openFiles } from "./files.ts"
import { gather } from "./gather.ts"
import { type GitTaking, takeRepositories } from "./git.ts"
import { KINDS, KINDS_AFTER_GIT } from "./kinds/index.ts"
import type { Kind } from "./mapping/kind.ts"
import { openOldSecrets } from "./mapping/old-secrets.ts"
import { openWorld, type World } from "./mapping/world.ts"
import { type Counts, type KindResult, type Taking, takeKind } from "./rows.ts"
import { takeSiteKeys } from "./site-keys.ts"
import { type Layout, readLayout, SourceRefused } from "./source/layout.ts"
import { openSource } from "./source/open.ts"
import type { Source } from "./source/reader.ts"
import { number } from "./source/row.ts"
import { advanceIds, findAnyAccount, findAnyChunk, findRepositoryOf, putReport, recount, removeOwnApplications } from "./store.ts"

export { SourceRefused } from "./source/layout.ts"

export interface TakeoverOptions {
  /** The folder of the old server, or its app.ini. */
  readonly from: string
  /** The address of its database; by default the one in app.ini. */
  readonly database?: string | undefined
  /** Finds out what would be taken, and writes nothing. */
  readonly dryRun: boolean
  /** Objects of git and files become hard links, where the file system can. */
  readonly link: boolean
  readonly signal: AbortSignal
  /** Called with what is under way, and how much of it is done. */
  readonly progress: (kind: string, counts: Counts) => void
}

/** What became of each kind, in their order. */
export interface Report {
  readonly layout: Layout
  readonly kinds: readonly (readonly [name: string, result: KindResult])[]
  /** It was ended before everything was here. */
  readonly isStopped: boolean
}

/**
 * Takes over an installation of Gitea or Forgejo: all that it has with the ids that it has there. It begins again wherever it was ended, and brings what is new
 * or has changed when it is run again. The source is only read. Throws {@link SourceRefused}.
 */
export async function takeOverInstallation(services: Services, options: TakeoverOptions): Promise<Report> {
  const { config, database, secrets, blobs, now } = services
  const { dryRun, link, signal } = options
  if (isSharedByServers(config))
    throw new SourceRefused(
      "Servers that share repositories can't take over an installation at once.",
      "Unset storage.url for the takeover, and move everything with `hearth storage move` afterwards.",
    )
  const layout = await readLayout(options.from, options.database, process.env)
  await requireFresh(services)
  const source = await openSource(layout.database, { schema: layout.schema, copy: join(config.dataDir, "takeover-source.db") })
  try {
    if ((await source.columns("user")) === undefined || (await source.columns("repository")) === undefined)
      throw new SourceRefused("The database has no tables of a Gitea or Forgejo.", "Name the right one with --database.")
    await requireVersion(source)
    const world = openWorld({
      layout,
      old: openOldSecrets(layout.secretKey),
      now: now(),
      blobAt: blobFinder(services, dryRun),
      key: secrets.mac("takeover", ""),
    })
    const files = openFiles({ layout, blobs, linkInto: link && config.storage.url === "" ? config.dataDir : undefined })
    const taking = { services, source, world, files, signal, dryRun, link, progress: () => {} }
    if (!dryRun && (await findAnyChunk(database.read)) === undefined)
      await database.write(async (tx) => {
        await removeOwnApplications(tx)
      })
    await gather(source, world)
    const kinds: Kinds = []
    const ended = async (...some: Kinds): Promise<void> => {
      if (!dryRun) await store(services, kinds.length, some)
      kinds.push(...some)
    }
    await takeRows(taking, KINDS, options, ended)
    if (!signal.aborted && !dryRun) await database.write((tx) => advanceIds(tx, database.kind))
    if (!signal.aborted) await ended(...(await takeGit(taking, options)))
    await takeRows(taking, KINDS_AFTER_GIT, options, ended)
    if (!signal.aborted) await ended(["keys of the server", await takeSiteKeys(services, world, dryRun)])
    if (!signal.aborted && !dryRun) await database.write((tx) => recount(tx))
    return { layout, kinds, isStopped: signal.aborted }
  } finally {
    await source.close()
  }
}

type Kinds = [name: string, result: KindResult][]

async function takeRows(
  taking: Taking,
  kinds: readonly Kind[],
  { progress }: TakeoverOptions,
  ended: (...kinds: Kinds) => Promise<void>,
): Promise<void> {
  for (const kind of kinds) {
    if (taking.signal.aborted) return
    await ended([kind.name, await takeKind({ ...taking, progress: (counts) => progress(kind.name, counts) }, kind)])
  }
}

/** Finds blobs in the repositories that were taken: none in a dry run, which has none. */
function blobFinder({ database, git }: Services, dryRun: boolean): World["blobAt"] {
  return async (repositoryId, commit, path) => {
    const [of] = dryRun ? [] : await findRepositoryOf(database.read, { id: repositoryId })
    if (!of || !isObjectId(commit, of.object_format)) return ""
    const repository = git.at(of.storage, of.object_format)
    try {
      const { tree } = await git.objects.readCommit(repository, objectId(commit))
      return (await findEntry(git, repository, tree, path.split("/")))?.id ?? ""
    } catch (error) {
      if (!isGitError(error)) throw error
      return ""
    }
  }
}

async function takeGit(taking: GitTaking, { progress }: TakeoverOptions): Promise<Kinds> {
  const taken = await takeRepositories({ ...taking, progress: (counts) => progress("git repositories", counts) })
  return taken.map(([kind, result]) => [kind, result])
}

/** The version of the database of Gitea 1.20, with which scopes of tokens and webhooks of people got the form that is read. */
const OLDEST = 260

async function requireVersion(source: Source): Promise<void> {
  if ((await source.columns("version")) === undefined) return
  const [row = {}] = await source.page({ table: "version", key: "x.id" }, 0, 1)
  if (number(row, "version") < OLDEST)
    throw new SourceRefused(
      `The old server is too old: its database has version ${number(row, "version")}, and ${OLDEST} is the oldest that is read.`,
      "Bring it to Gitea 1.20 or newer first, or to the Forgejo of that time.",
    )
}

/** Only a site without accounts, or one that was taken over before, has room for the ids of another. */
async function requireFresh({ database }: Services): Promise<void> {
  const [account, before] = [await findAnyAccount(database.read), await findAnyChunk(database.read)]
  if (before === undefined && account !== undefined)
    throw new SourceRefused(
      "There are accounts here already, and the ids of the old server would be theirs.",
      "Take over into an empty data folder and database: nothing needs to be started there before.",
    )
}

/** Writes down what became of kinds, each when it is done: what is ended half-way has told so much. */
async function store({ database, now }: Services, first: number, kinds: Kinds): Promise<void> {
  for (const [index, [kind, result]] of kinds.entries()) {
    const { found, taken, changed, removed, leftOut, remarks } = result
    const row = { kind, position: first + index, found, taken, changed, removed, left_out: leftOut, finished_at: now() }
    await database.write((tx) => putReport(tx, row, remarks))
  }
}
