/*
 * Someone asks for everything that is costly at once: large files, diffs and clones that they don't read, comparisons, archives, and packs that explode. Single kinds of these
 * took 3.5 and 6.3 GB before. Now the server with all its git processes stays under 1.5 GiB with a hundred such requests at hand (README, docs/operating.md).
 */
import { randomBytes, randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { explodingPack, pushRequest } from "../../attacks/packs.ts"
import { MIB, noisyText } from "../../attacks/repositories.ts"
import { CHUNKED, chunk, dial, head, times } from "../../attacks/sockets.ts"
import { type Answer, basic } from "../../support/hearth.ts"
import { startServer } from "../../support/server-process.ts"

const MOST = 1536 * MIB
const PAGE = 4096

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It has ended.
    return ""
  }
}

/** The memory of a process and all below it, in bytes. The kernel has it at hand: to wait for each file takes ten times the processor time. */
function memoryOfTree(root: number): number {
  const parents = new Map<number, number>()
  const memory = new Map<number, number>()
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const [, parent = "0"] = /^.*\) \S (\d+)/s.exec(textOf(`/proc/${name}/stat`)) ?? []
    parents.set(Number(name), Number(parent))
    memory.set(Number(name), Number(textOf(`/proc/${name}/statm`).split(" ")[1] ?? 0) * PAGE)
  }
  const isBelow = (pid: number): boolean => pid === root || (parents.has(pid) && isBelow(parents.get(pid) ?? 0))
  return [...memory].reduce((sum, [pid, bytes]) => sum + (isBelow(pid) ? bytes : 0), 0)
}

test.runIf(process.platform === "linux")("a hundred costly requests at once stay under 1.5 GiB", async () => {
  const dataDir = join(tmpdir(), `hearth-memory-${randomUUID()}`)
  const server = await startServer({
    HEARTH_DATA_DIR: dataDir,
    HEARTH_ADMIN_PASSWORD: "pass-word-1",
    HEARTH_HTTP_TRUSTED_PROXIES: "none",
    HEARTH_HTTP_STOP_SECONDS: "0",
  })
  const login = "root:pass-word-1"
  const send = async (method: string, path: string, body: object): Promise<Answer["body"]> => {
    const headers = { authorization: basic("root", "pass-word-1"), "content-type": "application/json" }
    return (await fetch(`${server.url}/api/v1${path}`, { method, body: JSON.stringify(body), headers })).json()
  }
  const write = async (path: string, content: Buffer | string, sha?: string) =>
    send(sha === undefined ? "POST" : "PUT", `/repos/root/tool/contents/${path}`, { content: Buffer.from(content).toString("base64"), sha })
  await send("POST", "/user/repos", { name: "tool", auto_init: true })
  await write("large.bin", randomBytes(12 * MIB))
  const commits: string[] = []
  let blob: string | undefined
  for (let count = 0; count < 4; count++) {
    const made = await write("text.txt", noisyText(4 * MIB - 1000), blob)
    blob = made.content.sha
    commits.push(made.commit.sha)
  }

  const from = (index: number) => `127.0.0.${10 + (index % 8)}`
  const get = (path: string) => (index: number) => dial(server.url, head(`GET ${path}`), { reads: false, from: from(index) })
  const clone = async (index: number) => {
    const headers = { ...CHUNKED, "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" }
    const dialled = await dial(server.url, head("POST /root/tool.git/git-upload-pack", { headers }), { reads: false, from: from(index) })
    const want = `0032want ${commits.at(-1)}\n`
    dialled.socket.write(Buffer.concat([chunk(`0011command=fetch0001${want}0009done\n0000`), Buffer.from("0\r\n\r\n")]))
    return dialled
  }
  const push = async (index: number) => {
    const { headers, body } = pushRequest(explodingPack(2_000, 0))
    const dialled = await dial(server.url, head("POST /root/tool.git/git-receive-pack", { login, headers }), { from: from(index) })
    dialled.socket.write(body)
    return dialled
  }
  const commit = (index: number) => commits[index % commits.length] ?? ""
  const api = "/api/v1/repos/root/tool"
  const requests = await Promise.all([
    ...times(16, get(`${api}/raw/large.bin`)),
    ...times(16, (index) => get(`${api}/git/commits/${commit(index)}.diff`)(index)),
    ...times(32, (index) => get(`${api}/git/commits/${commit(index)}`)(index)),
    ...times(8, (index) => get(`${api}/archive/${commit(index)}.tar.gz`)(index)),
    ...times(12, clone),
    ...times(16, push),
  ])
  expect(requests).toHaveLength(100)

  // Until all that answer by themselves have answered.
  const pushes = requests.slice(-16)
  let most = 0
  await expect
    .poll(
      () => {
        most = Math.max(most, memoryOfTree(server.pid))
        return pushes.every(({ received }) => received().includes("unpack "))
      },
      { interval: 20, timeout: 200_000 },
    )
    .toBe(true)
  expect(most, `${Math.round(most / MIB)} MiB`).toBeLessThan(MOST)
  for (const { socket } of requests) socket.destroy()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})
