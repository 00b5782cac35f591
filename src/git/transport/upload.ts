import type { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { DAMAGED } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { type ByteSource, byteSource, pipeInto, writeAll } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { type Turn, takeTurn } from "../process/limits.ts"
import type { Exit, GitProcess } from "../process/process.ts"
import { type Spooled, spool } from "../process/spool.ts"
import { protocolVersion } from "./advertise.ts"
import { findAnswerSlot, linesOf } from "./answers.ts"
import { encodePacket, type Packet, readPacket } from "./pktline.ts"

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

/** Seconds after which git ends a session in which the client is silent. */
const silence = 120

/** The longest request of a fetch, in bytes: a hundred for each of a million references. */
const REQUEST_BYTES = 128 * 1024 * 1024

/**
 * Serves a fetch by `git upload-pack`, streaming the answer with back-pressure and without compressing anything again. Packs are limited for each repository,
 * each caller and in all. A single request is taken in whole before it waits for a permit, a session waits when the client requests a pack. Throws
 * `busy` or `aborted` before anything of a pack is written; later `timeout`, `aborted` or `failed` when git was killed, upon which the caller must cut the
 * connection, not end it.
 */
export async function serveUpload(context: Context, repository: Repository, request: UploadRequest): Promise<UploadOutcome> {
  const source = byteSource(request.input)
  // An error without a listener would end the process.
  request.output.on("error", () => {})
  if (!request.stateless) return serveSession(context, repository, request, source)
  const taken = await spool(context.spool, source, REQUEST_BYTES)
  try {
    return await answer(context, repository, request, taken)
  } finally {
    await taken.close()
  }
}

/** Answers a single request. */
async function answer(context: Context, repository: Repository, request: UploadRequest, taken: Spooled): Promise<UploadOutcome> {
  const { output, protocol, signal } = request
  const isVersion2 = protocolVersion(protocol) === 2
  const slot = isVersion2 && taken.bytes !== undefined ? await findAnswerSlot(context, repository, taken.bytes) : undefined
  if (slot?.kept !== undefined) {
    output.end(slot.kept)
    return { code: 0, stderr: "" }
  }
  if (slot !== undefined && taken.bytes !== undefined) {
    const { listForClient } = await import("./list-refs.ts")
    const listed = await listForClient(context, repository, linesOf(taken.bytes) ?? [])
    if (listed !== undefined) {
      slot.add(listed)
      await slot.keep()
      output.end(listed)
      return { code: 0, stderr: "" }
    }
  }
  const isListing = isVersion2 && taken.bytes?.subarray(4, 4 + listing.length).equals(listing) === true
  const release = await (isListing ? context.listings : context.fetches).acquire(repository.key, { signal })
  try {
    const process = start(context, repository, request, ["--strict", "--stateless-rpc"])
    if (taken.bytes === undefined) taken.content().pipe(process.stdin)
    else process.stdin.end(taken.bytes)
    if (slot !== undefined) process.stdout.on("data", slot.add)
    const exit = await sendTo(output, process, process.exit)
    const isDamaged = DAMAGED.test(exit.stderr)
    if (exit.code === 0 && !isDamaged) await slot?.keep()
    else if (isDamaged)
      context.log({ level: "error", message: "a fetch met a damaged object", repository: repository.key, detail: exit.stderr })
    else context.log({ level: "debug", message: "upload-pack", repository: repository.key, detail: exit.stderr })
    output.end()
    return exit
  } finally {
    release()
  }
}

/** Serves a client that asks again and again, over SSH. */
async function serveSession(context: Context, repository: Repository, request: UploadRequest, source: ByteSource): Promise<UploadOutcome> {
  const { output, signal } = request
  const turn = takeTurn(await context.listings.acquire(repository.key, { signal }))
  try {
    const process = start(context, repository, request, ["--strict", `--timeout=${silence}`])
    let refusal: unknown
    serveConversation(context, repository, request, { source, process, turn }).catch((error: unknown) => {
      refusal = error
      process.kill()
    })
    const exit = await sendTo(
      output,
      process,
      process.exit.catch((error: unknown) => {
        throw refusal ?? error
      }),
    )
    if (exit.code !== 0) context.log({ level: "debug", message: "upload-pack", repository: repository.key, detail: exit.stderr })
    output.end()
    return exit
  } finally {
    turn.end()
  }
}

const start = (context: Context, repository: Repository, { protocol, signal }: UploadRequest, flags: readonly string[]): GitProcess =>
  context.processes.stream(
    { name: "upload-pack", flags, args: [repository.directory] },
    { repository, protocol, signal, timeoutMs: context.limits.transferMs },
  )

async function sendTo(output: Writable, { stdout, kill }: GitProcess, exit: Promise<Exit>): Promise<Exit> {
  // A client that disconnects closes the output early; the rest is not needed then.
  const sent = pipeline(stdout, output, { end: false }).catch(kill)
  const ended = await exit
  await sent
  return ended
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
    turn.exchange(await context.fetches.acquire(repository.key, { signal }))
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
