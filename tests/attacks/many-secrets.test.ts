/*
 * A repository has eight secrets of thousands of lines each, and its job sends a log. Every line of every secret was looked for in every row of the log, one after another: a report of
 * 2,000 rows stopped the service for 25 seconds. Now all are looked for in one pass, and others have their turns between the rows.
 */
import { expect } from "vitest"
import { openMasks, workOfMasking } from "../../src/features/actions/tasks/masks.ts"
import { runJob } from "../../src/servers/runner/results/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { longestTickOf } from "../support/ticks.ts"
import { times } from "./sockets.ts"

withHearth("many secrets", { people: ["ann"], config: { limits: { secretsBytes: 2 ** 20 } } }, ({ test, forge, call, status, ann }) => {
  const secrets = times(8, (index) => times(7_000, (line) => `${index}${line}`.padStart(7, "x")))
  const lines = (index: number) => secrets[index] ?? []
  const put = (name: string, data: string) => status(ann, `PUT /repos/ann/lamp/actions/secrets/${name}`, { data })

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "lamp", auto_init: true })
  })

  test("are masked line by line, without holding others up", async () => {
    for (const index of times(8, (at) => at)) expect(await put(`s${index}`, lines(index).join(index === 0 ? "\r\n" : "\n"))).toBe(201)
    const { services } = forge.hearth
    const { jobId, taskId } = await runJob(forge, "ann/lamp")
    const { id } = (await call(ann, "GET /repos/ann/lamp")).body
    const task = { id: taskId, job_id: jobId, repository_id: id }
    const rows = times(2_000, (index) => `${"x".repeat(100)} ${lines(index % 8)[index]} and ${lines(1).slice(0, 3).join("\n")} end`)
    const masked: string[] = []
    const tick = await longestTickOf(async () => {
      const masks = openMasks(services)
      const work = workOfMasking(services)
      for (const row of rows) masked.push(await (await masks.of(task)).mask(row, work))
    })
    expect(new Set(masked)).toEqual(new Set([`${"x".repeat(100)} *** and ***\n***\n*** end`]))
    expect(tick).toBeLessThan(250)
    const { mask } = await openMasks(services).of(task)
    expect(await mask(`a ${lines(2).join("\n")} b`, workOfMasking(services))).toBe("a *** b")
  })

  test("have a limit together", async () => {
    const outcomes: number[] = []
    for (const index of times(6, (at) => at)) outcomes.push(await put(`more${index}`, "y".repeat(65_536)))
    expect(outcomes).toEqual([201, 201, 201, 201, 201, 422])
    expect(await put("more0", "shorter")).toBe(204)
  })
})
