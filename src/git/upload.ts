import type { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { protocolVersion } from "./advertise.ts"
import { type ByteSource, byteSource, pour } from "./bytes.ts"
import type { Context } from "./context.ts"
import type { Repository } from "./model.ts"

/** How to serve a fetch. */
export interface UploadRequest {
  /** What the client sends, no longer compressed. */
  readonly input: Readable
  /** What the client gets; ended here when git has said all. */
  readonly output: Writable
  /** The client's `Git-Protocol`. */
  readonly protocol?: string | undefined
  /** One request and one answer (HTTP), or a conversation (SSH), which git then opens with its advertisement. */
  readonly stateless: boolean
  /** Fires when the client is gone. */
  readonly signal?: AbortSignal
}

/** How git ended. A code other than 0 is told to the client in the stream itself, and common: clients leave when they have what they want. */
export interface UploadOutcome {
  readonly code: number
  readonly stderr: string
}

/** A request for the list of references, which is cheap and must not wait behind packs. */
const listing = Buffer.from("command=ls-refs")

async function startsWithListing(source: ByteSource): Promise<boolean> {
  const first = await source.some()
  if (first === null) return false
  source.unread(first)
  return first.subarray(4, 4 + listing.length).equals(listing)
}

/**
 * Serves a fetch by `git upload-pack`, streaming both ways with back-pressure and without compressing anything again. Waits for a turn
 * first: one repository, and all together, may have only so many packs in the making. Throws `busy` or `aborted` before anything is written;
 * later `timeout`, `aborted` or `failed` when git was killed, upon which the caller must cut the connection, not end it.
 */
export async function serveUpload(context: Context, repository: Repository, request: UploadRequest): Promise<UploadOutcome> {
  const { input, output, protocol, stateless, signal } = request
  const source = byteSource(input)
  // An error that nobody listens to would end the whole program.
  output.on("error", () => {})
  const cheap = stateless && protocolVersion(protocol) === 2 && (await startsWithListing(source))
  const release = await (cheap ? context.listings : context.fetches).acquire(repository.key, signal)
  try {
    const process = context.processes.stream(
      { name: "upload-pack", flags: ["--strict", ...(stateless ? ["--stateless-rpc"] : [])], args: [repository.directory] },
      { repository, protocol, signal, timeoutMs: context.limits.transferMs },
    )
    pour(input, source, process)
    // A client that leaves closes the output early, and then nobody wants the rest.
    const sent = pipeline(process.stdout, output, { end: false }).catch(process.kill)
    const exit = await process.exit
    await sent
    if (exit.code !== 0) context.log({ level: "debug", message: "upload-pack", repository: repository.key, detail: exit.stderr })
    output.end()
    return exit
  } finally {
    release()
  }
}
