import { execFileSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { endTask, openSteps, type RunningJob, runAnotherJob, runJob } from "./testing.ts"

const config = { actions: { maxArtifactBytes: 100_000 } }

withHearth("artifacts of jobs, version 3", { people: ["ann"], config, on: databaseKinds }, ({ kind, test, forge, ann }) => {
  let job: RunningJob
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
  })
  test.beforeEach(async () => {
    job = await runJob(forge, "ann/lamp")
  })

  const base = (of = job) => `${forge.hearth.url}/api/actions_pipeline/_apis/pipelines/workflows/${of.runId}/artifacts`
  async function ask(
    method: string,
    url: string,
    body?: object | Buffer,
    headers: Readonly<Record<string, string>> = {},
    by: RunningJob | undefined = job,
  ) {
    const answer = await fetch(url, {
      method,
      headers: { ...(by && { authorization: `Bearer ${by.token}` }), "content-type": "application/json", ...headers },
      ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: text.startsWith("{") ? JSON.parse(text) : undefined }
  }
  const begin = async (name: string, by = job): Promise<string> => {
    const { status, body } = await ask(
      "POST",
      `${base()}?api-version=6.0-preview`,
      { Type: "actions_storage", Name: name, RetentionDays: 3 },
      {},
      by,
    )
    expect(status).toBe(200)
    return body.fileContainerResourceUrl
  }
  const put = async (
    url: string,
    itemPath: string,
    content: Buffer | string,
    range?: string,
    headers: Readonly<Record<string, string>> = {},
    by = job,
  ) => {
    const bytes = Buffer.from(content)
    const whole = `bytes 0-${bytes.length - 1}/${bytes.length}`
    return (await ask("PUT", `${url}?itemPath=${encodeURIComponent(itemPath)}`, bytes, { "content-range": range ?? whole, ...headers }, by))
      .status
  }
  const finish = async (name: string, by = job) =>
    (await ask("PATCH", `${base()}?api-version=6.0-preview&artifactName=${name}`, { Size: 1 }, {}, by)).status
  async function load(name: string, by = job): Promise<Readonly<Record<string, string>>> {
    const { body } = await ask("GET", base(by), undefined, {}, by)
    const found = body.value.find((one: { readonly name: string }) => one.name === name)
    const files = await ask("GET", `${found.fileContainerResourceUrl}?itemPath=${name}`, undefined, {}, by)
    const texts: Record<string, string> = {}
    for (const { path, contentLocation } of files.body.value) texts[path] = (await ask("GET", contentLocation, undefined, {}, by)).text
    return texts
  }

  test("come file by file, plain, compressed, empty and in chunks of any order", async () => {
    expect((await ask("GET", base())).status).toBe(404)
    const url = await begin("old")
    expect(await put(url, "old/dir/f.txt", "plain é")).toBe(200)
    expect(await put(url, "old/packed.txt", gzipSync("packed"), undefined, { "content-encoding": "gzip", "x-tfs-filelength": "6" })).toBe(
      200,
    )
    expect(await put(url, "old/empty", "")).toBe(200)
    expect(await put(url, "old/chunks", "def", "bytes 3-5/6")).toBe(200)
    expect(await put(url, "old/chunks", "abc", "bytes 0-2/6")).toBe(200)
    expect(await finish("old")).toBe(200)
    const all = { "old/dir/f.txt": "plain é", "old/packed.txt": "packed", "old/empty": "", "old/chunks": "abcdef" }
    expect(await load("old")).toEqual(all)
    expect(await finish("old")).toBe(200)

    // It is a zip file like any other, also for people and newer clients.
    const { artifacts } = (await forge.call(ann, `GET /repos/ann/lamp/actions/runs/${job.runId}/artifacts`)).body
    const { headers } = await forge.call(ann, `GET /repos/ann/lamp/actions/artifacts/${artifacts[0].id}/zip`)
    const zip = await (await fetch(headers.get("location") ?? "")).arrayBuffer()
    const folder = await mkdtemp(join(tmpdir(), "hearth-zip-"))
    try {
      await writeFile(join(folder, "a.zip"), Buffer.from(zip))
      const read =
        "import sys, zipfile, json; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({'old/' + n: z.read(n).decode() for n in z.namelist()}))"
      expect(JSON.parse(execFileSync("python3", ["-c", read, join(folder, "a.zip")], { encoding: "utf8" }))).toEqual(all)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test("are added to by several jobs, and one job at a time", async () => {
    const other = await runAnotherJob(forge, job)
    for (const [by, file] of [
      [job, "one"],
      [other, "two"],
    ] as const) {
      const url = await begin("shared", by)
      expect(await put(url, `shared/${file}`, file, undefined, {}, by)).toBe(200)
      expect(await put(url, "shared/both", `by ${file}`, undefined, {}, by)).toBe(200)
    }
    const statuses = await Promise.all([finish("shared"), finish("shared", other)])
    for (const [index, by] of [job, other].entries())
      if (statuses[index] !== 200) expect([statuses[index], await finish("shared", by)]).toEqual([503, 200])
    const { "shared/both": both, ...files } = await load("shared")
    expect(files).toEqual({ "shared/one": "one", "shared/two": "two" })
    expect(["by one", "by two"]).toContain(both)
  })

  if (kind === "sqlite")
    test("files of artifacts of version 4 are loaded one by one as well", async () => {
      const folder = await mkdtemp(join(tmpdir(), "hearth-v3-"))
      const steps = await openSteps()
      try {
        await writeFile(join(folder, "text"), "compressible ".repeat(500))
        await steps.run(job, forge.hearth.url, "upload", ["new", [join(folder, "text")], folder])
        expect(await load("new")).toEqual({ "new/text": "compressible ".repeat(500) })
      } finally {
        await steps.close()
        await rm(folder, { recursive: true, force: true })
      }
    })

  test("paths that lead elsewhere, holes, bombs and foreign tokens are refused", async () => {
    const url = await begin("bad")
    for (const path of ["bad", "bad/", "other/x", "bad/../x", "bad//x", "bad/./x", "bad/a\\b", "bad/a\nb", "", `bad/${"x".repeat(1025)}`])
      expect(await put(url, path, "x"), path).toBe(422)
    expect(await put(url, "bad/x", "xyz", "bytes 0-1/2")).toBe(400)
    expect(await put(url, "bad/x", "xyz", "nonsense")).toBe(400)
    expect(await put(url, "bad/x", "x", undefined, { "content-encoding": "br" })).toBe(415)
    expect(await put(url, "bad/hole", "x", "bytes 5-5/6")).toBe(200)
    expect(await finish("bad")).toBe(422)
    for (const [name, content] of [
      ["bomb", gzipSync("x".repeat(200_000))],
      ["broken", Buffer.from("no gzip")],
    ] as const) {
      expect(await put(await begin(name), `${name}/f`, content, undefined, { "content-encoding": "gzip" })).toBe(200)
      expect(await finish(name)).toBe(name === "bomb" ? 413 : 422)
    }
    expect(await finish("never")).toBe(404)
    expect((await ask("POST", base(), { Name: "a/b" })).status).toBe(422)
    expect((await ask("POST", base(), {})).status).toBe(400)
    const other = await runJob(forge, "ann/lamp")
    expect((await ask("GET", base(), undefined, {}, other)).status).toBe(403)
    expect((await ask("GET", base(), undefined, { authorization: "Bearer x" })).status).toBe(401)
    expect(await put(url.replace(`/${job.runId}/`, `/${other.runId}/`), "bad/x", "x", undefined, {}, other)).toBe(404)
    await endTask(forge, job)
    expect(await put(url, "bad/x", "x")).toBe(401)
  })
})
