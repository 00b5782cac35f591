import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type ObjectFormat, objectId } from "../index.ts"
import { client, ok, openWorld, type World } from "../testing.ts"
import { packHolds } from "./pack-index.ts"

let world: World

beforeEach(async () => {
  world = await openWorld()
})

afterEach(() => world.close())

test.each<ObjectFormat>(["sha1", "sha256"])("every object of a pack is found in its index, and no other (%s)", async (format) => {
  const work = join(world.folder, format)
  await mkdir(work)
  await ok(work, "init", "-q", "-b", "main", `--object-format=${format}`)
  for (let index = 0; index < 700; index += 100) {
    const files = Array.from({ length: 100 }, (_, at) => `M 644 inline f${index + at}\ndata <<.\n${index + at}\n.\n`).join("")
    await client(work, ["fast-import", "--quiet"], `commit refs/heads/b${index}\ncommitter A <a@b> 0 +0000\ndata 0\n${files}`)
  }
  await ok(work, "repack", "-adq")
  const folder = join(work, ".git", "objects", "pack")
  const path = join(folder, (await readdir(folder)).find((name) => name.endsWith(".idx")) ?? "")
  const all = (await ok(work, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
    .split("\n")
    .map((id) => objectId(id, format))
  expect(all.length).toBeGreaterThan(700)
  expect(await packHolds(path, all)).toBe(true)
  expect(await packHolds(path, [])).toBe(true)
  for (const id of [all[0], all.at(-1), all[350]]) {
    if (id === undefined) throw new Error("no such object")
    const digit = id.endsWith("0") ? "1" : "0"
    expect(await packHolds(path, [...all.slice(0, 3), objectId(id.slice(0, -1) + digit, format)])).toBe(false)
  }
  expect(await packHolds(path, [objectId(`${"f".repeat(all[0]?.length ?? 0)}`, format)])).toBe(false)
})

test("what is no index is refused", async () => {
  const path = join(world.folder, "index")
  await writeFile(path, "not an index")
  await expect(packHolds(path, [])).rejects.toMatchObject({ kind: "failed" })
  await expect(packHolds(join(world.folder, "none"), [])).rejects.toMatchObject({ code: "ENOENT" })
})
