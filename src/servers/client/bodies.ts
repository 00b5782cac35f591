import type { FastifyRequest } from "fastify"
import { callerKey } from "../../core/caller.ts"
import type { Share } from "../../core/cluster/share.ts"
import { refuse } from "../../core/errors.ts"
import type { LimiterState } from "../../git/index.ts"

/** The first bytes of a body are not counted: connections are bounded, and small requests must go on when large ones are refused. */
const FREE_BYTES = 64 * 1024

/** Collects the bodies of requests in memory, all of them together up to a limit, of which one caller may have half. */
export interface Bodies {
  /** The body, which counts until it is released. Refuses `tooLarge` over `limit` bytes, and `busy` when others take up the memory. */
  readonly collect: (request: FastifyRequest, limit: number) => Promise<Buffer>
  /** To be called when the answer is sent, or the client is gone. */
  readonly release: (request: FastifyRequest) => void
  readonly state: () => LimiterState
}

export function openBodies(whole: number, share: Share): Bodies {
  const held = new Map<string, number>()
  const counted = new WeakMap<FastifyRequest, { readonly caller: string; bytes: number }>()
  let [active, refused] = [0, 0]

  function take(caller: string, bytes: number): void {
    const total = share(whole)
    const theirs = (held.get(caller) ?? 0) + bytes
    if (active + bytes > total || theirs > total / 2) {
      refused += 1
      throw refuse.busy("too many large requests are at hand; try again in a moment")
    }
    active += bytes
    held.set(caller, theirs)
  }

  function give(caller: string, bytes: number): void {
    active -= bytes
    const left = (held.get(caller) ?? 0) - bytes
    if (left > 0) held.set(caller, left)
    else held.delete(caller)
  }

  return {
    async collect(request, limit) {
      const { raw } = request
      if (Number(raw.headers["content-length"] ?? 0) > limit) throw refuse.tooLarge("the request body is too large")
      const theirs = { caller: callerKey(), bytes: 0 }
      counted.set(request, theirs)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of raw) {
        size += chunk.length
        if (size > limit) throw refuse.tooLarge("the request body is too large")
        const more = Math.max(0, size - FREE_BYTES) - theirs.bytes
        if (more > 0) take(theirs.caller, more)
        theirs.bytes += more
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },
    release(request) {
      const theirs = counted.get(request)
      counted.delete(request)
      if (theirs) give(theirs.caller, theirs.bytes)
    },
    state: () => ({ name: "body_bytes", total: share(whole), active, waiting: 0, refused }),
  }
}
