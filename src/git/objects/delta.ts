/*
 * A delta makes an object of another one: the sizes of both, then what is copied from the other one, and what is new. Each number of the sizes has seven bits in a byte, the
 * lowest first, as long as the eighth is set.
 */

interface Sizes {
  readonly base: number
  readonly result: number
  /** Where the instructions begin. */
  readonly next: number
}

function sizesOf(delta: Buffer): Sizes {
  let next = 0
  const number = (): number => {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = delta.readUInt8(next++)
      value += (byte & 127) * unit
      if (byte < 128) return value
    }
  }
  return { base: number(), result: number(), next }
}

/** The size of what a delta makes, in bytes. Throws RangeError for what is no delta. */
export const resultSize = (delta: Buffer): number => sizesOf(delta).result

/** A copy of nothing said is one of so many bytes. */
const COPY = 0x10000

/** Makes an object. The caller looks at its size before. Throws RangeError for what is no delta on `base`. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const sizes = sizesOf(delta)
  if (sizes.base !== base.length) throw new RangeError("a delta on something else")
  const made = Buffer.allocUnsafeSlow(sizes.result)
  let { next } = sizes
  let at = 0
  while (next < delta.length) {
    const command = delta.readUInt8(next++)
    if (command === 0) throw new RangeError("an unknown instruction")
    let from = 0
    let length = command
    if (command & 128) {
      length = 0
      for (let bit = 0; bit < 4; bit++) if (command & (1 << bit)) from += delta.readUInt8(next++) * 2 ** (8 * bit)
      for (let bit = 0; bit < 3; bit++) if (command & (16 << bit)) length += delta.readUInt8(next++) * 2 ** (8 * bit)
      length ||= COPY
    }
    const source = command & 128 ? base : delta
    const start = command & 128 ? from : next
    if (start + length > source.length || at + length > made.length) throw new RangeError("an instruction beyond the end")
    source.copy(made, at, start, start + length)
    if (!(command & 128)) next += length
    at += length
  }
  if (at !== made.length) throw new RangeError("too few instructions")
  return made
}
