/*
 * Someone pushes a few kilobytes that unpack to gigabytes: an object that is described as thousands of copies of another. Git built it in memory, 1 GB for a push
 * of 8 kB. Now git may allocate 128 MiB for an object at most (`git.maxObjectBytes`), the push is refused in words, and nothing is left.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"
import { explodingPack, pushRequest } from "./packs.ts"
import { dial, head } from "./sockets.ts"

withHearth("exploding packs", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
  })

  const push = async (pack: Buffer) => {
    const { headers, body } = pushRequest(pack)
    const request = head("POST /ann/tool.git/git-receive-pack", { login: `ann:${PASSWORD}`, headers })
    const { socket, closed, received } = await dial(forge.hearth.url, request)
    socket.write(body)
    await closed
    return received()
  }

  test.for([
    ["few objects", 0],
    ["many objects", 200],
  ] as const)("of %s are refused before they are unpacked", async ([, others]) => {
    const pack = explodingPack(16_384, others)
    expect(pack.length).toBeLessThan(8_192)
    expect(await push(pack)).toContain("unpack an object of 1073741825 bytes is too large to be unpacked; at most 134217728 are accepted")
    const { config, git } = forge.hearth.services
    await expect.poll(() => git.limits().every(({ active }) => active === 0)).toBe(true)
    const folders = await readdir(join(config.dataDir, "repositories"), { recursive: true })
    expect(folders.filter((name) => /quarantine|tmp_|\.spool/.test(name))).toEqual([])
  })

  test("of what git can hold are taken in, and refused for what they lack", async () => {
    expect(await push(explodingPack(16, 0))).toContain("unpack ok")
  })
})
