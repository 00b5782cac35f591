/** Packs that unpack to far more than they are, and requests that push them. */
import { createHash } from "node:crypto"
import { deflateSync } from "node:zlib"

/** The head of an object in a pack: its kind and size. */
function objectHead(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

/** A number as deltas have it. */
function deltaSize(size: number): Buffer {
  const bytes = [size & 127]
  for (let rest = Math.floor(size / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

const BLOB = 3
const DELTA_OF = 7
const BASE_BYTES = 0x10000

/** A pack with a blob of 64 KiB, one that is `copies` copies of it, and this many others. */
export function explodingPack(copies: number, others: number): Buffer {
  const base = Buffer.alloc(BASE_BYTES)
  const id = createHash("sha1").update(`blob ${base.length}\0`).update(base).digest()
  // One byte says: copy 64 KiB from the beginning.
  const delta = Buffer.concat([deltaSize(BASE_BYTES), deltaSize(copies * BASE_BYTES), Buffer.alloc(copies, 0x80)])
  const objects = [
    [objectHead(BLOB, base.length), deflateSync(base)],
    [objectHead(DELTA_OF, delta.length), id, deflateSync(delta)],
    ...Array.from({ length: others }, (_, index) => [objectHead(BLOB, 4), deflateSync(String(1000 + index))]),
  ]
  const count = Buffer.alloc(4)
  count.writeUInt32BE(objects.length)
  const body = Buffer.concat([Buffer.from("PACK\0\0\0\x02", "latin1"), count, ...objects.flat()])
  return Buffer.concat([body, createHash("sha1").update(body).digest()])
}

/** The head and body of a push of a new branch. */
export function pushRequest(pack: Buffer): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const command = `${"0".repeat(40)} ${"1".repeat(40)} refs/heads/x\0report-status`
  const packet = Buffer.from(`${(command.length + 4).toString(16).padStart(4, "0")}${command}0000`)
  const body = Buffer.concat([packet, pack])
  const type = "application/x-git-receive-pack-request"
  return { headers: { "content-type": type, "content-length": String(body.length), connection: "close" }, body }
}
