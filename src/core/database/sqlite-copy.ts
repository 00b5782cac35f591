import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"

/** Copies the database into one file, complete and flushed to disk before this returns; the migration holds the write lock. Closes `source`. */
export function copyDatabase(source: DatabaseSync, target: string): void {
  const partial = `${target}.partial-${process.pid}`
  rmSync(partial, { force: true })
  try {
    closeSync(openSync(partial, "wx", 0o600))
    source.prepare("vacuum into ?").run(partial)
  } finally {
    source.close()
  }
  chmodSync(partial, 0o600)
  sync(partial)
  renameSync(partial, target)
  sync(dirname(target))
}

function sync(path: string): void {
  const handle = openSync(path, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
