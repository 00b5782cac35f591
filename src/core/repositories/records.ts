import { createReadStream, createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { GitError, objectId, type PackFiles, type Records, refName, type StoredPack, type StoredRepository } from "../../git/index.ts"
import { type Blobs, PACKS } from "../blobs/blobs.ts"
import type { Database } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import { addPacks, bytesOf, commitChange, replacePacks } from "./commit.ts"
import { findPacks, findReferences, findStored, insertStored, linkPacksOf, putHead, putReferences, removeStored } from "./store.ts"

/** What git's shared store needs of the database: see git/store/shared. */

/** Packs that are read by one statement: a small one has a quarter of a mebibyte at most. */
const PACKS_AT_ONCE = 50
const REFERENCES_AT_ONCE = 1_000

export function openRecords(database: Database, now: () => Seconds): Records {
  const { read } = database

  async function find(key: string): Promise<StoredRepository | undefined> {
    const row = await findStored.first(read, { key })
    if (!row) return undefined
    return {
      id: row.id,
      format: row.object_format,
      head: refName(row.head),
      refsVersion: row.refs_version,
      removedVersion: row.removed_version,
      packsVersion: row.packs_version,
      epoch: row.gc_epoch,
      size: row.size,
      packedSize: row.packed_size,
      packs: row.packs_count,
      mayHaveLeftBehind: row.has_left_behind === 1,
      asideSince: row.aside_since,
    }
  }

  async function* packs(repositoryId: number, after: number): AsyncGenerator<StoredPack> {
    for (let last = { after, afterId: Number.MAX_SAFE_INTEGER }; ; ) {
      const rows = await findPacks(read, { repositoryId, ...last, limit: PACKS_AT_ONCE })
      for (const { file, size, content, files, version } of rows)
        yield {
          id: file,
          size,
          content: content ? Buffer.from(content.buffer, content.byteOffset, content.byteLength) : undefined,
          files: files === "" ? [] : files.split(" "),
          version,
        }
      const end = rows.at(-1)
      if (rows.length < PACKS_AT_ONCE || end === undefined) return
      last = { after: end.version, afterId: end.id }
    }
  }

  return {
    find,
    references: async (repositoryId, after) =>
      (await findReferences(read, { repositoryId, after })).map(({ name, object_id }) => ({
        name: refName(name),
        id: objectId(object_id),
      })),
    packs,
    create: ({ key, format, head, references, packsOf, packs: own = [] }) =>
      database.write(async (tx) => {
        const from = packsOf === undefined ? undefined : await findStored.first(tx, { key: packsOf })
        const size = from?.size ?? bytesOf(own)
        const packsCount = from?.packs_count ?? own.length
        const made = await insertStored.first(tx, { key, format, head, size, packsCount, now: now() })
        if (!made) throw new GitError("exists", "the repository exists", key)
        if (from) await linkPacksOf(tx, { from: from.id, to: made.id })
        await addPacks(tx, made.id, own, 1, now())
        for (let start = 0; start < references.length; start += REFERENCES_AT_ONCE)
          await putReferences(
            tx,
            made.id,
            references.slice(start, start + REFERENCES_AT_ONCE).map(({ name, id }) => ({ name, objectId: id })),
            1,
          )
      }),
    remove: (key) => database.write(async (tx) => void (await removeStored(tx, { key }))),
    setHead: async (key, head) => (await database.write((tx) => putHead.changes(tx, { key, head }))) > 0,
    commit: (change) => database.write((tx) => commitChange(tx, change, now())),
    replace: (made) => database.write((tx) => replacePacks(tx, made, now())),
  }
}

const keyOf = (id: string, ending: string): string => `${PACKS}/${id.slice(0, 2)}/${id}.${ending}`

/** The files of packs as blobs. */
export const openPackFiles = (blobs: Blobs): PackFiles => ({
  write: (id, ending, path) => blobs.write(keyOf(id, ending), createReadStream(path, { highWaterMark: 1024 * 1024 })),
  async read(id, ending, path) {
    const blob = await blobs.open(keyOf(id, ending))
    if (!blob) throw new GitError("missing", "a file of a pack is gone", keyOf(id, ending))
    await pipeline(blob.read(), createWriteStream(path, { flags: "wx", mode: 0o444 }))
  },
})
