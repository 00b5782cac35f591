import type { Server } from "node:http"
import { Socket } from "node:net"

/** Answers of one turn of the event loop are sent together at its end: sent one by one, each would wake a reader beside this process, which then waits for the next. */
export function gatherAnswers(server: Server): void {
  let waiting: Socket[] = []
  const flush = (): void => {
    const sockets = waiting
    waiting = []
    for (const socket of sockets) Socket.prototype.uncork.call(socket)
  }
  server.on("connection", (socket: Socket) => {
    socket.uncork = () => {
      if (waiting.push(socket) === 1) setImmediate(flush)
    }
  })
}
