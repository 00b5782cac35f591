/** The SSH encoding of keys and signatures: RFC 4251, section 5. */

/** Bytes that don't have the expected format. */
export class MalformedKeyError extends Error {
  constructor() {
    super("it ends too early, or holds more than it should")
    this.name = "MalformedKeyError"
  }
}

/** Reads one field after the other. Each method throws {@link MalformedKeyError} where the bytes don't suffice. */
export interface WireReader {
  byte(): number
  uint32(): number
  /** Bytes after their length. */
  bytes(): Buffer
  text(): string
  /** A number that isn't negative, without leading zeros. */
  number(): Buffer
  /** This many bytes, unchanged. */
  take(size: number): Buffer
  /** Throws unless everything was read. */
  end(): void
}

export function wireReader(data: Buffer): WireReader {
  let at = 0
  const take = (size: number): Buffer => {
    if (size > data.length - at) throw new MalformedKeyError()
    at += size
    return data.subarray(at - size, at)
  }
  const uint32 = (): number => take(4).readUInt32BE()
  const bytes = (): Buffer => take(uint32())
  return {
    take,
    uint32,
    bytes,
    byte: () => take(1).readUInt8(),
    text: () => bytes().toString("latin1"),
    number: () => {
      const number = bytes()
      if ((number[0] ?? 0) >= 0x80) throw new MalformedKeyError()
      const first = number.findIndex((byte) => byte !== 0)
      return first === -1 ? Buffer.alloc(0) : number.subarray(first)
    },
    end: () => {
      if (at < data.length) throw new MalformedKeyError()
    },
  }
}

/** Bytes preceded by their length. */
export function wireBytes(data: Uint8Array | string): Buffer {
  const bytes = Buffer.from(data)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A number, given by its bytes, most significant first. */
export const wireNumber = (bytes: Buffer): Buffer => wireBytes((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes)
