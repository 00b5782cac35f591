import { GitError } from "../model/errors.ts"
import type { ByteSource } from "../process/bytes.ts"

/** A packet of git's wire format: its data, or one of the three special packets without data. */
export type Packet = Buffer | "flush" | "delimiter" | "responseEnd"

/** The most bytes of data in one packet. */
export const maxPacketData = 65_516

/** The packet that ends a section. */
export const flushPacket: Buffer = Buffer.from("0000")

/** One packet of data. Throws `invalid` for more data than fits a packet. */
export function packet(data: Uint8Array | string): Buffer {
  const bytes = typeof data === "string" ? Buffer.from(data) : data
  if (bytes.length > maxPacketData) throw new GitError("invalid", "too much data for one packet")
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes])
}

const marks = { flush: "0000", delimiter: "0001", responseEnd: "0002" } as const

/** A packet that was read, as it goes over the wire. */
export const encodePacket = (read: Packet): Buffer => (Buffer.isBuffer(read) ? packet(read) : Buffer.from(marks[read]))

/** Reads one packet, or null at the end of the stream. Throws `protocol` for a malformed length or a packet over `limit` bytes of data. */
export async function readPacket(source: ByteSource, limit: number = maxPacketData): Promise<Packet | null> {
  const head = await source.take(4)
  if (head === null) return null
  const text = head.toString("latin1")
  if (!/^[0-9a-fA-F]{4}$/.test(text)) throw new GitError("protocol", "not a packet length", JSON.stringify(text))
  const length = Number.parseInt(text, 16)
  if (length === 0) return "flush"
  if (length === 1) return "delimiter"
  if (length === 2) return "responseEnd"
  if (length === 3) throw new GitError("protocol", "a packet length of 3")
  if (length - 4 > limit) throw new GitError("protocol", `a packet of more than ${limit} bytes`)
  if (length === 4) return Buffer.alloc(0)
  const data = await source.take(length - 4)
  if (data === null) throw new GitError("protocol", "the stream ended in the middle of a packet")
  return data
}

/** A packet's data as text, without the newline that may end it. Throws `protocol` when it is not UTF-8. */
export function packetText(data: Buffer): string {
  const end = data.at(-1) === 10 ? data.length - 1 : data.length
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data.subarray(0, end))
  } catch {
    throw new GitError("protocol", "a packet is not UTF-8")
  }
}

/** The channels of the side band: the payload, messages for the user, and a fatal error. */
export const band = { data: 1, progress: 2, error: 3 } as const

/** Data for one channel of the side band (side-band-64k), in as many packets as it needs. Without data it is a keep-alive packet. */
export function sideBand(channel: 1 | 2 | 3, data: Uint8Array | string): Buffer {
  const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const room = maxPacketData - 1
  const packets: Buffer[] = []
  for (let start = 0; start === 0 || start < bytes.length; start += room) {
    packets.push(packet(Buffer.concat([Buffer.from([channel]), bytes.subarray(start, start + room)])))
  }
  return Buffer.concat(packets)
}
