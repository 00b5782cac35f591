import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect, test } from "vitest"

/** A server whose log goes to a pipe without an active reader. */

const folder = mkdtempSync(join(tmpdir(), "hearth-log-"))
const home = join(import.meta.dirname, "..", "..")
const pipe = join(folder, "log")
/** Never read, it keeps the pipe open. */
let reading = -1
let child: ReturnType<typeof start>

const openReading = (): number => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)

function start(log: number) {
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(home, "src/command/main.ts"), "serve"], {
    env: {
      PATH: process.env["PATH"],
      HEARTH_DATA_DIR: join(folder, "data"),
      HEARTH_HTTP_PORT: "0",
      HEARTH_SSH_PORT: "0",
      HEARTH_PROCESSES: "1",
    },
    stdio: ["ignore", "pipe", log],
  })
}

beforeAll(() => {
  execFileSync("mkfifo", [pipe])
  reading = openReading()
  const writing = openSync(pipe, constants.O_WRONLY)
  child = start(writing)
  closeSync(writing)
})
afterAll(() => {
  child.kill("SIGKILL")
  closeSync(reading)
  rmSync(folder, { recursive: true, force: true })
})

async function urlOf(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stdout)) {
    const url = / is ready: (http\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error("the server did not start")
}

test("goes on answering, says what it dropped once the log is read, and ends in good order", async () => {
  if (child.stdout === null) throw new Error("no output")
  const url = await urlOf(child.stdout)
  const dropped = async () => Number(/^hearth_log_lines_dropped_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])
  expect(await dropped()).toBe(0)
  const ask = async () => expect((await fetch(`${url}/api/v1/version`)).status).toBe(200)
  const fill = async (most: number) => {
    while ((await dropped()) <= most) await Promise.all(Array.from({ length: 50 }, ask))
  }
  await fill(10)
  const reader = new Socket({ fd: openReading(), readable: true, writable: false })
  let told: { readonly message?: string; readonly lines?: number } = {}
  for await (const line of createInterface(reader)) {
    told = JSON.parse(line)
    if (told.message?.includes("dropped") === true) break
  }
  expect(told.lines).toBeGreaterThan(10)
  reader.destroy()
  await fill((await dropped()) + 10)
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  expect(await ended).toEqual([0, null])
})
