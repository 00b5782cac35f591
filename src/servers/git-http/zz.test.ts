import { connect } from "node:net"
import { test } from "vitest"
import { openWorld, person, repository } from "./testing.ts"
test("x", async () => {
  const world = await openWorld("memory", { log: { level: "debug", format: "text" } })
  const ada = await person(world, "ada")
  await repository(world, ada.user, "repo")
  const port = Number(new URL(world.hearth.url).port)
  const auth = `Authorization: token ${ada.token}\r\n`
  for (const [name, text] of [
    ["GET", `GET /ada/repo/info/refs?service=git-receive-pack HTTP/1.1\r\nHost: x\r\n${auth}\r\n`],
    ["GET 401", `GET /ada/repo/info/refs?service=git-receive-pack HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["probe", `POST /ada/repo/git-receive-pack HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 4\r\n\r\n0000`],
    ["chunked", `POST /ada/repo/git-receive-pack HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/x-git-receive-pack-request\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0000\r\n0\r\n\r\n`],
  ]) {
    const socket = connect(port, "127.0.0.1")
    socket.write(text ?? "")
    const t = Date.now()
    socket.on("data", (d) => console.log(name, Date.now() - t, d.toString().split("\r\n")[0], /keep-alive.*/i.exec(d.toString())?.[0]))
    socket.on("close", () => console.log(name, "closed", Date.now() - t))
  }
  await new Promise((r) => setTimeout(r, 9000))
  console.log("END")
  await world.close()
}, 20000)
