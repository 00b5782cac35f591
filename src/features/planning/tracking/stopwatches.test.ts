import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"

withHearth("stopwatches", { on: databaseKinds, people: ["ann", "ben", "cal"] }, ({ test, forge, call, status, ann, ben, cal }) => {
  const repository = async (name: string, options: object = {}) => {
    await call(ann, "POST /user/repos", { name, ...options })
    await call(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    for (const title of ["one", "two"]) expect(await status(ann, `POST /repos/ann/${name}/issues`, { title })).toBe(201)
    return `/repos/ann/${name}/issues`
  }
  const start = (caller: Caller, issue: string) => status(caller, `POST ${issue}/stopwatch/start`)
  const stop = (caller: Caller, issue: string) => status(caller, `POST ${issue}/stopwatch/stop`)
  const cancel = (caller: Caller, issue: string) => status(caller, `DELETE ${issue}/stopwatch/delete`)
  const running = async (caller: Caller) => {
    const { body, headers } = await call(caller, "GET /user/stopwatches")
    return [
      body.map((watch: { repo_name: string; issue_index: number }) => [watch.repo_name, watch.issue_index]),
      headers.get("x-total-count"),
    ]
  }
  const nothing = [[], "0"]
  const booked = async (issue: string): Promise<number[]> =>
    (await call(ann, `GET ${issue}/times`)).body.map(({ time }: { time: number }) => time)
  const kinds = async (issue: string) => {
    const { id } = (await call(ann, `GET ${issue}`)).body
    const { read } = forge.hearth.services.database
    return (await read.selectFrom("comments").select("kind").where("issue_id", "=", id).orderBy("id").execute()).map((entry) => entry.kind)
  }
  /** Lets all that run have been running for so many seconds more. */
  const wind = (seconds: number) =>
    forge.hearth.services.database.write((tx) =>
      tx
        .updateTable("stopwatches")
        .set((eb) => ({ created_at: eb("created_at", "-", seconds) }))
        .execute(),
    )

  test("run, appear in the timeline, and record their time", async () => {
    const at = await repository("running")
    expect(await running(ben)).toEqual(nothing)
    expect(await stop(ben, `${at}/1`)).toBe(409)
    expect(await start(ben, `${at}/1`)).toBe(201)
    expect(await start(ben, `${at}/1`)).toBe(409)
    await wind(3900)
    const [watch] = (await call(ben, "GET /user/stopwatches")).body
    expect(watch).toMatchObject({
      duration: "1 hour 5 minutes",
      issue_index: 1,
      issue_title: "one",
      repo_owner_name: "ann",
      repo_name: "running",
    })
    expect(watch.seconds).toBeGreaterThanOrEqual(3900)
    expect(await running(ann)).toEqual(nothing)
    expect(await stop(ben, `${at}/1`)).toBe(201)
    expect(await stop(ben, `${at}/1`)).toBe(409)
    expect(await running(ben)).toEqual(nothing)
    const [time] = await booked(`${at}/1`)
    expect(time).toBeGreaterThanOrEqual(3900)
    expect(await kinds(`${at}/1`)).toEqual(["start_tracking", "stop_tracking"])
  })

  test("book a second at least", async () => {
    const at = await repository("short")
    await wind(0)
    await start(ben, `${at}/1`)
    await stop(ben, `${at}/1`)
    const [time] = await booked(`${at}/1`)
    expect(time).toBeGreaterThanOrEqual(1)
  })

  test("are cancelled without a trace but in the timeline", async () => {
    const at = await repository("cancelling")
    expect(await cancel(ben, `${at}/1`)).toBe(409)
    await start(ben, `${at}/1`)
    expect(await cancel(ben, `${at}/1`)).toBe(204)
    expect(await cancel(ben, `${at}/1`)).toBe(409)
    expect(await booked(`${at}/1`)).toEqual([])
    expect(await kinds(`${at}/1`)).toEqual(["start_tracking", "cancel_tracking"])
  })

  test("follow each other: the next start books the last", async () => {
    const at = await repository("following")
    await start(ben, `${at}/1`)
    await wind(60)
    expect(await start(ben, `${at}/2`)).toBe(201)
    expect(await booked(`${at}/1`)).toHaveLength(1)
    expect(await running(ben)).toEqual([[["following", 2]], "1"])
    expect(await cancel(ben, `${at}/2`)).toBe(204)
  })

  test("never run twice, however many are started at once", async () => {
    const at = await repository("racing")
    await Promise.all([start(ben, `${at}/1`), start(ben, `${at}/2`), start(ben, `${at}/1`), start(ben, `${at}/2`)])
    const [, total] = await running(ben)
    expect(total).toBe("1")
    for (const number of [1, 2]) await cancel(ben, `${at}/${number}`)
  })

  test("are for those who may write while time is tracked", async () => {
    const at = await repository("rights")
    await call(cal, `POST ${at}`, { title: "cal's" })
    for (const act of [start, stop, cancel]) {
      expect(await act(cal, `${at}/3`)).toBe(403)
      expect(await act(undefined, `${at}/1`)).toBe(401)
      expect(await act(ben, `${at}/99`)).toBe(404)
    }
    await start(ben, `${at}/1`)
    const off = { enable_time_tracker: false, allow_only_contributors_to_track_time: true, enable_issue_dependencies: true }
    await call(ann, "PATCH /repos/ann/rights", { has_issues: true, internal_tracker: off })
    for (const act of [start, stop, cancel]) expect(await act(ben, `${at}/1`)).toBe(403)
    await call(ann, "PATCH /repos/ann/rights", { has_issues: true, internal_tracker: { ...off, enable_time_tracker: true } })
    await call(ann, "PATCH /repos/ann/rights", { archived: true })
    for (const act of [start, stop, cancel]) expect(await act(ben, `${at}/1`)).toBe(423)
    // It is left behind without booking where nothing can be booked any more.
    const next = await repository("next")
    expect(await start(ben, `${next}/1`)).toBe(201)
    expect(await running(ben)).toEqual([[["next", 1]], "1"])
    expect(await booked(`${at}/1`)).toEqual([])
    await cancel(ben, `${next}/1`)
  })

  test("on what one can no longer see are neither listed nor booked", async () => {
    const at = await repository("hidden", { private: true })
    await start(ben, `${at}/1`)
    await call(ann, "DELETE /repos/ann/hidden/collaborators/ben")
    expect(await running(ben)).toEqual(nothing)
    expect(await stop(ben, `${at}/1`)).toBe(404)
    const open = await repository("open")
    expect(await start(ben, `${open}/1`)).toBe(201)
    expect(await booked(`${at}/1`)).toEqual([])
    await cancel(ben, `${open}/1`)
  })

  test("of who closes an issue stop and book, those of others run on", async () => {
    const at = await repository("closing")
    await start(ann, `${at}/1`)
    await start(ben, `${at}/1`)
    await wind(60)
    expect(await status(ben, `PATCH ${at}/1`, { state: "closed" })).toBe(201)
    expect(await running(ben)).toEqual(nothing)
    expect(await running(ann)).toEqual([[["closing", 1]], "1"])
    expect(await booked(`${at}/1`)).toHaveLength(1)
    await cancel(ann, `${at}/1`)
  })
})
