import { expect } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import { forkRepository } from "../../features/code/lifecycle/fork.ts"
import { ok } from "../../git/testing.ts"
import { commit, reload, repository, workFolder } from "../git-http/testing.ts"
import { deploy, type KeyedPerson, keyed, openWorld, ssh, sshAddress, withKey } from "../ssh/testing.ts"
import { basic, batch, contentOf, get, pointerOf, put } from "./testing.ts"

/** Large files through other interfaces: the API's media and contents, and SSH. */
withWorld("large files from other doors", { open: openWorld }, ({ test, world }) => {
  let ann: KeyedPerson
  let work: string
  const content = contentOf("the film itself")
  const lost = contentOf("never sent")
  test.beforeAll(async () => {
    ann = await keyed(world, "ann")
    await repository(world, ann.user, "tool", { isPrivate: true })
    await repository(world, ann.user, "other", { isPrivate: true })
    work = await workFolder(world, "work")
    await commit(work, "film", "film.txt", pointerOf(content))
    await commit(work, "lost", "lost.bin", pointerOf(lost))
    await commit(work, "wrong", "wrong.bin", pointerOf({ ...content, size: content.size + 1 }))
    await put(world, "ann/tool", content, content.bytes, basic(ann))
    for (const name of ["tool", "other"]) await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, `ann/${name}.git`), "main")
  })

  const api = (path: string, method = "GET") =>
    fetch(`${world.hearth.url}/api/v1/repos/ann/${path}`, { method, headers: { authorization: `token ${ann.token}` } })

  test("media gives what a pointer stands for, where the repository has it; raw gives the pointer", async () => {
    const media = await api("tool/media/film.txt")
    expect([media.status, media.headers.get("content-type"), media.headers.get("content-length")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "15",
    ])
    expect(await media.text()).toBe("the film itself")
    expect(await (await api("tool/raw/film.txt")).text()).toBe(pointerOf(content))
    expect(await (await api("tool/media/lost.bin")).text()).toBe(pointerOf(lost))
    expect(await (await api("tool/media/wrong.bin")).text()).toContain(`size ${content.size + 1}`)
    expect(await (await api("tool/media/file")).text()).toBe("one")
    expect(await (await api("other/media/film.txt")).text()).toBe(pointerOf(content))
    expect((await api("tool/media/film.txt", "HEAD")).headers.get("content-length")).toBe("15")
    const tag = media.headers.get("etag") ?? ""
    const again = await fetch(media.url, { headers: { authorization: `token ${ann.token}`, "if-none-match": tag } })
    expect(again.status).toBe(304)
  })

  test("contents tell of a pointer", async () => {
    expect(await (await api("tool/contents/film.txt")).json()).toMatchObject({ lfs_oid: content.oid, lfs_size: 15 })
    expect(await (await api("tool/contents/file")).json()).not.toHaveProperty("lfs_oid")
  })

  const authenticate = async (key: KeyedPerson["key"], path: string, operation: string) => {
    const { code, out, err } = await ssh(world, key, `git-lfs-authenticate '${path}' ${operation}`)
    return { code, err, told: out === "" ? undefined : JSON.parse(out) }
  }

  test("SSH lets in over HTTP", async () => {
    const { code, told } = await authenticate(ann.key, "ann/tool.git", "upload")
    expect(code).toBe(0)
    expect(told).toMatchObject({ href: `${world.hearth.url}/ann/tool.git/info/lfs`, expires_in: 3600 })
    expect((await get(world, "ann/tool", content.oid, told.header)).status).toBe(200)
    const sent = contentOf("sent with a pass")
    const { upload } = (await batch(world, "ann/tool", "upload", [sent], told.header)).body.objects[0].actions
    expect((await fetch(upload.href, { method: "PUT", headers: upload.header, body: new Uint8Array(sent.bytes) })).status).toBe(200)
    expect((await get(world, "ann/other", content.oid, told.header)).status).toBe(403)
    expect((await get(world, "ann/missing", content.oid, told.header)).status).toBe(404)

    const down = (await authenticate(ann.key, "/ann/tool", "download")).told
    expect((await get(world, "ann/tool", content.oid, down.header)).status).toBe(200)
    expect((await put(world, "ann/tool", sent, sent.bytes, down.header)).status).toBe(403)
  })

  test("a stranger's key, and one that is removed afterwards, open nothing", async () => {
    const eve = await keyed(world, "eve")
    for (const path of ["ann/tool.git", "ann/missing.git"]) {
      const refused = await authenticate(eve.key, path, "download")
      expect([refused.code, refused.told, refused.err]).toEqual([1, undefined, "error: Repository not found\n"])
    }
    const { told } = await authenticate(ann.key, "ann/tool.git", "download")
    const { database } = world.services
    const keys = await database.read.selectFrom("public_keys").selectAll().where("owner_id", "=", ann.user.id).execute()
    await database.write((tx) => tx.deleteFrom("public_keys").where("owner_id", "=", ann.user.id).execute())
    expect((await get(world, "ann/tool", content.oid, told.header)).status).toBe(401)
    await database.write((tx) => tx.insertInto("public_keys").values(keys).execute())
  })

  test("a deploy key is for its repository, and for reading where it only reads", async () => {
    const row = await world.services.database.read
      .selectFrom("repositories")
      .selectAll()
      .where("lower_name", "=", "tool")
      .executeTakeFirstOrThrow()
    const [reads, writes] = [await world.keys.make("ed25519"), await world.keys.make("ed25519")]
    await deploy(world, row, reads, true)
    await deploy(world, row, writes, false)
    const { told } = await authenticate(reads, "ann/tool.git", "download")
    expect((await get(world, "ann/tool", content.oid, told.header)).status).toBe(200)
    expect((await authenticate(reads, "ann/tool.git", "upload")).code).toBe(1)
    expect((await authenticate(reads, "ann/other.git", "download")).code).toBe(1)
    const up = (await authenticate(writes, "ann/tool.git", "upload")).told
    const sent = contentOf("sent with a deploy key")
    expect((await put(world, "ann/tool", sent, sent.bytes, up.header)).status).toBe(200)
  })

  test("what a fork's pull request points to comes with it, and nothing else of the fork", async () => {
    const base = await repository(world, ann.user, "base")
    await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, "ann/base.git"), "main")
    const cem = await keyed(world, "cem")
    await forkRepository(
      world.services,
      { repository: await reload(world, base), owner: ann.user },
      { doer: cem.user, owner: cem.user, name: "base" },
    )
    const [pointed, other, elsewhere] = [contentOf("in the pull request"), contentOf("only in the fork"), contentOf("elsewhere")]
    for (const each of [pointed, other]) expect((await put(world, "cem/base", each, each.bytes, basic(cem))).status).toBe(200)
    await put(world, "ann/other", elsewhere, elsewhere.bytes, basic(ann))
    await ok(work, "checkout", "-q", "-b", "films")
    await commit(work, "pointed", "deep.bin", pointerOf(pointed))
    await commit(work, "guessed", "guessed.bin", pointerOf(elsewhere))
    await ok(work, ...withKey(cem.key), "push", "-q", sshAddress(world, "cem/base.git"), "films")
    await ok(work, "checkout", "-q", "main")
    const opened = await fetch(`${world.hearth.url}/api/v1/repos/ann/base/pulls`, {
      method: "POST",
      headers: { authorization: `token ${cem.token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "films", head: "cem:films", base: "main" }),
    })
    expect(opened.status).toBe(201)
    expect(await (await get(world, "ann/base", pointed.oid)).text()).toBe("in the pull request")
    expect((await get(world, "ann/base", other.oid, basic(ann))).status).toBe(404)
    expect((await get(world, "ann/base", elsewhere.oid, basic(ann))).status).toBe(404)
    expect((await reload(world, base)).lfs_size).toBe(pointed.size)
  })
})
