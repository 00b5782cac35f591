/** The real `git-lfs` with a server whose files are in an object store: it sends and fetches them there. It must be installed; run with HEARTH_TEST_PROGRAMS=1. */
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { client, ok } from "../../src/git/testing.ts"
import { address, noise, person, repository, workFolder } from "../../src/servers/git-http/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { openStoreWorld } from "./support/world.ts"

withWorld("git-lfs with an object store", { open: openStoreWorld }, ({ test, world }) => {
  test("pushes to the store and pulls from it, and what is pushed while the store fails is pushed again", async () => {
    const ann = await person(world, "ann")
    await repository(world, ann.user, "films", { isPrivate: true })
    const url = address(world, "ann/films.git", "ann", ann.token)
    const work = await workFolder(world, "work")
    await ok(work, "lfs", "install", "--local")
    await ok(work, "lfs", "track", "*.bin")
    const film = noise(3 * 2 ** 20)
    await writeFile(join(work, "film.bin"), film)
    await ok(work, "add", ".")
    await ok(work, "commit", "-q", "-m", "film")

    const paths: string[] = []
    world.store.disturb((method, path) => (method === "PUT" && paths.push(path) === 1 ? "failing" : "none"))
    await client(work, ["push", "-q", url, "main"])
    await ok(work, "push", "-q", url, "main")
    expect(paths.length).toBeGreaterThan(1)
    expect(paths.every((path) => path.includes("X-Amz-Signature"))).toBe(true)
    expect(
      (await readdir(join(world.store.folder, "lfs"), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()),
    ).toHaveLength(1)

    let fetched = 0
    world.store.disturb((method, path) => {
      if (method === "GET" && path.includes("X-Amz-Signature")) fetched += 1
      return "none"
    })
    const copy = join(world.folder, "copy")
    await ok(world.folder, "clone", "-q", url, copy)
    await ok(copy, "lfs", "install", "--local")
    await ok(copy, "lfs", "pull")
    expect((await readFile(join(copy, "film.bin"))).equals(film)).toBe(true)
    await ok(copy, "lfs", "fsck")
    expect(fetched).toBe(1)
  })
})
