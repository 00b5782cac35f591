import { randomUUID } from "node:crypto"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { GitError } from "../model/errors.ts"
import type { ByteSource } from "./bytes.ts"

/** What a client has sent, taken in whole. */
export interface Spooled {
  readonly size: number
  /** The bytes, if they are few. */
  readonly bytes: Buffer | undefined
  /** The content from its beginning; to be called once. */
  content(): Readable
  /** Gives the space back. */
  close(): Promise<void>
}

/** How many bytes of requests are in files now. */
export interface SpoolSpace {
  readonly folder: string
  readonly most: () => number
  used: number
}

/** Requests up to this size are kept in memory. */
export const IN_MEMORY = 256 * 1024

/** Counts bytes that are about to be written. Throws `busy` when there is no space for them. */
export function takeSpace(space: SpoolSpace, bytes: number): void {
  if (space.used + bytes > space.most()) throw new GitError("busy", "spool: no space for more requests")
  space.used += bytes
}

/**
 * Takes a request in whole before anything scarce is held for it: in memory, and beyond 256 KiB in a file without a name, which is gone with the process
 * however that ends. Slow clients are cut off by the server that has the connection. Throws `tooLarge` over `limit` bytes, `busy` when there is no space
 * for more, and what the source throws.
 */
export async function spool(space: SpoolSpace, source: ByteSource, limit: number): Promise<Spooled> {
  const first: Buffer[] = []
  let size = 0
  const next = async (): Promise<Buffer | null> => {
    const chunk = await source.some()
    size += chunk?.length ?? 0
    if (size > limit) throw new GitError("tooLarge", `a request of more than ${limit} bytes`)
    return chunk
  }
  for (let chunk = await next(); chunk !== null; chunk = await next()) {
    first.push(chunk)
    if (size > IN_MEMORY) return intoFile(space, first, next, () => size)
  }
  const bytes = Buffer.concat(first)
  return { size, bytes, content: () => Readable.from([bytes], { objectMode: false }), close: async () => {} }
}

async function intoFile(
  space: SpoolSpace,
  first: readonly Buffer[],
  next: () => Promise<Buffer | null>,
  size: () => number,
): Promise<Spooled> {
  const path = join(space.folder, `.spool-${randomUUID()}`)
  const file = await open(path, "wx+", 0o600)
  await rm(path)
  let taken = 0
  const close = async () => {
    space.used -= taken
    taken = 0
    await file.close()
  }
  const write = async (chunk: Buffer) => {
    takeSpace(space, chunk.length)
    taken += chunk.length
    for (let written = 0; written < chunk.length; ) written += (await file.write(chunk, written)).bytesWritten
  }
  try {
    for (const chunk of first) await write(chunk)
    for (let chunk = await next(); chunk !== null; chunk = await next()) await write(chunk)
  } catch (error) {
    await close()
    throw error
  }
  return { size: size(), bytes: undefined, content: () => file.createReadStream({ start: 0, autoClose: false }), close }
}
