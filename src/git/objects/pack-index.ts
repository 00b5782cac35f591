import { open } from "node:fs/promises"
import { GitError } from "../model/errors.ts"
import type { ObjectId } from "../model/names.ts"

/*
 * The index of a pack, version 2: eight bytes of signature and version, 256 counts of the objects whose ids begin with that byte or a lower one, and
 * the ids in order. Their offsets follow, which are not needed here.
 */

const SIGNATURE = Buffer.from("ff744f6300000002", "hex")
const COUNTS = 256 * 4

/** Where the ids begin, after the counts. */
export const IDS_AT = SIGNATURE.length + COUNTS

/** Whether a file that begins so is an index. */
export const isPackIndex = (head: Buffer): boolean => head.subarray(0, SIGNATURE.length).equals(SIGNATURE)

/** Whether a pack holds all of these objects, by its index. Throws `failed` for a file that is no index, and what the file system throws. */
export async function packHolds(path: string, ids: readonly ObjectId[]): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(IDS_AT)
    await file.read(head, 0, head.length, 0)
    if (!isPackIndex(head)) throw new GitError("failed", "not the index of a pack", path)
    for (const id of ids) {
      const width = id.length / 2
      const first = Number.parseInt(id.slice(0, 2), 16)
      const countTo = (byte: number) => (byte < 0 ? 0 : head.readUInt32BE(SIGNATURE.length + byte * 4))
      const names = Buffer.alloc((countTo(first) - countTo(first - 1)) * width)
      await file.read(names, 0, names.length, head.length + countTo(first - 1) * width)
      if (!holds(names, Buffer.from(id, "hex"))) return false
    }
    return true
  } finally {
    await file.close()
  }
}

/** The number of objects in a pack, by its index. Throws as `packHolds` does. */
export async function countIn(path: string): Promise<number> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(IDS_AT)
    await file.read(head, 0, head.length, 0)
    if (!isPackIndex(head)) throw new GitError("failed", "not the index of a pack", path)
    return head.readUInt32BE(head.length - 4)
  } finally {
    await file.close()
  }
}

/** Whether an id is among sorted ids. */
function holds(names: Buffer, id: Buffer): boolean {
  let [low, high] = [0, names.length / id.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const order = names.subarray(middle * id.length, (middle + 1) * id.length).compare(id)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle
  }
  return false
}
