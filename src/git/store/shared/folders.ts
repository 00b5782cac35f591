import { join } from "node:path"

/*
 * The cache on the disk of a server:
 *
 *   objects/KEY.git/EPOCH/     the objects that count for every process, for all workers of this server; `state` says how far it is filled
 *   objects/KEY.git/current    leads to the last of them
 *   workers/NAME/KEY.git/      what git is run in by one worker: its view of the references, its quarantines, and in `staging` new objects that no
 *                              transaction has taken yet
 *   packing/                   copies in which packs are made
 */

export interface CacheFolders {
  readonly objects: (key: string) => string
  readonly worker: (key: string) => string
  readonly workers: string
  readonly ownWorker: string
  readonly packing: string
  readonly root: string
}

export function cacheFolders(root: string, worker: string): CacheFolders {
  const ownWorker = join(root, "workers", worker)
  return {
    objects: (key) => join(root, "objects", `${key}.git`),
    worker: (key) => join(ownWorker, `${key}.git`),
    workers: join(root, "workers"),
    ownWorker,
    packing: join(root, "packing"),
    root,
  }
}
