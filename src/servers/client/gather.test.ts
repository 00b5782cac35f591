import { once } from "node:events"
import { createServer } from "node:http"
import { connect } from "node:net"
import { setImmediate as endOfTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import { gatherAnswers } from "./gather.ts"

const HEAD = "GET / HTTP/1.1\r\nhost: here\r\n\r\n"

async function serve(answer: Parameters<typeof createServer>[1]) {
  const server = createServer(answer)
  gatherAnswers(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  const ask = (text: string) => {
    const socket = connect(port, "127.0.0.1")
    socket.write(text)
    const read = { text: "", socket }
    socket.on("data", (chunk: Buffer) => {
      read.text += chunk.toString()
    })
    return read
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { ask, close }
}

test("an answer is sent at the end of the turn of the event loop in which it was made, whole and in order", async () => {
  const held: number[] = []
  let count = 0
  const { ask, close } = await serve((_request, response) => {
    response.end(`answer ${++count}\n`)
    held.push(response.socket?.writableLength ?? 0)
  })
  const asked = ask(HEAD.repeat(3))
  await expect.poll(() => asked.text).toMatch(/answer 1\n[\s\S]*answer 2\n[\s\S]*answer 3\n$/)
  expect(held[0]).toBeGreaterThan(0)
  close()
})

test("an answer that is not complete yet is not held back, nor one of a connection that is lost", async () => {
  const { ask, close } = await serve((request, response) => {
    response.write("first\n")
    if (request.headers["x-end"]) request.socket.destroy()
  })
  const lost = ask(HEAD.replace("host", "x-end: 1\r\nhost"))
  await once(lost.socket, "close")
  const waiting = ask(HEAD)
  await expect.poll(() => waiting.text).toContain("first\n")
  await endOfTurn()
  close()
})
