import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { describe, expect, test } from "vitest"
import { openWorld } from "../testing.ts"
import { flushPacket, packet, readPacket, sideBand } from "../transport/pktline.ts"
import { openPushClient } from "../transport/push-report.ts"
import { byteSource } from "./bytes.ts"
import { defaultLimits } from "./context.ts"
import { createLimiter, ownCaller } from "./limits.ts"
import { createProcesses, isProtocol } from "./process.ts"

const commands = createLimiter({ name: "commands", total: 8, perRepository: 8, queue: 8, waitMs: 5000 })
const memory = { ...defaultLimits.memory, process: 0 }
const settings = {
  ...{ agent: "test", root: "/", durable: false, windowBytes: 1000, threads: 1, commandMs: 5000, outputBytes: 100_000 },
  ...{ commands, memory, caller: () => ownCaller },
}

/** A fake git that runs this script. */
async function standIn(script: string): Promise<{ readonly program: string; readonly done: () => Promise<void> }> {
  const world = await openWorld()
  const program = join(world.folder, "git")
  await writeFile(program, `#!/bin/sh\n${script}\n`)
  await chmod(program, 0o755)
  return { program, done: world.close }
}

describe("processes", () => {
  test("see a fixed environment: of this process's own, only PATH", async () => {
    const { program, done } = await standIn("env")
    process.env.GIT_DIR = "/somewhere"
    process.env.HEARTH_SECRET_FOR_TEST = "x"
    const { stdout } = await createProcesses({ ...settings, program }).run({ name: "version" }, { protocol: "version=2" })
    delete process.env.GIT_DIR
    delete process.env.HEARTH_SECRET_FOR_TEST
    const lines = stdout.toString().split("\n")
    const names = lines.map((line) => line.split("=")[0]).filter((name) => !/^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name ?? ""))
    const own =
      "GIT_ALLOC_LIMIT GIT_ATTR_NOSYSTEM GIT_CEILING_DIRECTORIES GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_LITERAL_PATHSPECS GIT_NO_REPLACE_OBJECTS GIT_OPTIONAL_LOCKS"
    const rest = "GIT_PROTOCOL GIT_TERMINAL_PROMPT GIT_USER_AGENT HOME LC_ALL PATH"
    // The shell that runs the fake adds these itself.
    expect(names.filter((name) => name !== "" && name !== "PWD" && name !== "_" && name !== "SHLVL" && name !== "OLDPWD").sort()).toEqual(
      `${own} ${rest}`.split(" "),
    )
    expect(lines).toContain("GIT_CONFIG_GLOBAL=/dev/null")
    await done()
  })

  test("take no flag for an argument and no argument for a flag", () => {
    const processes = createProcesses({ ...settings, program: "git" })
    expect(() => processes.stream({ name: "rev-list", args: ["--all"] })).toThrow()
    expect(() => processes.stream({ name: "rev-list", flags: ["main"] })).toThrow()
    expect(processes.spawned()).toBe(0)
  })

  test("end on a timeout, too much output or an abort, and report which", async () => {
    const slow = await standIn("sleep 60 & sleep 60")
    const processes = createProcesses({ ...settings, program: slow.program })
    await expect(processes.run({ name: "version" }, { timeoutMs: 50 })).rejects.toMatchObject({ kind: "timeout" })
    await expect(processes.run({ name: "version" }, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ kind: "aborted" })
    const waiting = processes.run({ name: "version" })
    const refused = expect(waiting).rejects.toMatchObject({ kind: "aborted" })
    await processes.close()
    await refused
    expect(() => processes.stream({ name: "version" })).toThrow()
    expect(processes.running()).toBe(0)
    const loud = await standIn("yes")
    await expect(createProcesses({ ...settings, program: loud.program }).run({ name: "version" })).rejects.toMatchObject({
      kind: "tooLarge",
    })
    await Promise.all([slow.done(), loud.done()])
  })

  test("that fail keep their output; a missing program is reported", async () => {
    const failing = await standIn("echo oh no >&2; exit 3")
    const processes = createProcesses({ ...settings, program: failing.program })
    await expect(processes.run({ name: "version" })).rejects.toMatchObject({ kind: "failed", detail: "oh no\n" })
    expect((await processes.run({ name: "version" }, { accept: [3] })).code).toBe(3)
    await expect(createProcesses({ ...settings, program: "/none/git" }).run({ name: "version" })).rejects.toMatchObject({ kind: "failed" })
    await failing.done()
  })

  test("an old git is refused, this one is named", async () => {
    const old = await standIn("echo git version 2.30.1")
    const world = await openWorld({ program: old.program })
    await expect(world.git.version()).rejects.toMatchObject({ kind: "failed" })
    await Promise.all([world.close(), old.done()])
    const now = await openWorld()
    expect(await now.git.version()).toMatch(/^\d+\.\d+/)
    await now.close()
  })

  test.each([
    ["version=2", true],
    ["version=2:object=sha1", true],
    ["", false],
    ["version", false],
    ["version=2;x", false],
    ["version=2:", false],
    ["a=b\n", false],
  ])("Git-Protocol %j is well formed: %j", (value, good) => {
    expect(isProtocol(value)).toBe(good)
  })
})

