/**
 * Someone made a branch called `refs/heads/main`, in full `refs/heads/refs/heads/main`, and a tag called `HEAD`. Git warned of ambiguous names, checked out the
 * wrong commit, and tools that ask for a full name got the attacker's. Branches and tags whose names begin with `refs/`, or are `HEAD` or `@`, could be made
 * through the API, by a push and by a mirror. Now no door gives them; a push is refused for that reference alone, and what is there from before can be
 * deleted.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { must, openForges } from "../../src/features/code/mirrors/testing.ts"
import { branchRef, type RefName, tagRef } from "../../src/git/index.ts"
import { client, ok } from "../../src/git/testing.ts"
import { withWorld } from "../support/fixture.ts"

const NAMES = ["refs/heads/main", "refs/x", "HEAD", "@"] as const
const encoded = encodeURIComponent

withWorld("names that look like references", { open: openForges }, ({ test: it, world }) => {
  const at = "/repos/zoe/box"
  it.beforeAll(async () => {
    await world.origin("box")
    await must(world.zoe, "POST", `${at}/branches`, { new_branch_name: "side" })
  })

  const stored = async (name = "box", { hearth } = world.there) => {
    const { database, git } = hearth.services
    const row = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    return { git, repository: git.at(row.storage, row.object_format) }
  }
  const references = async (...given: Parameters<typeof stored>) => {
    const { git, repository } = await stored(...given)
    return (await git.references.list(repository)).map(({ name }) => name)
  }

  it.each(NAMES)("the API gives no branch, tag or release the name %s", async (name) => {
    const before = await references()
    const { zoe } = world
    const content = btoa("x\n")
    const calls: readonly (readonly [string, string, object])[] = [
      ["POST", `${at}/branches`, { new_branch_name: name }],
      ["PATCH", `${at}/branches/side`, { name }],
      ["POST", `${at}/contents/x.txt`, { content, new_branch: name }],
      ["POST", `${at}/diffpatch`, { content: "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n", new_branch: name }],
      ["POST", `${at}/tags`, { tag_name: name }],
      ["POST", `${at}/tags`, { tag_name: name, message: "annotated" }],
      ["POST", `${at}/releases`, { tag_name: name }],
      ["POST", `${at}/releases`, { tag_name: name, draft: true }],
      ["PATCH", at, { default_branch: name }],
      ["POST", "/user/repos", { name: "other", default_branch: name, auto_init: true }],
    ]
    for (const [method, path, body] of calls) {
      const { status } = await zoe.call(method, path, body)
      expect([method, path, status]).toEqual([method, path, 422])
    }
    expect(await references()).toEqual(before)
    expect((await zoe.call("GET", "/repos/zoe/other")).status).toBe(404)
    expect((await zoe.call("GET", at)).body.default_branch).toBe("trunk")
  })

  it("a push is told so for those references, and the others are accepted", async () => {
    const work = await mkdtemp(join(tmpdir(), "hearth-names-"))
    try {
      const url = Object.assign(new URL(`${world.there.hearth.url}/zoe/box.git`), { username: "zoe", password: world.token }).href
      await ok(work, "clone", "-q", url, ".")
      const wanted = NAMES.flatMap((name) => [`HEAD:refs/heads/${name}`, `HEAD:refs/tags/${name}`])
      const { code, err } = await client(work, ["push", "origin", ...wanted, "HEAD:refs/heads/fine", "HEAD:refs/tags/fine"])
      expect(code).toBe(1)
      expect(err.match(/remote rejected/g)).toHaveLength(wanted.length)
      expect(err).toContain("refs/x can't be the name of a branch or tag")
      expect(await references()).toEqual(["refs/heads/fine", "refs/heads/side", "refs/heads/trunk", "refs/tags/fine"])
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })

  /** As they were made before. */
  const plant = async () => {
    const { git, repository } = await stored()
    const tip = await git.references.resolve(repository, branchRef("trunk"))
    const names = [branchRef("refs/x"), branchRef("refs/y"), tagRef("HEAD")] as const
    if (tip) for (const name of names) await git.references.update(repository, [{ name, to: tip }])
    return names
  }

  it("neither a mirror nor a migration brings them along", async () => {
    await plant()
    const clone_addr = `${world.there.hearth.url}/zoe/box.git`
    for (const more of [{ repo_name: "mirrored", mirror: true }, { repo_name: "brought" }]) {
      expect((await world.migrate({ clone_addr, ...more })).status).toBe(201)
      expect(await references(more.repo_name, world.here)).toEqual([
        "refs/heads/fine",
        "refs/heads/side",
        "refs/heads/trunk",
        "refs/tags/fine",
      ])
    }
  })

  it("those from before can be deleted by a push", async () => {
    const names: readonly RefName[] = await plant()
    const work = await mkdtemp(join(tmpdir(), "hearth-names-"))
    try {
      const url = Object.assign(new URL(`${world.there.hearth.url}/zoe/box.git`), { username: "zoe", password: world.token }).href
      await ok(work, "clone", "-q", url, ".")
      await ok(work, "push", "-q", "origin", ...names.map((name) => `:${name}`))
      expect(await references()).toEqual(["refs/heads/fine", "refs/heads/side", "refs/heads/trunk", "refs/tags/fine"])
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })

  it("a revision may still be asked for by its full name", async () => {
    const { status, body } = await world.zoe.call("GET", `${at}/commits?sha=${encoded("refs/heads/side")}`)
    expect([status, body]).toEqual([200, [expect.objectContaining({ sha: expect.any(String) })]])
    expect((await world.zoe.call("GET", `${at}/git/commits/HEAD`)).status).toBe(200)
  })
})
