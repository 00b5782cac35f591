/** The services as those see them whose work is part of a transaction that is held open: all that it does is undone with it, and what could not be is refused. */
import type { Git } from "../../git/index.ts"
import type { Blobs } from "../blobs/blobs.ts"
import type { Transaction } from "../database/database.ts"
import { actsOutside, inside } from "../database/inside.ts"
import { standsFor } from "../memoize.ts"
import type { Services } from "../services.ts"

const refuse = (what: string) => (): never => {
  throw actsOutside(what)
}
/** The same for functions whose callers look at the promise. */
const rejects = (what: string) => async (): Promise<never> => refuse(what)()

/** These services within `tx`. They throw `ActsOutside` when git, files or other servers are to be changed. */
export function servicesInside(services: Services, tx: Transaction): Services {
  const { database, git, blobs, outgoing } = services
  return standsFor(
    {
      ...services,
      database: inside(database, tx),
      git: unchanged(git),
      blobs: unchangedFiles(blobs),
      outgoing: { ...outgoing, send: rejects("it asks another server") },
    },
    services,
  )
}

/** Git for reading alone. */
function unchanged(git: Git): Git {
  const change = refuse("it changes a repository")
  const changes = rejects("it changes a repository")
  const asks = rejects("it asks another server")
  return {
    ...git,
    repositories: {
      ...git.repositories,
      create: changes,
      remove: changes,
      sweep: changes,
      fork: changes,
      takeOver: changes,
      bring: changes,
      copyObjects: changes,
      storePack: changes,
      copyTree: changes,
    },
    objects: {
      ...git.objects,
      writeBlob: changes,
      writeTree: changes,
      writeCommit: changes,
      writeTag: changes,
      batch: change,
    },
    references: { ...git.references, inTurn: changes, update: changes, move: changes, setHead: changes },
    merging: { ...git.merging, mergeTrees: changes, mergeInDetail: changes, applyChange: changes, rebase: changes },
    transport: { ...git.transport, upload: changes, receive: changes },
    remotes: { list: asks, fetch: asks, push: asks },
    maintenance: { ...git.maintenance, packReferences: changes, run: changes },
  }
}

function unchangedFiles(blobs: Blobs): Blobs {
  const changes = rejects("it changes a file")
  return { ...blobs, write: changes, remove: changes, removeBelow: changes, direct: undefined }
}
