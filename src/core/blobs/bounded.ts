import type { Readable } from "node:stream"
import type { Blobs } from "./blobs.ts"

/**
 * Writes bytes that come from outside as they arrive, and gives how many they were. Fails with what `tooLarge` makes at the first byte over the limit, and
 * else as `write` does.
 */
export async function writeBounded(blobs: Blobs, key: string, content: Readable, most: number, tooLarge: () => Error): Promise<number> {
  let size = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      const bytes: Buffer = chunk
      size += bytes.length
      if (size > most) throw tooLarge()
      yield bytes
    }
  }
  await blobs.write(key, counted())
  return size
}
