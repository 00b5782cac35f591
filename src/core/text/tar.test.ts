import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"
import { readTar, TAR_END, tarHeader, tarPadding } from "./tar.ts"

const files = [
  ["a.txt", "hello"],
  [`${"folder/".repeat(20)}${"n".repeat(80)}`, "x".repeat(1024)],
  ["empty", ""],
] as const
const archive = Buffer.concat([
  ...files.flatMap(([name, text]) => [tarHeader(name, text.length, 1_700_000_000), Buffer.from(text), tarPadding(text.length)]),
  TAR_END,
])
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function read(bytes: Buffer, size: number) {
  const found: (readonly [string, string])[] = []
  for await (const { name, content } of readTar(inPieces(bytes, size))) {
    let text = ""
    for await (const piece of content) text += piece.toString()
    found.push([name, text])
  }
  return found
}

it("is read by tar, and reads what it has written, in pieces of any size", async () => {
  expect(execFileSync("tar", ["tf", "-"], { input: archive }).toString().trim().split("\n")).toEqual(files.map(([name]) => name))
  for (const size of [1, 100, 511, 4096]) expect(await read(archive, size)).toEqual(files)
})

it("skips what nobody reads, and says where an archive breaks off or is none", async () => {
  const names: string[] = []
  for await (const { name } of readTar(inPieces(archive, 700))) names.push(name)
  expect(names).toHaveLength(3)
  await expect(read(archive.subarray(0, 1500), 700)).rejects.toThrow("breaks off")
  await expect(read(Buffer.alloc(600, "x"), 700)).rejects.toThrow("no archive")
})
