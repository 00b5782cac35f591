import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { expect } from "vitest"
import { blobsBelow, pathOfBlob } from "../../../../tests/support/blobs.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { actionFilesOf } from "../files/files.ts"
import { commitWorkflow, finishRun } from "../testing.ts"
import { artifactById, storeArtifact } from "./artifacts.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const config = { actions: { maxArtifactBytes: 1000 } }

withHearth("the files that runs leave", { people: ["ann", "eve"], config }, ({ test, forge, ann, eve }) => {
  let run: number
  let row: { readonly id: number; readonly storage: string }
  const at = "/repos/ann/lamp/actions"
  test.beforeAll(async () => {
    row = await home("lamp")
    run = (await forge.call(ann, `GET ${at}/runs`)).body.workflow_runs[0].id
  })

  async function home(name: string) {
    await forge.call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main", private: true })
    await commitWorkflow(forge, ann, `ann/${name}`)
    return services()
      .database.read.selectFrom("repositories")
      .select(["id", "storage"])
      .where("lower_name", "=", name)
      .executeTakeFirstOrThrow()
  }
  const services = () => forge.hearth.services
  const put = (name: string, text: string, more: Partial<Parameters<typeof storeArtifact>[1]> = {}) =>
    storeArtifact(services(), { repository: row, runId: run, attempt: 1, name, ...more }, Readable.from([Buffer.from(text)]))
  const files = (storage = row.storage) => blobsBelow(services(), actionFilesOf(storage))
  const fetched = (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    fetch(url, { headers, method, redirect: "manual" })
  const linkOf = async (id: number) => {
    const { status, headers } = await forge.call(ann, `GET ${at}/artifacts/${id}/zip`)
    expect(status).toBe(302)
    return headers.get("location") ?? ""
  }

  test("are downloaded by a link without authentication", async () => {
    const { id } = await put("book", "a zip file", { expected: { size: 10, sha256: sha256("a zip file") } })
    expect((await forge.call(ann, `GET ${at}/artifacts/${id}`)).body).toMatchObject({
      name: "book",
      size_in_bytes: 10,
      expired: false,
      archive_download_url: `${forge.hearth.url}/api/v1${at}/artifacts/${id}/zip`,
    })
    const url = await linkOf(id)
    expect(url).toMatch(new RegExp(`^${forge.hearth.url}/api/v1${at}/artifacts/${id}/zip/raw\\?sig=[\\w-]{43}&expires=\\d+$`))
    const answer = await fetched(url)
    expect([answer.status, await answer.text()]).toEqual([200, "a zip file"])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/zip",
      "content-length": "10",
      "content-disposition": 'attachment; filename="book.zip"',
      "cache-control": "private, no-cache",
    })
    const head = await fetched(url, {}, "HEAD")
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""])
    expect((await fetched(url, { "if-none-match": answer.headers.get("etag") ?? "" })).status).toBe(304)
  })

  test("are for users who may read the repository's actions", async () => {
    const { id } = await put("plan", "secret")
    expect((await forge.call(eve, `GET ${at}/artifacts/${id}/zip`)).status).toBe(404)
    expect((await forge.call(undefined, `GET ${at}/artifacts/${id}/zip`)).status).toBe(404)
    for (const wrong of ["999999", "x", "0"]) expect((await forge.call(ann, `GET ${at}/artifacts/${wrong}/zip`)).status).toBe(404)
    await home("desk")
    expect((await forge.call(ann, `GET /repos/ann/desk/actions/artifacts/${id}/zip`)).status).toBe(404)
  })

  test("a link is valid for one artifact and until its expiry time", async () => {
    const { id } = await put("one", "1")
    const other = await put("two", "2")
    const link = new URL(await linkOf(id))
    const raw = (change: (url: URL) => void) => {
      const url = new URL(link)
      change(url)
      return fetched(url.href)
    }
    const expires = Number(link.searchParams.get("expires"))
    expect(expires - services().now()).toBeGreaterThan(3500)
    const wrong: readonly ((url: URL) => void)[] = [
      (url) => url.searchParams.set("expires", String(expires + 1)),
      (url) => url.searchParams.set("expires", `${expires}x`),
      (url) => url.searchParams.set("sig", `${link.searchParams.get("sig")?.slice(0, -1)}_`),
      (url) => url.searchParams.set("sig", ""),
      (url) => url.searchParams.delete("sig"),
      (url) => url.searchParams.append("sig", "again"),
      (url) => (url.pathname = url.pathname.replace(`/${id}/`, `/${other.id}/`)),
      (url) => (url.pathname = url.pathname.replace(`/${id}/`, "/999999/")),
    ]
    for (const change of wrong) expect((await raw(change)).status).toBe(401)
    expect((await raw(() => {})).status).toBe(200)
    const signed = services().secrets.mac("artifact download", `${id} ${services().now() - 1}`)
    const late = await raw((url) => {
      url.searchParams.set("expires", String(services().now() - 1))
      url.searchParams.set("sig", signed)
    })
    expect(late.status).toBe(401)
  })

  test("one of the same name in an attempt is replaced, in another attempt it is a new one", async () => {
    const first = await put("twice", "old")
    const before = await files()
    const second = await put("twice", "newer")
    expect([second.id, second.size]).toEqual([first.id, 5])
    await services().jobs.drain()
    const after = await files()
    expect(after).toHaveLength(before.length)
    expect(after).not.toContain(first.file)
    expect(await (await fetched(await linkOf(first.id))).text()).toBe("newer")
    expect((await put("twice", "third", { attempt: 2 })).id).not.toBe(first.id)
  })

  test("nothing is left of a refused artifact", async () => {
    const before = await files()
    const refused: readonly [Parameters<typeof put>, string][] = [
      [["large", "x".repeat(1001)], "tooLarge"],
      [["short", "x", { expected: { size: 2 } }], "invalid"],
      [["false", "x", { expected: { sha256: sha256("y") } }], "invalid"],
      [["a/b", "x"], "invalid"],
      [["", "x"], "invalid"],
      [["gone", "x", { runId: 999_999 }], "notFound"],
    ]
    for (const [given, kindOf] of refused) await expect(put(...given)).rejects.toMatchObject({ kind: kindOf })
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from("x")
        throw new Error("broken off")
      })(),
    )
    await expect(storeArtifact(services(), { repository: row, runId: run, attempt: 1, name: "half" }, broken)).rejects.toThrow("broken off")
    expect(await files()).toEqual(before)
    expect((await forge.call(ann, `GET ${at}/artifacts?name=short`)).body.total_count).toBe(0)
  })

  test("expired ones can't be downloaded, and are removed by the clock", async () => {
    const { id, file } = await put("brief", "soon gone", { expiresAt: services().now() + 3600 })
    const link = await linkOf(id)
    await services().database.write((tx) =>
      tx.updateTable("action_artifacts").set({ expires_at: services().now() }).where("id", "=", id).execute(),
    )
    expect((await forge.call(ann, `GET ${at}/artifacts/${id}/zip`)).status).toBe(404)
    expect((await fetched(link)).status).toBe(404)
    expect((await forge.call(ann, `GET ${at}/artifacts/${id}`)).body.expired).toBe(true)
    expect(await files()).toContain(file)
    await forge.hearth.services.jobs.tasks.run("cleanup_actions")
    await services().jobs.drain()
    expect(await files()).not.toContain(file)
    expect((await forge.call(ann, `GET ${at}/artifacts/${id}`)).body.expired).toBe(true)
    const { expires_at } = await put("forever", "x", { expiresAt: services().now() + 10 * 365 * 86_400 })
    expect(expires_at).toBeLessThanOrEqual(services().now() + 90 * 86_400)
  })

  test("files are deleted with the artifact, the run and the repository", async () => {
    const { id, file } = await put("doomed", "x")
    const link = await linkOf(id)
    expect((await forge.call(ann, `DELETE ${at}/artifacts/${id}`)).status).toBe(204)
    expect((await forge.call(ann, `DELETE ${at}/artifacts/${id}`)).status).toBe(404)
    expect((await fetched(link)).status).toBe(404)
    await services().jobs.drain()
    expect(await files()).not.toContain(file)

    await finishRun(forge, run, "success")
    expect((await forge.call(ann, `DELETE ${at}/runs/${run}`)).status).toBe(204)
    await services().jobs.drain()
    expect(await files()).toEqual([])

    const fort = await home("fort")
    const inFort = (await forge.call(ann, "GET /repos/ann/fort/actions/runs")).body.workflow_runs[0].id
    const kept = await storeArtifact(
      services(),
      { repository: fort, runId: inFort, attempt: 1, name: "x" },
      Readable.from([Buffer.from("x")]),
    )
    await expect(artifactById(services(), kept.id)).resolves.toMatchObject({ size: 1 })
    await expect(put("elsewhere", "x", { runId: inFort })).rejects.toMatchObject({ kind: "notFound" })
    expect(await files(fort.storage)).toHaveLength(1)
    expect((await forge.call(ann, "DELETE /repos/ann/fort")).status).toBe(204)
    await services().jobs.drain()
    // They stay while it can be restored, and nobody loads them.
    expect(await files(fort.storage)).toHaveLength(1)
    await expect(artifactById(services(), kept.id)).rejects.toMatchObject({ kind: "notFound" })
    await forge.call(ann, `DELETE /user/deleted/${(await forge.call(ann, "GET /user/deleted")).body[0].id}`)
    await services().jobs.drain()
    expect(existsSync(pathOfBlob(services(), actionFilesOf(fort.storage)))).toBe(false)
  })

  test("files left by a process that died are swept after a day", async () => {
    const mill = await home("mill")
    const inMill = (await forge.call(ann, "GET /repos/ann/mill/actions/runs")).body.workflow_runs[0].id
    const stored = await storeArtifact(services(), { repository: mill, runId: inMill, attempt: 1, name: "x" }, Readable.from(["x"]))
    const folder = pathOfBlob(services(), actionFilesOf(mill.storage))
    await mkdir(folder, { recursive: true })
    const old = new Date((services().now() - 2 * 86_400) * 1000)
    for (const name of ["old.part", "young.part"]) await writeFile(join(folder, name), "x")
    for (const name of ["old.part", stored.file]) await utimes(join(folder, name), old, old)
    expect(await forge.hearth.services.jobs.tasks.run("sweep_action_files")).toBe("ok")
    expect(await files(mill.storage)).toEqual([stored.file, "young.part"].sort())
  })
})
