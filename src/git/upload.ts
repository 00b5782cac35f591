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
  /** The answer to the client; ended here when git is done. */
  readonly output: Writable
  /** The client's `Git-Protocol`. */
  readonly protocol?: string | undefined
  /** One request and one answer (HTTP), or a session (SSH), which git then opens with its advertisement. */
  readonly stateless: boolean
  /** Fires when the client is gone. */
  readonly signal?: AbortSignal
}

/** How git ended. An exit code other than 0 is reported to the client in the stream, and common: clients disconnect when they have what they want. */
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

/** Seconds after which git ends a session in which the client is silent. */
const silence = 120

/**
 * Serves a fetch by `git upload-pack`, streaming both ways with back-pressure and without compressing anything again. Waits for a
 * permit first, because packs are limited for each repository and in all; in a session it waits when the client requests a pack. Throws
 * `busy` or `aborted` before anything of a pack is written; later `timeout`, `aborted` or `failed` when git was killed, upon which the caller must cut the
 * connection, not end it.
 */
export async function serveUpload(context: Context, repository: Repository, request: UploadRequest): Promise<UploadOutcome> {
  const { input, output, protocol, stateless, signal } = request
  const source = byteSource(input)
  // An error without a listener would end the process.
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
    // A client that disconnects closes the output early; the rest is not needed then.
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
 * Forwards the client's input, and acquires the permit for a pack only once it requests one: idle clients would block all others. Throws
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

/** Forwards requests for lists of references until the client requests something else, which is left in the source. */
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
