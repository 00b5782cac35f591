import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterAll, expect, test } from "vitest"
import { watchConnections } from "./connections.ts"

const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
})

/** A server whose connections are watched, and one connection to it. */
async function open(answer: RequestListener) {
  const server = createServer(answer)
  const connections = watchConnections(server, {
    total: () => 10,
    perAddress: () => 10,
    isProxy: () => false,
    stallMs: 60_000,
    bodyMs: 60_000,
    bodyRate: 1,
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address: AddressInfo | string | null = server.address()
  const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1").setEncoding("utf8")
  ends.push(() => {
    socket.destroy()
    server.closeAllConnections()
  })
  let text = ""
  socket.on("data", (chunk) => {
    text += chunk
  })
  const has = (words: string) => expect.poll(() => text).toContain(words)
  return { connections, socket, has, ask: () => socket.write("GET / HTTP/1.1\r\nHost: hearth\r\n\r\n") }
}

/** Likewise; answers begin at once, and end with these words when they are told to. */
async function openSlow(words: string) {
  let end = (): void => {}
  const opened = await open((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    response.write("begun")
    end = () => response.end(words)
  })
  return { ...opened, end: () => end() }
}

test("a connection whose answer had begun when the server drains is closed after the next one, which may be on its way", async () => {
  const { connections, socket, has, ask, end } = await openSlow("first")
  ask()
  await has("begun")
  const drained = connections.drain(10_000)
  end()
  await has("first")
  ask()
  await has("connection: close")
  const closed = once(socket, "close")
  end()
  await Promise.all([drained, closed])
})

test("a connection that stays idle holds a server that drains no longer than it may, and one whose answer ends later is closed", async () => {
  const { connections, socket, has, ask, end } = await openSlow("last")
  const idle = await open((_request, response) => response.end("answered"))
  idle.ask()
  await idle.has("answered")
  await idle.connections.drain(100)
  ask()
  await has("begun")
  await connections.drain(100)
  const closed = once(socket, "close")
  end()
  await has("last")
  await closed
})
