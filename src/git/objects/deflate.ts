import { promisify } from "node:util"
import { deflate, deflateSync, type ZlibOptions } from "node:zlib"

const deflateAway = promisify(deflate)

/** Bytes that are deflated at once, since handing them to a thread would take longer. */
const AT_ONCE = 32 * 1024
const BITS = { fewest: 9, most: 15 }

/**
 * Deflates an object as git stores it, for speed. The window is as large as the object: zlib takes 268 kB of memory for the largest one, which costs
 * more than deflating a small object does.
 */
export async function deflated(content: Uint8Array): Promise<Buffer> {
  const windowBits = Math.min(BITS.most, Math.max(BITS.fewest, Math.ceil(Math.log2(content.length + 1))))
  const options: ZlibOptions = { level: 1, windowBits, memLevel: windowBits - 7 }
  return content.length < AT_ONCE ? deflateSync(content, options) : deflateAway(content, options)
}
