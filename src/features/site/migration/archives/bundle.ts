import { createReadStream } from "node:fs"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"

/** Bytes of the list of references at the beginning of a bundle. */
const MOST_HEAD = 64 * 2 ** 20

/** What a bundle of git has: its references, and the pack that comes behind them. Throws {@link RemoteRefused}. */
export async function openBundle(file: string) {
  const { head, begin } = await readHead(file)
  const [first = "", ...lines] = head.split("\n")
  if (!/^# v[23] git bundle$/.test(first)) throw new RemoteRefused("the archive's bundle is none of git")
  if (lines.some((line) => line.startsWith("-"))) throw new RemoteRefused("the archive's bundle is only a part of a repository")
  const references = lines.flatMap((line) => {
    const [, id, name] = /^([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/.exec(line) ?? []
    return id === undefined || name === undefined ? [] : [{ id, name }]
  })
  return {
    references,
    format: references[0]?.id.length === 64 ? ("sha256" as const) : ("sha1" as const),
    pack: (): AsyncIterable<Buffer> => createReadStream(file, { start: begin }),
  }
}

async function readHead(file: string): Promise<{ readonly head: string; readonly begin: number }> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of createReadStream(file)) {
    parts.push(chunk)
    size += chunk.length
    const read = Buffer.concat(parts)
    const end = read.indexOf("\n\n")
    if (end >= 0) return { head: read.toString("utf8", 0, end), begin: end + 2 }
    if (size > MOST_HEAD) break
  }
  throw new RemoteRefused("the archive's bundle breaks off")
}
