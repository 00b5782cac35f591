/*
 * The operator stops the server while someone keeps a request open. SIGTERM waited for ever. Now requests get a grace (`http.stopSeconds`), are cut off then, git
 * processes end with them, and the exit code says that it was so.
 */
import { execFile } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { MIB } from "../../attacks/repositories.ts"
import { CHUNKED, chunk, dial, head } from "../../attacks/sockets.ts"
import { basic } from "../../support/hearth.ts"
import { startServer } from "../../support/server-process.ts"

const serve = async (stopSeconds: string) => {
  const dataDir = join(tmpdir(), `hearth-stop-${randomUUID()}`)
  const server = await startServer({
    HEARTH_DATA_DIR: dataDir,
    HEARTH_ADMIN_PASSWORD: "pass-word-1",
    HEARTH_HTTP_STOP_SECONDS: stopSeconds,
  })
  return { server, remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }) }
}

/** The git processes that serve a fetch, below this process. Others may be at work for background jobs. */
async function fetchesOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=,args=", "--ppid", String(pid)]).catch(() => ({ stdout: "" }))
  return stdout
    .split("\n")
    .filter((line) => line.includes("upload-pack"))
    .map((line) => Number.parseInt(line, 10))
}

test("requests that stay open are cut off after the grace, git ends, and the exit code says so", async () => {
  const { server, remove } = await serve("1")
  const send = (method: string, path: string, body?: object) =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: basic("root", "pass-word-1"), "content-type": "application/json" },
    })
  await send("POST", "/user/repos", { name: "tool", auto_init: true })
  await send("POST", "/repos/root/tool/contents/large.bin", { content: randomBytes(12 * MIB).toString("base64") })
  const [tip] = /[0-9a-f]{40}/.exec(await (await send("GET", "/repos/root/tool/git/refs/heads/main")).text()) ?? []
  const type = { "content-type": "application/x-git-upload-pack-request" }
  const unfinished = await dial(server.url, head("POST /root/tool.git/git-upload-pack", { headers: { ...CHUNKED, ...type } }))
  unfinished.socket.write(chunk("0032want "))
  // Git waits where more than the buffers of a connection hold isn't read.
  const wanted = `0032want ${tip}\n00000009done\n`
  const fetched = head("POST /root/tool.git/git-upload-pack", { headers: { "content-length": String(wanted.length), ...type } })
  const unread = [
    await dial(server.url, fetched + wanted, { reads: false }),
    await dial(server.url, head("GET /api/v1/repos/root/tool/raw/large.bin"), { reads: false }),
  ]
  await expect.poll(async () => (await fetchesOf(server.pid)).length).toBe(1)
  const git = await fetchesOf(server.pid)
  expect(await server.stop()).toBe(1)
  expect(server.output()).toContain("Requests were still under way when the time to stop was over, and were cut off.")
  for (const pid of git) expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  await unfinished.closed
  for (const { socket } of unread) socket.destroy()
  await remove()
})

test("without open requests it stops at once, and well", async () => {
  const { server, remove } = await serve("60")
  const idle = await dial(server.url, head("GET /api/v1/version"))
  await expect.poll(idle.received).toContain("200 OK")
  expect(await server.stop()).toBe(0)
  await idle.closed
  await remove()
})
