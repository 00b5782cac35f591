import { once } from "node:events"
import { createServer, type IncomingMessage, request } from "node:http"
import { expect, test } from "vitest"
import { discardRest } from "./request.ts"

/**
 * A body whose reader stopped at the last byte that it wanted, and did not wait for the end, was once taken for one that stalls: five seconds after the
 * answer the connection was closed, whatever other request was on it by then.
 */
test.each(["read to its last byte", "not read"])("a body that was %s ends, and its connection stays open", async (how) => {
  const bodies: IncomingMessage[] = []
  const server = createServer(async (body, response) => {
    bodies.push(body)
    let size = 0
    if (how !== "not read")
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        size += chunk.length
        if (size === 10) break
      }
    response.end("ok", () => discardRest(body))
  }).listen(0)
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new TypeError("the server listens on a port")
  const sent = request({ port: address.port, method: "PUT", headers: { "content-length": 10 } })
  const closed = once(sent, "close")
  sent.end("0123456789")
  const [answer]: IncomingMessage[] = await once(sent, "response")
  answer?.resume()
  await expect.poll(() => bodies[0]?.readableEnded).toBe(true)
  await closed
  expect(bodies[0]?.errored).toBeNull()
  expect(bodies[0]?.socket.destroyed).toBe(false)
  server.closeAllConnections()
  server.close()
})
