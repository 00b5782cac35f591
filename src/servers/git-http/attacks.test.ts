import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { expect } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import { ok } from "../../git/testing.ts"
import { address, openWorld, type Person, person, repository, workFolder } from "./testing.ts"

/** Clients that send too much, and those that think for long. */
withWorld("git over HTTP", { open: openWorld }, ({ test, world }) => {
  let ada: Person

  test.beforeAll(async () => {
    ada = await person(world, "ada")
    await repository(world, ada.user, "repo")
    const work = await workFolder(world, "work")
    await ok(work, "push", "-q", address(world, "ada/repo", "ada", ada.token), "main")
  })

  test("bodies that unpack into too much are aborted", async () => {
    const line = `0032want ${"1".repeat(40)}\n`
    const bomb = gzipSync(Buffer.alloc(160 * 1024 * 1024, line))
    expect(bomb.length).toBeLessThan(1024 * 1024)
    const headers = { "content-type": "application/x-git-upload-pack-request", "content-encoding": "gzip" }
    const address = `${world.hearth.url}/ada/repo/git-upload-pack`
    const answer = await fetch(address, { method: "POST", body: new Uint8Array(bomb), headers }).catch(() => undefined)
    if (answer)
      expect(
        await answer.arrayBuffer().then(
          (bytes) => bytes.byteLength,
          () => 0,
        ),
      ).toBeLessThan(1024)
    expect((await fetch(`${world.hearth.url}/api/v1/version`)).status).toBeLessThan(500)
    await expect.poll(() => world.services.git.running()).toBe(0)
  })

  /**
   * Git asks first whether it may push, then makes the pack, which can take minutes, and sends it over the same connection. The server once
   * took the question's body for one that never ended and closed the connection after five seconds, so that slow clients could not push.
   */
  test("a connection stays open between git's question and its pack", async () => {
    const socket = connect(Number(new URL(world.hearth.url).port), "127.0.0.1")
    const ask = (): Promise<string> => {
      socket.write(
        `POST /ada/repo/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: token ${ada.token}\r\n` +
          "Content-Type: application/x-git-receive-pack-request\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0000\r\n0\r\n\r\n",
      )
      return new Promise((resolve, reject) => {
        socket.once("data", (data) => resolve(data.toString("latin1")))
        socket.once("close", () => reject(new Error("the connection was closed")))
      })
    }
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/)
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/)
    socket.destroy()
  })
})
