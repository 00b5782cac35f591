import { randomUUID } from "node:crypto"
import { readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { ifMissing, namesIn, sweepFolder, writeBounded } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"

/**
 * Files that a page sends one after the other before one commit takes them all. Until then they lie in a folder of their sender, below the data folder and
 * outside of the repository, named by it: no one else can name them. The commit removes them, and a task what no commit takes within hours.
 */

const MIB = 1024 * 1024
/** The most bytes of one file, and of all files of a commit. */
export const MOST_BYTES_OF_FILE = 16 * MIB
export const MOST_BYTES_OF_COMMIT = 64 * MIB
/** The most files of a commit. */
export const MOST_FILES = 500
/** What a person may have waiting: two such commits. */
const MOST_WAITING = 2 * MOST_FILES
const MOST_BYTES_WAITING = 2 * MOST_BYTES_OF_COMMIT

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type WithConfig = Pick<Services, "config">

/** Whose file it is, and for which repository. */
export interface Place {
  readonly me: Pick<User, "id">
  readonly repository: { readonly id: number }
}

const rootOf = ({ config }: WithConfig): string => join(config.dataDir, "uploads")
const folderOf = (services: WithConfig, { me }: Pick<Place, "me">): string => join(rootOf(services), String(me.id))

function pathOf(services: WithConfig, place: Place, id: string): string {
  if (!UUID.test(id)) throw refuse.notFound()
  return join(folderOf(services, place), `${place.repository.id}-${id}`)
}

/** What is waiting counts together with what is still arriving, which stands there as a draft. */
async function requireRoom(services: WithConfig, place: Place, added: number): Promise<void> {
  const folder = folderOf(services, place)
  const names = await namesIn(folder)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name)).catch(ifMissing(undefined)))?.size ?? 0))
  if (names.length + added > MOST_WAITING || sizes.reduce((sum, size) => sum + size, 0) > MOST_BYTES_WAITING)
    throw refuse.tooMany("too many of your files wait for a commit; commit or remove them, or wait until they are removed after some hours")
}

/**
 * Keeps a file as it arrives, and gives what names it. Refuses `tooLarge` at the first byte over the limit, and `tooMany` where too much of the sender is
 * waiting; a file that breaks off leaves nothing.
 */
export async function stageFile(services: WithConfig, place: Place, { fileName, content }: Upload): Promise<string> {
  await requireRoom(services, place, 1)
  const id = randomUUID()
  const tooLarge = () => refuse.tooLarge(t`${fileName} has more than ${MOST_BYTES_OF_FILE / MIB} MiB`)
  await writeBounded(pathOf(services, place, id), content, MOST_BYTES_OF_FILE, tooLarge)
  try {
    await requireRoom(services, place, 0)
  } catch (error) {
    await unstageFiles(services, place, [id])
    throw error
  }
  return id
}

/** The bytes of a file; undefined where it is there no more. */
export const readStaged = (services: WithConfig, place: Place, id: string): Promise<Buffer | undefined> =>
  readFile(pathOf(services, place, id)).catch(ifMissing(undefined))

export async function unstageFiles(services: WithConfig, place: Place, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(pathOf(services, place, id), { force: true })
}

const HOUR = 3600
/** A file is kept for as long as someone may still write the message of its commit. */
const KEPT_SECONDS = 6 * HOUR
/** Before this, `sweepFolder` removes nothing. */
const SWEPT_AFTER = 24 * HOUR

export const forgetStagedFiles: Task = {
  name: "forget_staged_files",
  cron: "41 * * * *",
  run: async (services, signal) => {
    let removed = 0
    for (const name of await namesIn(rootOf(services))) {
      const now = services.now() + SWEPT_AFTER - KEPT_SECONDS
      removed += await sweepFolder(join(rootOf(services), name), { now, signal, findKept: async () => [] })
    }
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
