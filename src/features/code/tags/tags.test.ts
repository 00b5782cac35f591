import { writeFile } from "node:fs/promises"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openStage, type Stage } from "../releases/testing.ts"
import { alignTagsJob } from "./on-push.ts"

withWorld("tags", { open: openStage, on: databaseKinds }, ({ test, world: stage }) => {
  const OPEN = "/repos/ann/open"
  const names = async (at = OPEN) => (await stage.must(undefined, `GET ${at}/tags`)).map(({ name }: { name: string }) => name)
  const make = (caller: string | undefined, body: object, at = OPEN) => stage.call(caller, `POST ${at}/tags`, body)
  const repository = async (name: string): Promise<string> => {
    await stage.must(stage.ann, "POST /user/repos", { name, auto_init: true })
    return `/repos/ann/${name}`
  }
  const tip = async (at: string): Promise<string> => (await stage.must(stage.ann, `GET ${at}/branches/main`)).commit.id

  test("are created lightweight, or annotated with the caller as tagger", async () => {
    const commit = await tip(OPEN)
    const light = await make(stage.ben, { tag_name: "light" })
    expect([light.status, light.body]).toEqual([
      201,
      {
        name: "light",
        message: "Add a.txt\n",
        id: commit,
        commit: { url: `${stage.hearth.url}/api/v1${OPEN}/git/commits/${commit}`, sha: commit, created: "2024-03-01T10:00:00Z" },
        zipball_url: `${stage.hearth.url}/ann/open/archive/light.zip`,
        tarball_url: `${stage.hearth.url}/ann/open/archive/light.tar.gz`,
      },
    ])
    const heavy = (await make(stage.ben, { tag_name: "heavy/one", message: "Words\n\nand more", target: commit.slice(0, 8) })).body
    expect(heavy).toMatchObject({ message: "Words\n\nand more\n", commit: { sha: commit } })
    expect(heavy.zipball_url).toBe(`${stage.hearth.url}/ann/open/archive/heavy%2Fone.zip`)
    expect(heavy.id).not.toBe(commit)
    expect((await stage.call(undefined, `GET ${OPEN}/tags/heavy/one`)).body).toEqual(heavy)
    expect((await stage.call(undefined, `GET ${OPEN}/git/tags/${heavy.id}`)).body).toMatchObject({
      tag: "heavy/one",
      sha: heavy.id,
      message: "Words\n\nand more\n",
      tagger: { name: "ben", email: "ben@example.com" },
      object: { type: "commit", sha: commit, url: `${stage.hearth.url}/api/v1${OPEN}/git/commits/${commit}` },
      verification: { verified: false, reason: "gpg.error.not_signed_commit" },
    })
    expect((await make(stage.ben, { tag_name: "of-a-tag", target: "heavy/one", message: " \n" })).body).toMatchObject({ id: commit })
  })

  test("are not made of what can't be, or by those who may not", async () => {
    const at = await repository("refusals")
    await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "there" })
    for (const name of ["", "a b", "-x", "..", "a..b", "x.lock", "@{", "a/", "/a", "refs/../x", "a\u007f", "a~1", "a\\b"])
      expect((await make(stage.ann, { tag_name: name }, at)).status, name).toBe(422)
    expect((await make(stage.ann, { tag_name: "there" }, at)).status).toBe(409)
    const below = await make(stage.ann, { tag_name: "there/below" }, at)
    expect([below.status, below.body.message]).toEqual([409, "the tag there stands in the way of there/below"])
    await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "deep/tag" })
    const above = await make(stage.ann, { tag_name: "deep" }, at)
    expect([above.status, above.body.message]).toEqual([409, "the tag deep/tag stands in the way of deep"])
    expect((await make(stage.ann, { tag_name: "v1", target: "nowhere" }, at)).status).toBe(404)
    expect((await make(stage.ann, {}, at)).status).toBe(422)
    expect((await make(stage.cal, { tag_name: "v1" }, at)).status).toBe(403)
    expect((await make(undefined, { tag_name: "v1" }, at)).status).toBe(401)
    expect((await make(stage.cal, { tag_name: "v1" }, "/repos/ann/hush")).status).toBe(404)
    await stage.must(stage.ann, "POST /user/repos", { name: "empty" })
    expect((await make(stage.ann, { tag_name: "v1" }, "/repos/ann/empty")).status).toBe(404)
    await stage.must(stage.ann, `POST ${at}/releases`, { tag_name: "waits", draft: true })
    expect((await make(stage.ann, { tag_name: "waits" }, at)).status).toBe(409)
    await stage.must(stage.ann, `PATCH ${at}`, { archived: true })
    expect((await make(stage.ann, { tag_name: "v1" }, at)).status).toBe(423)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/there`)).toBe(423)
    expect(await names(at)).toEqual(["deep/tag", "there"])
  })

  test("are deleted, but not from under a release", async () => {
    const at = await repository("deleting")
    for (const tag_name of ["v1", "v2", "a/b"]) await stage.must(stage.ann, `POST ${at}/tags`, { tag_name })
    await stage.must(stage.ann, `POST ${at}/releases`, { tag_name: "v2" })
    expect(await stage.status(stage.cal, `DELETE ${at}/tags/v1`)).toBe(403)
    expect(await stage.status(undefined, `DELETE ${at}/tags/v1`)).toBe(401)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/v2`)).toBe(409)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/v9`)).toBe(404)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/a..b`)).toBe(404)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/a/b`)).toBe(204)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/v1`)).toBe(204)
    expect(await stage.status(stage.ann, `DELETE ${at}/tags/v1`)).toBe(404)
    expect(await names(at)).toEqual(["v2"])
    const kinds = (await stage.must(stage.ann, `GET ${at}/activities/feeds`)).map((row: { op_type: string }) => row.op_type)
    expect(kinds.slice(0, 3)).toEqual(["delete_tag", "delete_tag", "publish_release"])
  })

  test("are listed newest first, in pages, without git", async () => {
    const at = await repository("many")
    const clone = await stage.clone("ann/many")
    const moments = [30, 10, 20, 20]
    for (const [index, day] of moments.entries()) {
      const when = `2024-01-${day}T00:00:00Z`
      await clone.git(
        "-c",
        `user.name=Ann`,
        "-c",
        "user.email=ann@example.com",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        `c${index}`,
        `--date=${when}`,
      )
      await stampedTag(clone, `t${index}`, when)
    }
    expect(await clone.push("--tags")).toMatchObject({ code: 0 })
    const spawned = stage.hearth.services.git.spawned()
    expect(await names(at)).toEqual(["t0", "t2", "t3", "t1"])
    const page = await stage.call(undefined, `GET ${at}/tags?limit=1&page=2`)
    expect([page.body.map(({ name }: { name: string }) => name), page.headers.get("x-total-count")]).toEqual([["t2"], "4"])
    expect(stage.hearth.services.git.spawned()).toBe(spawned)
  })

  const stampedTag = async (clone: Awaited<ReturnType<Stage["clone"]>>, name: string, when: string) => {
    const seconds = Math.floor(Date.parse(when) / 1000)
    const head = await clone.git("rev-parse", "HEAD")
    const object = `object ${head}\ntype commit\ntag ${name}\ntagger Ann <ann@example.com> ${seconds} +0000\n\n${name}\n`
    await writeFile(`${clone.folder}/.git/tag-object`, object)
    await clone.git("update-ref", `refs/tags/${name}`, await clone.git("hash-object", "-t", "tag", "-w", ".git/tag-object"))
  }

  test("follow pushes: created, moved, deleted", async () => {
    const at = await repository("pushed")
    const clone = await stage.clone("ann/pushed")
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    await clone.git("tag", "light")
    await clone.git(...who, "tag", "-a", "heavy", "-m", "Heavy")
    await clone.git(...who, "tag", "-a", "of-heavy", "-m", "Outer", "heavy")
    await clone.git("tag", "of-tree", "HEAD^{tree}")
    expect(await clone.push("light", "heavy", "of-heavy", "of-tree")).toMatchObject({ code: 0 })
    const first = await clone.git("rev-parse", "HEAD")
    expect((await stage.must(undefined, `GET ${at}/tags/light`)).commit.sha).toBe(first)
    expect(await stage.must(undefined, `GET ${at}/tags/of-heavy`)).toMatchObject({ message: "Outer\n", commit: { sha: first } })
    const tree = await clone.git("rev-parse", "HEAD^{tree}")
    expect(await stage.must(undefined, `GET ${at}/tags/of-tree`)).toMatchObject({ id: tree, message: "", commit: { sha: tree } })

    await clone.git(...who, "commit", "-q", "--allow-empty", "-m", "Second")
    await clone.git("tag", "-f", "light")
    expect(await clone.push("-f", "light")).toMatchObject({ code: 0 })
    expect(await stage.must(undefined, `GET ${at}/tags/light`)).toMatchObject({ message: "Second\n" })
    expect(await clone.push(":light", ":of-tree")).toMatchObject({ code: 0 })
    expect((await names(at)).toSorted()).toEqual(["heavy", "of-heavy"])
  })

  test("that are deleted leave their releases as drafts", async () => {
    const at = await repository("withdrawn")
    const clone = await stage.clone("ann/withdrawn")
    const { id } = await stage.must(stage.ann, `POST ${at}/releases`, { tag_name: "v1" })
    expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(1)
    expect(await clone.push(":v1")).toMatchObject({ code: 0 })
    expect((await stage.must(undefined, `GET ${at}`)).release_counter).toBe(0)
    expect(await stage.status(undefined, `GET ${at}/releases/${id}`)).toBe(404)
    expect(await stage.must(stage.ann, `GET ${at}/releases/${id}`)).toMatchObject({ draft: true, tag_name: "v1" })
  })

  test("go with a fork", async () => {
    const at = await repository("forked")
    await stage.must(stage.ann, `POST ${at}/tags`, { tag_name: "v1", message: "One" })
    await stage.must(stage.cal, `POST ${at}/forks`, {})
    expect(await stage.must(undefined, `GET /repos/cal/forked/tags/v1`)).toMatchObject({ message: "One\n" })
  })

  test("are synchronised with git again, whatever their rows contain", async () => {
    const at = await repository("aligned")
    for (const tag_name of ["a", "b"]) await stage.must(stage.ann, `POST ${at}/tags`, { tag_name, message: tag_name })
    const { database, jobs } = stage.hearth.services
    const before = await stage.must(undefined, `GET ${at}/tags`)
    await database.write(async (tx) => {
      const { id } = await tx.selectFrom("repositories").select("id").where("lower_name", "=", "aligned").executeTakeFirstOrThrow()
      await tx.deleteFrom("tags").where("repository_id", "=", id).where("name", "=", "a").execute()
      await tx
        .updateTable("tags")
        .set({ object_id: "0".repeat(40) })
        .where("repository_id", "=", id)
        .execute()
      await tx
        .insertInto("tags")
        .values({ repository_id: id, name: "gone", object_id: "1".repeat(40), target_id: "", message: "", tagged_at: 0, sequence: 9 })
        .execute()
      await jobs.enqueue(tx, alignTagsJob, { repositoryId: id })
    })
    expect(await stage.must(undefined, `GET ${at}/tags`)).not.toEqual(before)
    await stage.settle()
    expect(await stage.must(undefined, `GET ${at}/tags`)).toEqual(before)
  })

  test("protected from the caller are refused as invalid", async () => {
    const at = await repository("guarded")
    await stage.must(stage.ann, `PUT ${at}/collaborators/ben`, { permission: "write" })
    await stage.must(stage.ann, `POST ${at}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["ann"] })
    expect((await make(stage.ben, { tag_name: "v1" }, at)).status).toBe(422)
    expect(await stage.status(stage.ben, `POST ${at}/releases`, { tag_name: "v1" })).toBe(422)
    expect((await make(stage.ann, { tag_name: "v1" }, at)).status).toBe(201)
    expect(await stage.status(stage.ben, `DELETE ${at}/tags/v1`)).toBe(422)
    expect((await make(stage.ben, { tag_name: "w1" }, at)).status).toBe(201)
  })

  test.each(["0".repeat(40), "nonsense", "main"])("have no object called %s", async (sha) => {
    expect(await stage.status(undefined, `GET ${OPEN}/git/tags/${sha}`)).toBe(400)
  })
})