describe("packets", () => {
  const from = (...parts: readonly string[]) => byteSource(Readable.from(parts.map((part) => Buffer.from(part))))

  test("are read whatever the chunks they come in", async () => {
    const source = from("00", "09he", "llo0000000100", "020004")
    expect([
      await readPacket(source),
      await readPacket(source),
      await readPacket(source),
      await readPacket(source),
      await readPacket(source),
    ]).toEqual([Buffer.from("hello"), "flush", "delimiter", "responseEnd", Buffer.alloc(0)])
    expect(await readPacket(source)).toBeNull()
  })

  test.each(["0003", "zzzz", "00", "0009he", "ffff", "-001"])("malformed, like %j, are refused", async (text) => {
    await expect(readPacket(from(text))).rejects.toMatchObject({ kind: "protocol" })
  })

  test("over the limit are refused before they are read, and are never made", async () => {
    await expect(readPacket(from("1000"), 100)).rejects.toMatchObject({ kind: "protocol" })
    expect(() => packet(Buffer.alloc(65_517))).toThrow()
  })

  test("carry a side band of any length", async () => {
    const bytes = Buffer.alloc(150_000, "x")
    const source = byteSource(Readable.from([sideBand(1, bytes), flushPacket]))
    const parts: Buffer[] = []
    for (let next = await readPacket(source); Buffer.isBuffer(next); next = await readPacket(source)) parts.push(next.subarray(1))
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    expect(sideBand(1, "").toString()).toBe("0005\x01")
  })

  test("of a stream that is cut off are reported as such", async () => {
    const stream = new PassThrough()
    const reading = readPacket(byteSource(stream))
    stream.write("00")
    stream.destroy()
    await expect(reading).rejects.toMatchObject({ kind: "aborted" })
  })
})

test("a client that waits is kept company once all it sends is here, until its report", async () => {
  let text = ""
  const output = new PassThrough().on("data", (part: Buffer) => {
    text += part.toString("latin1")
  })
  const client = openPushClient(output, new Set(["side-band-64k", "report-status"]), "/srv/git/x", 10)
  client.progress?.(Buffer.from("fatal: /srv/git/x/objects is full\n"))
  client.keepAlive()
  await expect.poll(() => text).toContain("0005\x010005\x01")
  await client.report(null, [{ name: "refs/heads/a", refused: "two\nlines" }])
  expect(text).toContain("fatal: /objects is full")
  await expect.poll(() => text).toMatch(/unpack ok\n[0-9a-f]{4}ng refs\/heads\/a two lines\n00000000$/)
})
