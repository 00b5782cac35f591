import type { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { protocolVersion } from "./advertise.ts"
import { findAnswerSlot } from "./answers.ts"
import { type ByteSource, byteSource, pipeInto, writeAll } from "./bytes.ts"
import type { Context } from "./context.ts"
import type { Release } from "./limits.ts"
import type { Repository } from "./model.ts"
import { encodePacket, type Packet, readPacket } from "./pktline.ts"
import type { GitProcess } from "./process.ts"

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

/** Seconds after which git gives up a conversation in which the client says nothing. */
const silence = 120

/**
 * Serves a fetch by `git upload-pack`, streaming both ways with back-pressure and without compressing anything again. Waits for a turn
 * first: one repository, and all together, may have only so many packs in the making; in a conversation it waits when the client asks for a pack. Throws
 * `busy` or `aborted` before anything of a pack is written; later `timeout`, `aborted` or `failed` when git was killed, upon which the caller must cut the
 * connection, not end it.
 */
export async function serveUpload(context: Context, repository: Repository, request: UploadRequest): Promise<UploadOutcome> {
  const { input, output, protocol, stateless, signal } = request
  const source = byteSource(input)
  // An error that nobody listens to would end the whole program.
  output.on("error", () => {})
  const place = stateless && protocolVersion(protocol) === 2 ? await findAnswerSlot(context, repository, source) : undefined
  if (place?.kept !== undefined) {
    output.end(place.kept)
    return { code: 0, stderr: "" }
  }
  const cheap = !stateless || (protocolVersion(protocol) === 2 && (await startsWithListing(source)))
  const turn = takeTurn(await (cheap ? context.listings : context.fetches).acquire(repository.key, signal))
  try {
    const process = context.processes.stream(
      { name: "upload-pack", flags: ["--strict", stateless ? "--stateless-rpc" : `--timeout=${silence}`], args: [repository.directory] },
      { repository, protocol, signal, timeoutMs: context.limits.transferMs },
    )
    let refusal: unknown
    if (stateless) pipeInto(input, source, process)
    else
      serveConversation(context, repository, request, { source, process, turn }).catch((error: unknown) => {
        refusal = error
        process.kill()
      })
    if (place !== undefined) process.stdout.on("data", place.add)
    // A client that leaves closes the output early, and then nobody wants the rest.
    const sent = pipeline(process.stdout, output, { end: false }).catch(process.kill)
    const exit = await process.exit.catch((error: unknown) => {
      throw refusal ?? error
    })
    await sent
    if (exit.code === 0) await place?.keep()
    else context.log({ level: "debug", message: "upload-pack", repository: repository.key, detail: exit.stderr })
    output.end()
    return exit
  } finally {
    turn.end()
  }
}

/** A permit that can be exchanged for another while it is held. */
interface Turn {
  readonly exchange: (other: Release) => void
  readonly end: () => void
}

function takeTurn(first: Release): Turn {
  let release = first
  let isOver = false
  const end = () => {
    isOver = true
    release()
  }
  const exchange = (other: Release) => {
    release()
    release = other
    if (isOver) release()
  }
  return { exchange, end }
}

interface Conversation {
  readonly source: ByteSource
  readonly process: GitProcess
  readonly turn: Turn
}

/**
 * Hands on what a client says, and takes the turn for a pack only once it asks for one: clients that merely listen would keep all others waiting. Throws
 * `busy`, `aborted`, `protocol`, upon which git must be killed.
 */
async function serveConversation(
  context: Context,
  repository: Repository,
  { input, signal }: UploadRequest,
  { source, process, turn }: Conversation,
): Promise<void> {
  if (await asksForPack(source, process)) {
    turn.exchange(await context.fetches.acquire(repository.key, signal))
    pipeInto(input, source, process)
  } else process.stdin.end()
}

/** Hands on lists of references that a client asks for, until it asks for something else, which is left in the source. */
async function asksForPack(source: ByteSource, { stdin }: GitProcess): Promise<boolean> {
  for (;;) {
    const first = await readPacket(source)
    if (first === null) return false
    const isListing = Buffer.isBuffer(first) && first.subarray(0, listing.length).equals(listing)
    if (!isListing && first !== "flush") {
      source.unread(encodePacket(first))
      return true
    }
    for (let next: Packet | null = first; ; next = await readPacket(source)) {
      if (next === null) return false
      await writeAll(stdin, encodePacket(next))
      if (next === "flush") break
    }
  }
}
