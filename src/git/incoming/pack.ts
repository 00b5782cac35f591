import { createHash } from "node:crypto"
import type { ObjectType, RawObject } from "../model/model.ts"
import type { ObjectFormat } from "../model/names.ts"
import { deflated } from "../objects/deflate.ts"

/** How a pack writes the types of its objects. */
export const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** The head of an object in a pack: its type and size, four bits of the size first and then seven at a time. */
function objectHead(type: ObjectType, size: number): Buffer {
  const bytes = [(typeNumbers[type] << 4) | (size & 15)]
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, left & 127)
  }
  return Buffer.from(bytes)
}

/** A pack of these objects, each whole, as a client sends it. */
export async function formatPack(format: ObjectFormat, objects: readonly RawObject[]): Promise<Buffer> {
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")
  head.writeUInt32BE(objects.length, 8)
  const pieces: Buffer[] = [head]
  for (const { type, content } of objects) pieces.push(objectHead(type, content.length), await deflated(content))
  const pack = Buffer.concat(pieces)
  return Buffer.concat([pack, createHash(format).update(pack).digest()])
}
