import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { expect, test } from "vitest"
import { readUnread } from "./unread.ts"

test.for([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["::ffff:127.0.0.1", "::"],
])("what the client at %s has not taken is known of its connection alone", async ([from = "", at]) => {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket.on("error", () => undefined)))
  await once(server.listen(0, at), "listening")
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  const [unread, read] = [connect(port, from).pause(), connect(port, from).resume()]
  await expect.poll(() => accepted.length).toBe(2)
  // More than the client's own system takes.
  for (const socket of accepted) socket.write(Buffer.alloc(1024 * 1024))
  const left = async (of: Socket) => {
    const unreadOf = await readUnread()
    return accepted.filter(({ remotePort }) => remotePort === of.localPort).map(unreadOf)
  }
  await expect.poll(() => left(read)).toEqual([0])
  expect((await left(unread))[0]).toBeGreaterThan(100_000)
  unread.resume()
  await expect.poll(() => left(unread)).toEqual([0])
  for (const socket of [unread, read]) socket.destroy()
  server.close()
})
