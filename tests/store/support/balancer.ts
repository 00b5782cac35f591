/** A proxy before several servers: each request goes to the next of them, and where that one takes no connection to the one after. */
import { once } from "node:events"
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { pipeline } from "node:stream"

export interface Balancer {
  readonly url: string
  /** Sets what gives the ports of the servers, in their order. */
  readonly lead: (ports: () => readonly number[]) => void
  readonly close: () => Promise<void>
}

interface Choice {
  readonly ports: readonly number[]
  readonly at: number
  readonly tried: number
}

export async function openBalancer(): Promise<Balancer> {
  let portsNow = (): readonly number[] => []
  let turn = 0
  const server = createServer((request, response) => {
    const first = turn++
    pass(request, response, { ports: portsNow(), at: first, tried: 0 })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`

  function pass(request: IncomingMessage, response: ServerResponse, { ports, at, tried }: Choice): void {
    const port = ports[(at + tried) % ports.length]
    if (tried === ports.length || port === undefined) return void response.writeHead(502).end()
    const { method, url: path, rawHeaders } = request
    // The headers as they are, with the host that the client has asked.
    const sent = ask({ host: "127.0.0.1", port, method, path, headers: rawHeaders, agent: false })
    let isConnected = false
    // Not before there is a connection: what is read of the body is gone.
    sent.on("socket", (socket: Socket) =>
      socket.once("connect", () => {
        isConnected = true
        pipeline(request, sent, () => {})
      }),
    )
    sent.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      pipeline(answer, response, () => {})
    })
    sent.on("error", () => {
      if (!isConnected) pass(request, response, { ports, at, tried: tried + 1 })
      else response.destroy()
    })
    response.on("close", () => void (response.writableFinished || sent.destroy()))
  }

  return {
    url,
    lead(next) {
      portsNow = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
