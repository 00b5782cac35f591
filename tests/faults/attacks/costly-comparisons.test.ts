/*
 * Someone asks for commits with large differences, many at once, and leaves. Forty requests were forty processes with 6.3 GB that went on after the clients had left.
 * Now git commands have one limit, shared fairly; callers that ask the same share one process; it ends with the last of them; and very large files are not
 * compared line by line.
 */
import { expect } from "vitest"
import { commitFile, MIB, noisyText } from "../../attacks/repositories.ts"
import { dial, head, times } from "../../attacks/sockets.ts"
import { withHearth } from "../../support/fixture.ts"

const config = { http: { trustedProxies: "none" } }
withHearth("costly comparisons", { people: ["ann"], config }, ({ test, forge, call, status, ann }) => {
  const commits: string[] = []
  const { git } = { git: () => forge.hearth.services.git }
  const commands = () =>
    git()
      .limits()
      .find(({ name }) => name === "commands")
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    let sha: string | undefined
    for (let count = 0; count < 6; count++) {
      const made = await commitFile(call, ann, "ann/tool", "text.txt", noisyText(4 * MIB - 1000), sha)
      sha = made.blob
      commits.push(made.commit)
    }
    const huge = await commitFile(call, ann, "ann/tool", "huge.txt", noisyText(5 * MIB))
    await commitFile(call, ann, "ann/tool", "huge.txt", noisyText(5 * MIB), huge.blob)
  })

  test("of one caller share processes, and end when the caller leaves", async () => {
    const ask = (id: string) => dial(forge.hearth.url, head(`GET /api/v1/repos/ann/tool/git/commits/${id}`))
    const before = git().spawned()
    const asked = await Promise.all(times(42, (index) => ask(commits[index % 6] ?? "")))
    // How many run now can't be waited for: on a busy machine all may have run between two looks.
    await expect.poll(() => git().spawned()).toBeGreaterThan(before)
    expect(await status(ann, "GET /repos/ann/tool/commits?path=README.md")).toBe(200)
    for (const { socket } of asked) socket.destroy()
    await expect.poll(commands).toMatchObject({ active: 0, waiting: 0 })
    expect(git().spawned() - before).toBeLessThan(20)
  })

  test("of several callers at once are made once", async () => {
    const before = git().spawned()
    const [id = ""] = commits.slice(-1)
    const answers = await Promise.all(times(12, () => status(ann, `GET /repos/ann/tool/git/commits/${id}`)))
    expect(answers).toEqual(times(12, () => 200))
    // One compares; the others may have been started to read objects.
    expect(git().spawned() - before).toBeLessThanOrEqual(3)
  })

  test("of very large files count no lines", async () => {
    const { body } = await call(ann, "GET /repos/ann/tool/commits?limit=1")
    expect(body[0].files).toEqual([{ filename: "huge.txt", status: "modified" }])
    expect(body[0].stats).toEqual({ total: 0, additions: 0, deletions: 0 })
  })
})
