import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type FileStep, type Pause, type PausePoint, setPause } from "../seams/pause.ts"
import { refuse } from "./errors.ts"
import { writeAtomically, writeRow } from "./files.ts"

const STEPS = ["folder", "open", "write", "flush", "rename"] as const satisfies readonly FileStep[]
/** Long enough for earlier work to have ended. */
const DELAY_MS = 20

let folder: string
let previous: Pause | undefined
beforeEach(async () => {
  previous = setPause(undefined)
  folder = await mkdtemp(join(tmpdir(), "hearth-files-"))
})
afterEach(async () => {
  setPause(previous)
  await rm(folder, { recursive: true, force: true })
})

const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)
const path = () => join(folder, "ab", "file")
async function* parts(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}
const failsAt =
  (...steps: readonly FileStep[]): Pause =>
  async (point) => {
    for (const step of steps) if (point === `file.${step}`) throw new Error(`no ${step}`)
  }
const waitsAt =
  (step: FileStep): Pause =>
  async (point) => {
    if (point === `file.${step}`) await pause(DELAY_MS)
  }

describe("a file that is written whole", () => {
  test("is there when it is said to be, however long a step takes, and not before", async () => {
    for (const slow of STEPS) {
      const taken: PausePoint[] = []
      setPause(async (point) => {
        taken.push(point)
        if (point === "file.rename") await expect(access(path())).rejects.toThrow("ENOENT")
        await waitsAt(slow)(point)
      })
      await writeAtomically(path(), parts("a", "b"))
      expect(taken).toEqual(STEPS.map((step) => `file.${step}`))
      expect(await readFile(path(), "utf8")).toBe("ab")
      expect(await files()).toEqual(["file"])
      await rm(path())
    }
  })

  test.each(STEPS)("leaves nothing where the step %s fails", async (step) => {
    setPause(failsAt(step))
    await expect(writeAtomically(path(), parts("a"))).rejects.toThrow(`no ${step}`)
    expect(await files()).toEqual([])
  })

  const broken = {
    "before its first byte": () => parts(),
    "in the middle": () => parts("a", "b"),
    "after more than is buffered": () => parts("x".repeat(1_000_000)),
  }
  const breakOff = async function* (before: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    yield* before
    throw new Error("broken off")
  }
  test.each(Object.entries(broken).flatMap(([where, before]) => STEPS.map((step) => [where, step, before] as const)))(
    "leaves nothing where its content breaks off %s, with a slow step %s",
    async (_where, step, before) => {
      setPause(waitsAt(step))
      await expect(writeAtomically(path(), breakOff(before()))).rejects.toThrow("broken off")
      await pause(DELAY_MS * 2)
      expect(await files()).toEqual([])
    },
  )

  test.each(STEPS)("leaves nothing where the sender goes away at the step %s", async (step) => {
    const content = new Readable({ read() {} })
    content.on("error", () => {})
    content.push(Buffer.from("begun"))
    setPause(async (point) => {
      if (point !== `file.${step}`) return
      content.destroy(new Error("gone"))
      await pause(DELAY_MS)
    })
    if (step === "flush" || step === "rename") {
      // All bytes have arrived by then: it is no failure that the sender disconnects.
      content.push(null)
      await writeAtomically(path(), content)
      expect(await files()).toEqual(["file"])
    } else {
      await expect(writeAtomically(path(), content)).rejects.toThrow("gone")
      expect(await files()).toEqual([])
    }
  })

  test("tells what went wrong first where its draft can't be removed either", async () => {
    setPause(failsAt("rename", "discard"))
    await expect(writeAtomically(path(), parts("a"))).rejects.toThrow("no rename")
    expect(await files()).toEqual([expect.stringMatching(/^file\..+\.part$/)])
  })

  test("is written if several processes write it concurrently", async () => {
    setPause(waitsAt("rename"))
    await Promise.all([writeAtomically(path(), parts("same")), writeAtomically(path(), parts("same"))])
    expect(await readFile(path(), "utf8")).toBe("same")
    expect(await files()).toEqual(["file"])
  })
})

describe("the row of a file", () => {
  test("removes the file if it is refused, and leaves it if the outcome is unknown", async () => {
    const write = async (error: Error) => {
      await writeAtomically(path(), parts("a"))
      const row = async () => {
        throw error
      }
      await expect(writeRow(row, () => rm(path()))).rejects.toBe(error)
      return files()
    }
    expect(await write(refuse.notFound())).toEqual([])
    expect(await write(new Error("the connection was lost"))).toEqual(["file"])
    expect(
      await writeRow(
        async () => 1,
        () => rm(path()),
      ),
    ).toBe(1)
    expect(await files()).toEqual(["file"])
  })

  test("that is refused reports that even if the file can't be removed", async () => {
    const refused = async () => {
      throw refuse.notFound()
    }
    await expect(writeRow(refused, async () => Promise.reject(new Error("read-only")))).rejects.toMatchObject({ kind: "notFound" })
  })
})
