import type { Readable } from "node:stream"
import { GitError } from "../model/errors.ts"

/** Splits a stream into the records that end with this byte, a chunk's worth at a time. Throws `tooLarge` for a record over `limit` bytes. */
export async function* recordsOf(stream: Readable, separator: number, limit: number): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer[] = []
  let held = 0
  for await (const chunk of stream) {
    const bytes: Buffer = chunk
    const records: Buffer[] = []
    let at = 0
    for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, at)) {
      const piece = bytes.subarray(at, end)
      records.push(rest.length === 0 ? piece : Buffer.concat([...rest, piece]))
      rest = []
      held = 0
      at = end + 1
    }
    if (at < bytes.length) {
      rest.push(bytes.subarray(at))
      held += bytes.length - at
      if (held > limit) throw new GitError("tooLarge", `git wrote a record of more than ${limit} bytes`)
    }
    if (records.length > 0) yield records
  }
  if (held > 0) yield [Buffer.concat(rest)]
}
