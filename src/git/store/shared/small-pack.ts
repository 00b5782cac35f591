import { inflateSync } from "node:zlib"
import { typeNumbers } from "../../incoming/pack.ts"
import { GitError } from "../../model/errors.ts"
import type { ObjectType } from "../../model/model.ts"
import type { ObjectFormat } from "../../model/names.ts"
import { hashObject, type NewObject } from "../../objects/loose.ts"

/** The objects of a pack that this service has written with `formatPack`: each whole, none as a difference to another. */

const types: readonly ObjectType[] = ["commit", "tree", "blob", "tag"]
const HEAD_BYTES = 12

/** Throws `damaged` for any other pack. */
export function objectsOf(pack: Buffer, format: ObjectFormat): readonly NewObject[] {
  const damaged = () => new GitError("damaged", "a stored pack can't be read")
  if (pack.toString("latin1", 0, 4) !== "PACK") throw damaged()
  const objects: NewObject[] = []
  let at = HEAD_BYTES
  for (let left = pack.readUInt32BE(8); left > 0; left -= 1) {
    let byte = pack[at++] ?? 0
    const number = (byte >> 4) & 7
    const type = types.find((each) => typeNumbers[each] === number)
    let size = byte & 15
    for (let factor = 16; byte & 128; factor *= 128) {
      byte = pack[at++] ?? 0
      size += (byte & 127) * factor
    }
    if (type === undefined) throw damaged()
    const { buffer: content, engine } = inflated(pack.subarray(at), size)
    if (content.length !== size) throw damaged()
    at += engine.bytesWritten
    objects.push({ id: hashObject(format, type, content), type, content })
  }
  return objects
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

/** Inflates to so many bytes, and tells how many it read. */
function inflated(bytes: Buffer, size: number): Inflated {
  const result: unknown = inflateSync(bytes, { info: true, maxOutputLength: Math.max(1, size) })
  if (!isInflated(result)) throw new GitError("failed", "zlib does not tell how much it read")
  return result
}

const isInflated = (value: unknown): value is Inflated =>
  typeof value === "object" && value !== null && "buffer" in value && "engine" in value && Buffer.isBuffer(value.buffer)
