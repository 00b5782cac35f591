import { expect, vi } from "vitest"
import { statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { addRunner, commitWorkflow, endJob, takeJob } from "../testing.ts"
import { followLog, followRun, type LogPage, type RunState } from "./follow.ts"
import { appendLog, closeLogs } from "./logs.ts"
import { openLooks } from "./looks.ts"
import { packLogs } from "./pack-logs.ts"

withHearth("runs and logs that are watched", { people: ["ann"] }, ({ test, forge, ann }) => {
  let runner: number
  let row: { readonly id: number; readonly storage: string }
  const at = "/repos/ann/lamp/actions"
  const services = () => forge.hearth.services
  test.beforeAll(async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, "ann/lamp")
    runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
    row = await services().database.read.selectFrom("repositories").select(["id", "storage"]).executeTakeFirstOrThrow()
  })

  const queued = async () => {
    const { body } = await forge.call(ann, `POST ${at}/workflows/build.yml/dispatches?return_run_details=true`, { ref: "main" })
    const run: number = body.workflow_run_id
    const [job, check] = (await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs
    return { run, job: Number(job.id), check: Number(check.id) }
  }
  const fresh = async () => {
    const made = await queued()
    return { ...made, task: await takeJob(forge, made.job, runner, [["Run echo hello", "running"]]) }
  }
  const add = (taskId: number, index: number, contents: readonly string[], isLast = false) =>
    appendLog(services(), {
      repository: row,
      taskId,
      index,
      lines: contents.map((content) => ({ seconds: 1_700_000_000, nanos: 0, content })),
      isLast,
    })
  /** Reads in the background what is followed. */
  function reading<Item>(items: AsyncIterable<Item>) {
    const seen: Item[] = []
    const done = (async () => {
      for await (const item of items) seen.push(item)
    })()
    return { seen, done }
  }
  const wordsOf = (pages: readonly LogPage[]) => pages.flatMap(({ lines }) => lines.map((line) => line.replace(/^\S+Z /, "")))
  const never = () => new AbortController().signal

  test("lines are given as they arrive, from the one that is asked for, until the end", async () => {
    const { task } = await fresh()
    await add(task, 0, ["one", "zwei ü"])
    const all = reading(followLog(services(), task, 0, never()))
    const later = reading(followLog(services(), task, 3, never()))
    await expect.poll(() => wordsOf(all.seen)).toEqual(["one", "zwei ü"])
    await add(task, 2, ["three", "four"])
    await expect.poll(() => wordsOf(all.seen)).toEqual(["one", "zwei ü", "three", "four"])
    await add(task, 4, ["five"], true)
    await Promise.all([all.done, later.done])
    expect(wordsOf(all.seen)).toEqual(["one", "zwei ü", "three", "four", "five"])
    expect(wordsOf(later.seen)).toEqual(["four", "five"])
    expect(all.seen.map(({ isEnd }) => isEnd).indexOf(true)).toBe(all.seen.length - 1)
    for (const { seen } of [all, later])
      seen.reduce((next, { from, lines }) => {
        expect(from).toBe(next)
        return from + lines.length
      }, seen[0]?.from ?? 0)
  })

  test("the last line of the server belongs to it, also once it is compressed, and many lines come in pages", async () => {
    const { task } = await fresh()
    const contents = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${"x".repeat(40)}`)
    await add(task, 0, contents)
    await services().database.write((tx) => closeLogs(tx, services(), [task], "over"))
    const follow = async (from: number) => {
      const { seen, done } = reading(followLog(services(), task, from, never()))
      await done
      return seen
    }
    const pages = await follow(0)
    expect(pages.length).toBeGreaterThan(2)
    expect(wordsOf(pages)).toEqual([...contents, "over"])
    await services().database.write((tx) =>
      tx.updateTable("action_tasks").set({ state: "cancelled", stopped_at: services().now() }).where("id", "=", task).execute(),
    )
    await packLogs.run(services(), AbortSignal.timeout(60_000))
    expect(wordsOf(await follow(19_999))).toEqual([contents[19_999], "over"])
    expect(wordsOf(await follow(20_000))).toEqual(["over"])
    expect(await follow(20_001)).toEqual([{ from: 20_001, lines: [], isEnd: true }])
    expect(await follow(50_000)).toEqual([{ from: 50_000, lines: [], isEnd: true }])
  })

  test("a reader that leaves ends at once, and one of a task that is gone has nothing to read", async () => {
    const { task } = await fresh()
    const leaving = new AbortController()
    const { seen, done } = reading(followLog(services(), task, 0, leaving.signal))
    leaving.abort()
    await done
    expect(seen).toEqual([])
    const [gone] = [reading(followLog(services(), 999_999, 0, never()))]
    await gone.done
    expect(gone.seen).toEqual([{ from: 0, lines: [], isEnd: true }])
  })

  test("a run is seen with its jobs and steps whenever they change, until it has ended", async () => {
    const { run, job, check } = await queued()
    const { seen, done } = reading(followRun(services(), run, never()))
    const states = ({ state, jobs }: RunState) => [state, ...jobs.map((one) => [one.state, one.steps.map((step) => step.state)])]
    await expect.poll(() => seen.map(states)).toEqual([["waiting", ["waiting", []], ["blocked", []]]])
    await takeJob(forge, job, runner, [["Run echo hello", "running"]])
    await expect.poll(() => seen.map(states).at(-1)).toEqual(["running", ["running", ["running"]], ["blocked", []]])
    await endJob(forge, job, "failure")
    await done
    const last = seen.at(-1)
    expect(last?.state).toBe("failure")
    expect(last?.jobs.map(({ id, state }) => [id, state])).toEqual([
      [job, "failure"],
      [check, "skipped"],
    ])
    expect(new Set(seen.map((state) => JSON.stringify(state))).size).toBe(seen.length)
  })

  test("many readers cost as many queries as one", async () => {
    const { task } = await fresh()
    await add(task, 0, ["one"])
    const statements = await statementsOf(services().database, async () => {
      const leaving = new AbortController()
      const readers = Array.from({ length: 50 }, () => reading(followLog(services(), task, 0, leaving.signal)))
      await vi.waitFor(() => expect(readers.every(({ seen }) => seen.length === 1)).toBe(true), { timeout: 60_000 })
      leaving.abort()
      await Promise.all(readers.map(({ done }) => done))
    })
    // As many as seconds have gone by, at the most.
    expect(statements.length).toBeLessThan(50)
  })
})

withHearth("shared looks", { on: ["sqlite"] }, ({ test }) => {
  test("are refused to too many, and stop with the last reader", async () => {
    let looks = 0
    const all = openLooks(async () => ++looks, { everyMs: 1, mostReaders: 3, mostReadersOfOne: 2 })
    const leaving = new AbortController()
    const first = all.follow(1, leaving.signal)
    const second = all.follow(1, new AbortController().signal)
    expect(() => all.follow(1, leaving.signal)).toThrow("too many")
    const third = all.follow(2, leaving.signal)
    expect(() => all.follow(3, leaving.signal)).toThrow("too many")
    expect(await Promise.all([first.next(), second.next()])).toEqual([1, 1])
    expect(await third.next()).toBe(2)
    const waiting = first.next()
    leaving.abort(new Error("gone"))
    await expect(waiting).rejects.toThrow("gone")
    second.leave()
    const before = looks
    await expect(first.next()).rejects.toThrow("gone")
    // Anyone who is left gets a look of its own, so the ones before have had the time for theirs.
    expect(await all.follow(4, new AbortController().signal).next()).toBe(before + 1)
  })
})
