import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply } from "fastify"
import type { Streamed } from "../core/streamed.ts"

export type SendStream = (reply: FastifyReply, streamed: Streamed) => Promise<FastifyReply>

/** Sends what is made piece by piece, until it ends, the reader is gone, or the server stops. It is made no faster than the reader takes it. */
export function openStreams(app: FastifyInstance): SendStream {
  // A signal looks through all who listen to it before it takes another one.
  const open = new Set<() => void>()
  let isStopping = false
  app.addHook("preClose", async () => {
    isStopping = true
    for (const stop of open) stop()
  })
  return async (reply, { type, begin }) => {
    const gone = new AbortController()
    const stop = () => {
      open.delete(stop)
      gone.abort()
    }
    open.add(stop)
    reply.raw.once("close", stop)
    if (isStopping || reply.raw.closed) stop()
    const { headers = {}, pieces } = await begin(gone.signal)
    reply.headers({
      ...headers,
      "content-type": `${type};charset=utf-8`,
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      // Proxies that collect answers before they pass them on know this header.
      "x-accel-buffering": "no",
    })
    if (reply.request.method === "HEAD") {
      stop()
      return reply.send("")
    }
    // As bytes: a stream of objects would make sixteen of them ahead of a slow reader.
    return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 4 * 1024 }))
  }
}
