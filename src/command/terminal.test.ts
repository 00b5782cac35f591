import { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { CommandFailed } from "./failure.ts"
import { processTerminal } from "./terminal.ts"

/** A terminal, or where `isTTY` is false a pipe, that records its output. */
function fake(isTTY: boolean) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY }),
  )
  if (!stdin || !stdout || !stderr) throw new Error("three streams were made")
  const shown: string[] = []
  stderr.setEncoding("utf8").on("data", (text: string) => shown.push(text))
  return { terminal: processTerminal({ stdin, stdout, stderr }), stdin, stdout, shown: () => shown.join("") }
}

describe("asking on a terminal", () => {
  test("shows nothing of what is hidden", async () => {
    const { terminal, stdin, shown } = fake(true)
    expect([terminal.interactive, terminal.attended]).toEqual([true, true])
    const answer = terminal.ask("New password: ", { hidden: true })
    stdin.write("hunter3\u007f2\r")
    expect(await answer).toBe("hunter2")
    expect(shown()).toBe("New password: \n")
  })

  test("gives one answer after the other", async () => {
    const { terminal, stdin } = fake(true)
    const first = terminal.ask("One: ", { hidden: true })
    stdin.write("a\r")
    expect(await first).toBe("a")
    const second = terminal.ask("Two: ")
    stdin.write("b\n")
    expect(await second).toBe("b")
  })

  test.each([
    ["Ctrl-C", "hunter\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("is broken off by %s", async (_key, typed) => {
    const { terminal, stdin } = fake(true)
    const answer = terminal.ask("New password: ", { hidden: true })
    stdin.write(typed)
    await expect(answer).rejects.toThrow(CommandFailed)
  })

  test("is broken off at the end of the input", async () => {
    const { terminal, stdin } = fake(true)
    const answer = terminal.ask("Sure? ")
    stdin.end()
    await expect(answer).rejects.toThrow("Broken off.")
  })
})

describe("reading what is piped in", () => {
  test("gives all of it", async () => {
    const { terminal, stdin } = fake(false)
    expect([terminal.interactive, terminal.attended]).toEqual([false, false])
    stdin.write(Buffer.from("grü").subarray(0, 3))
    stdin.end(Buffer.from("grün\n").subarray(3))
    expect(await terminal.input()).toBe("grün\n")
  })

  test("refuses what is no UTF-8", async () => {
    const { terminal, stdin } = fake(false)
    stdin.end(Buffer.from([0x67, 0xfc, 0x6e]))
    await expect(terminal.input()).rejects.toThrow("no UTF-8")
  })
})

describe("output that nobody reads any more", () => {
  test("is no failure of the work", () => {
    const { terminal, stdout } = fake(false)
    stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))
    terminal.out("more")
    expect(() => stdout.emit("error", new Error("the disk is full"))).toThrow("the disk is full")
  })
})
