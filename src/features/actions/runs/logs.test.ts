import { randomUUID } from "node:crypto"
import { rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { expect } from "vitest"
import { blobsBelow, pathOfBlob } from "../../../../tests/support/blobs.ts"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Blobs, StorageUnavailable } from "../../../core/blobs/blobs.ts"
import type { ByteRange } from "../../../core/file-headers.ts"
import { actionFilesOf } from "../files/files.ts"
import { addRunner, commitWorkflow, finishRun, takeJob } from "../testing.ts"
import { appendLog, closeLogs, type LogPart } from "./logs.ts"
import { openLog } from "./open-log.ts"
import { packLogs } from "./pack-logs.ts"

withHearth("logs of jobs", { people: ["ann"], on: databaseKinds }, ({ test, forge, ann }) => {
  let runner: number
  let row: { readonly id: number; readonly storage: string }
  const at = "/repos/ann/lamp/actions"
  const services = () => forge.hearth.services
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main", private: true })
    await commitWorkflow(forge, ann, "ann/lamp")
    runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
    row = await services().database.read.selectFrom("repositories").select(["id", "storage"]).executeTakeFirstOrThrow()
  })

  const fresh = async () => {
    const { body } = await forge.call(ann, `POST ${at}/workflows/build.yml/dispatches?return_run_details=true`, { ref: "main" })
    const run: number = body.workflow_run_id
    const job: number = (await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs[0].id
    return { run, job, task: await takeJob(forge, job, runner) }
  }
  const line = (content: string) => ({ seconds: 1_700_000_000, nanos: 123_456_789, content })
  const add = (taskId: number, index: number, contents: readonly string[], more: Partial<LogPart> = {}) =>
    appendLog(services(), { repository: row, taskId, index, lines: contents.map(line), isLast: false, ...more })
  const read = (job: number, who: string | undefined = ann) => forge.call(who, `GET ${at}/jobs/${job}/logs`)
  const files = () => blobsBelow(services(), actionFilesOf(row.storage))
  const parts = (taskId: number) =>
    services().database.read.selectFrom("action_log_parts").selectAll().where("task_id", "=", taskId).orderBy("start_at").execute()
  const end = (taskId: number) =>
    services().database.write((tx) =>
      tx.updateTable("action_tasks").set({ stopped_at: services().now() }).where("id", "=", taskId).execute(),
    )
  const shown = (...contents: readonly string[]) => contents.map((content) => `2023-11-14T22:13:20.1234567Z ${content}\n`).join("")

  test("are appended to, and can be read while they grow", async () => {
    const { job, task } = await fresh()
    expect((await read(job)).status).toBe(404)
    expect(await add(task, 0, ["one", "two"])).toBe(2)
    const { status, headers, body } = await read(job)
    expect([status, body]).toEqual([200, shown("one", "two")])
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(headers.get("content-disposition")).toBe(`attachment; filename="build-build-${task}.log"`)
    expect(headers.get("content-length")).toBe(String(shown("one", "two").length))
    expect(await add(task, 1, ["two", "three\nand more"]), "what came already is passed over").toBe(3)
    expect(await add(task, 7, ["far"]), "nothing is taken behind a gap").toBe(3)
    expect(await add(task, 3, []), "nothing changes nothing").toBe(3)
    expect((await read(job)).body).toBe(shown("one", "two", "three\\nand more"))
    expect(await add(task, 3, ["four"], { isLast: true })).toBe(4)
    expect(await add(task, 3, ["four"], { isLast: true }), "closing again is no matter").toBe(4)
    await expect(add(task, 4, ["five"])).rejects.toMatchObject({ kind: "conflict" })
    expect((await read(job)).body).toBe(shown("one", "two", "three\\nand more", "four"))
  })

  test("are given in parts, whatever has become of them", async () => {
    const { job, task } = await fresh()
    await add(task, 0, ["one", "two"])
    const part = async (range: string) => {
      const answer = await fetch(`${forge.hearth.url}/api/v1${at}/jobs/${job}/logs`, { headers: { authorization: ann, range } })
      return [answer.status, answer.headers.get("content-range"), await answer.text()]
    }
    const all = shown("one", "two")
    const whole = async (text: string) => {
      const size = text.length
      expect(await part("bytes=0-9")).toEqual([206, `bytes 0-9/${size}`, text.slice(0, 10)])
      expect(await part(`bytes=${size - 40}-`)).toEqual([206, `bytes ${size - 40}-${size - 1}/${size}`, text.slice(-40)])
      expect(await part("bytes=-5")).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, text.slice(-5)])
      expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`])
      expect(await part("bytes=9-2")).toEqual([200, null, text])
    }
    await whole(all)
    await services().database.write((tx) => closeLogs(tx, services(), [task], "over"))
    const ended = String((await read(job)).body)
    expect(ended).toMatch(/two\n\S+Z over\n$/)
    await whole(ended)
    await services().database.write((tx) =>
      tx.updateTable("action_tasks").set({ state: "cancelled", stopped_at: services().now() }).where("id", "=", task).execute(),
    )
    await packLogs.run(services(), AbortSignal.timeout(60_000))
    expect(await services().database.read.selectFrom("action_tasks").select("log_packed").where("id", "=", task).execute()).toEqual([
      { log_packed: 1 },
    ])
    await whole(ended)
  })

  test("an empty one can be closed and read", async () => {
    const { job, task } = await fresh()
    expect(await add(task, 0, [], { isLast: true })).toBe(0)
    expect(await read(job)).toMatchObject({ status: 200, body: undefined })
  })

  test("long lines are cut between characters", async () => {
    const { job, task } = await fresh()
    await add(task, 0, [`${"x".repeat(65_535)}ä`, "y"])
    const lines = String((await read(job)).body).split("\n")
    expect(lines.map((each) => each.length)).toEqual([29 + 65_535, 30, 0])
  })

  test("many bytes are put together in files of which each is written once, and read in any parts", async () => {
    const { job, task } = await fresh()
    const before = await files()
    const lines = Array.from({ length: 60 }, (_, index) => `${index} ${"x".repeat(20_000)}`)
    const kinds = []
    for (const [index, text] of lines.entries()) {
      await add(task, index, [text])
      kinds.push((await parts(task)).map(({ file, size, content }) => (file === "" ? content?.length === size : "file")).join())
    }
    // 256 KiB are thirteen lines and something.
    expect(kinds[0]).toBe("true,true,true")
    expect(kinds[12]).toBe(Array.from({ length: 39 }, () => true).join())
    expect(kinds[13]).toBe("file")
    expect(kinds.at(-1)).toBe(`file,file,file,file,${Array.from({ length: 12 }, () => true).join()}`)
    const all = shown(...lines)
    const sizes = (await parts(task)).map(({ size }) => size)
    expect((await parts(task)).map(({ start_at }) => start_at)).toEqual(
      sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0)),
    )
    expect((await read(job)).body).toBe(all)
    expect(await files()).toHaveLength(before.length + 4)

    const range = async (start: number, end: number) =>
      text(await openLog(services(), { taskId: task, storage: row.storage }, all.length, { start, end }))
    const third = (await parts(task))[2]?.start_at ?? 0
    for (const [start, end] of [
      [0, 0],
      [third - 1, third],
      [third, third],
      [5, all.length - 5],
      [all.length - 1, all.length + 100],
      [all.length - 20_000, all.length - 10_000],
    ] as const)
      expect((await range(start, end)) === all.slice(start, end + 1), `${start}-${end}`).toBe(true)
    expect(await range(all.length, all.length + 1)).toBe("")

    expect(await add(task, 60, ["y".repeat(65_536), ...Array.from({ length: 9 }, () => "y".repeat(65_536))]), "many at once").toBe(70)
    expect((await parts(task)).map(({ file }) => file !== "")).toEqual([true, true, true, true, true])
  })

  test("of two concurrent calls that put bytes together one leaves no file", async () => {
    const { job, task } = await fresh()
    await add(task, 0, ["begun"])
    const before = await files()
    const many = Array.from({ length: 6 }, () => "x".repeat(60_000))
    expect(await Promise.all([add(task, 1, many), add(task, 1, many)])).toEqual([7, 7])
    expect((await read(job)).body).toBe(shown("begun", ...many))
    expect(await files()).toHaveLength(before.length + 1)
    const [one, other] = await Promise.all([add(task, 7, many), add(task, 7, ["short"])])
    // Whoever is faster; the other has lines of its own only where it began after that.
    const last = other === 13 ? many : ["short", ...(one === 13 ? many.slice(1) : [])]
    expect((await read(job)).body).toBe(shown("begun", ...many, ...last))
    expect((await files()).length - before.length).toBe((await parts(task)).filter(({ file }) => file !== "").length)
  })

  test("are read on where the parts are put together or compressed meanwhile", async () => {
    const { task } = await fresh()
    const lines = Array.from({ length: 24 }, (_, index) => `${index} ${"x".repeat(10_000)}`)
    for (const [index, text] of lines.entries()) await add(task, index, [text])
    const size = shown(...lines).length
    const log = { taskId: task, storage: row.storage }
    const readers: { readonly at: string; readonly start: number; readonly begun: Readable }[] = []
    const begin = async (at: string, start = readers.length) => {
      readers.push({ at, start, begun: await openLog(services(), log, size, { start, end: size }, 1024) })
    }
    await begin("rows")
    await add(task, 24, [lines[0] ?? "", lines[1] ?? "", lines[2] ?? ""])
    expect((await parts(task)).map(({ file }) => file !== "")).toEqual([true])
    await begin("a file")
    await add(task, 27, ["last"], { isLast: true })
    await end(task)
    await packLogs.run(services(), AbortSignal.timeout(60_000))
    await services().jobs.drain()
    expect(await parts(task)).toEqual([])
    await begin("compressed")
    await begin("a file that has just gone", 1)
    for (const { at, start, begun } of readers) expect((await text(begun)) === shown(...lines).slice(start), at).toBe(true)
  })

  test("are read on where the store breaks off, and not for ever", async () => {
    const { task } = await fresh()
    const lines = Array.from({ length: 30 }, () => "x".repeat(10_000))
    await add(task, 0, lines)
    expect((await parts(task)).map(({ file }) => file !== "")).toEqual([true])
    const { blobs } = services()
    let opened = 0
    const breaking = (given: number): Blobs => ({
      ...blobs,
      async open(key) {
        opened++
        const blob = await blobs.open(key)
        async function* some(range?: ByteRange): AsyncGenerator<Buffer> {
          let left = given
          for await (const chunk of blob?.read(range) ?? []) {
            if (left > 0) yield chunk
            left -= chunk.length
            if (left <= 0) throw new StorageUnavailable("it has gone")
          }
        }
        return blob && { ...blob, read: (range) => Readable.from(some(range), { objectMode: false }) }
      },
    })
    const log = { taskId: task, storage: row.storage }
    const all = shown(...lines)
    const range = { start: 0, end: all.length }
    expect((await text(await openLog({ ...services(), blobs: breaking(70_000) }, log, all.length, range))) === all).toBe(true)
    opened = 0
    await expect(openLog({ ...services(), blobs: breaking(0) }, log, all.length, range)).rejects.toThrow("it has gone")
    expect(opened).toBe(4)
  })

  test("that are lost fail where they begin to be, and are passed over where logs are compressed", async () => {
    const { job, task } = await fresh()
    await add(
      task,
      0,
      Array.from({ length: 30 }, () => "x".repeat(10_000)),
    )
    await add(task, 30, ["in a row"], { isLast: true })
    await end(task)
    const [{ file = "" } = {}] = await parts(task)
    await rm(pathOfBlob(services(), `${actionFilesOf(row.storage)}/${file}`))
    expect((await read(job)).status).toBe(500)
    expect(await packLogs.run(services(), AbortSignal.timeout(60_000))).toBeUndefined()
    expect(await parts(task)).toHaveLength(2)
    await services().database.write((tx) => tx.updateTable("action_tasks").set({ log_sealed: 0 }).where("id", "=", task).execute())
  })

  test("of a process that died are swept but for what rows name", async () => {
    const { job, task } = await fresh()
    await add(
      task,
      0,
      Array.from({ length: 30 }, () => "x".repeat(10_000)),
    )
    const before = await files()
    const folder = pathOfBlob(services(), actionFilesOf(row.storage))
    const [lost, draft] = [randomUUID(), `${randomUUID()}.part`]
    for (const name of [lost, draft]) await writeFile(join(folder, name), "half a line")
    for (const name of await files()) await utimes(join(folder, name), 1, 1)
    await services().jobs.tasks.run("sweep_action_files")
    expect(await files()).toEqual(before)
    expect((await read(job)).status).toBe(200)
  })

  test("are compressed when their jobs have ended, and read as before", async () => {
    const { job, task } = await fresh()
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`)
    await add(task, 0, lines)
    await forge.hearth.services.jobs.tasks.run("pack_logs")
    expect((await read(job)).body).toBe(shown(...lines))
    await add(task, 500, ["last"], { isLast: true })
    await end(task)
    const { headers } = await read(job)
    await forge.hearth.services.jobs.tasks.run("pack_logs")
    await services().jobs.drain()
    const { log_file: file, log_packed: packed } = await services()
      .database.read.selectFrom("action_tasks")
      .select(["log_file", "log_packed"])
      .where("id", "=", task)
      .executeTakeFirstOrThrow()
    expect([packed, await parts(task)]).toEqual([1, []])
    expect((await stat(pathOfBlob(services(), `${actionFilesOf(row.storage)}/${file}`))).size).toBeLessThan(
      Number(headers.get("content-length")) / 5,
    )
    expect(await read(job)).toMatchObject({ status: 200, body: shown(...lines, "last") })
    await expect(add(task, 501, ["late"])).rejects.toMatchObject({ kind: "conflict" })
  })

  test("of two concurrent calls one continues where the other ended", async () => {
    const { job, task } = await fresh()
    const ends = await Promise.all([add(task, 0, ["one"]), add(task, 0, ["one"])])
    expect(ends).toEqual([1, 1])
    expect((await read(job)).body).toBe(shown("one"))
    expect(await parts(task)).toHaveLength(1)
  })

  test("belong to tasks of the repository, and are for users who may read them", async () => {
    const { job, task } = await fresh()
    await expect(add(999_999, 0, ["x"])).rejects.toMatchObject({ kind: "notFound" })
    await expect(add(task, 0, ["x"], { repository: { ...row, id: row.id + 1 } })).rejects.toMatchObject({ kind: "notFound" })
    await add(task, 0, ["x"])
    const eve = await forge.person("eve")
    expect((await read(job, eve)).status).toBe(404)
    expect((await forge.call(undefined, `GET ${at}/jobs/${job}/logs`)).status).toBe(404)
    expect((await read(999_999)).status).toBe(404)
  })

  test("are kept for later attempts that did not rerun the job, and are removed after a year or with the run", async () => {
    const { run, job, task } = await fresh()
    await add(task, 0, ["done once", ...Array.from({ length: 30 }, () => "x".repeat(10_000))])
    await add(task, 31, ["in a row"], { isLast: true })
    const done = shown("done once", ...Array.from({ length: 30 }, () => "x".repeat(10_000)), "in a row")
    await services().database.write((tx) =>
      tx.updateTable("action_tasks").set({ state: "success", stopped_at: services().now() }).where("id", "=", task).execute(),
    )
    await finishRun(forge, run, "success")
    const jobs = (await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs
    expect((await forge.call(ann, `POST ${at}/runs/${run}/jobs/${jobs[1].id}/rerun`)).status).toBe(201)
    const again = (await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs[0].id
    expect(again).not.toBe(job)
    expect((await read(again)).body).toBe(done)

    await services().database.write((tx) =>
      tx
        .updateTable("action_tasks")
        .set({ stopped_at: services().now() - 366 * 86_400 })
        .where("id", "=", task)
        .execute(),
    )
    const before = await files()
    await forge.hearth.services.jobs.tasks.run("cleanup_actions")
    await services().jobs.drain()
    expect(await files()).toHaveLength(before.length - 1)
    expect(await parts(task)).toEqual([])
    expect((await read(job)).status).toBe(404)
    await expect(add(task, 0, ["late"])).rejects.toMatchObject({ kind: "conflict" })

    const other = await fresh()
    await add(
      other.task,
      0,
      Array.from({ length: 30 }, () => "x".repeat(10_000)),
    )
    await add(other.task, 30, ["x"])
    await finishRun(forge, other.run, "failure")
    const kept = await files()
    expect((await forge.call(ann, `DELETE ${at}/runs/${other.run}`)).status).toBe(204)
    await services().jobs.drain()
    expect(await files()).toHaveLength(kept.length - 1)
    expect(await parts(other.task)).toEqual([])
  })
})
