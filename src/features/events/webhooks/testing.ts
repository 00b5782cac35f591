import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import type { Services } from "../../../core/services.ts"

/** For tests: a receiver of webhooks that stores what it was sent. */

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every form
  readonly body: any
}

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Removes and returns the deliveries since the last call. */
  readonly take: () => readonly Received[]
  /** Sets the answer from now on. */
  readonly answer: (status: number, body?: string) => void
  readonly close: () => Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let says = { status: 200, body: "thanks" }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const json = text.startsWith("payload=") ? new URLSearchParams(text).get("payload") : text
      const { method = "", url: path = "", headers } = request
      received.push({ method, path, headers, text, body: JSON.parse(json ?? "null") })
      response.writeHead(says.status, { "content-type": "text/plain", location: "http://127.0.0.1:1/elsewhere" }).end(says.body)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address: AddressInfo | string | null = server.address()
  if (typeof address !== "object" || address === null) throw new TypeError("a listening server has an address")
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    take: () => received.splice(0),
    answer: (status, body = "thanks") => {
      says = { status, body }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

export const signature = (secret: string, text: string, algorithm: "sha1" | "sha256" = "sha256"): string =>
  createHmac(algorithm, secret).update(text).digest("hex")

/** Ends all pauses that deliveries wait for, and waits for the resulting attempts. */
export async function passTime({ database, jobs }: Services): Promise<void> {
  await database.write(async (tx) => {
    await tx.updateTable("webhooks").set({ rests_until: 0 }).execute()
    await tx.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", "webhooks.deliver").where("state", "=", "waiting").execute()
  })
  await jobs.drain()
}
