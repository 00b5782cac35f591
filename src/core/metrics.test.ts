import { describe, expect, test } from "vitest"
import { fakeWorkers } from "../../tests/support/workers.ts"
import { openMetrics } from "./metrics.ts"
import { VERSION } from "./version.ts"

describe("metrics", () => {
  test("count requests by operation, method and status", async () => {
    const metrics = openMetrics()
    metrics.observeRequest("userGetCurrent", "GET", 200, 0.004)
    metrics.observeRequest("userGetCurrent", "GET", 200, 3)
    metrics.observeRequest("userGetCurrent", "GET", 401, 0.001)
    const text = await metrics.text()
    expect(text).toContain('hearth_http_request_seconds_count{operation="userGetCurrent",method="GET",status="200"} 2')
    expect(text).toContain('hearth_http_request_seconds_bucket{le="0.005",operation="userGetCurrent",method="GET",status="200"} 1')
    expect(text).toContain('hearth_http_request_seconds_count{operation="userGetCurrent",method="GET",status="401"} 1')
    metrics.close()
  })

  test("read what is in flight when they are asked for", async () => {
    const metrics = openMetrics()
    let processes = 3
    metrics.gauge("hearth_git_processes", "Git processes that run now.", () => processes)
    metrics.counter("hearth_git_spawned_total", "Git processes started.", () => processes * 10)
    metrics.countJobs(async () => (processes === 3 ? [{ kind: "webhook", state: "failed", count: 2 }] : []))
    const first = await metrics.text()
    expect(first).toContain("hearth_git_processes 3")
    expect(first).toContain("hearth_git_spawned_total 30")
    expect(first).toContain('hearth_jobs{kind="webhook",state="failed"} 2')
    processes = 4
    const second = await metrics.text()
    expect(second).toContain("hearth_git_processes 4")
    expect(second).toContain("hearth_git_spawned_total 40")
    expect(second).not.toContain('hearth_jobs{kind="webhook"')
    metrics.observeJob("webhook", "retried", 0.5)
    expect(await metrics.text()).toContain('hearth_job_seconds_count{kind="webhook",result="retried"} 1')
    metrics.close()
  })

  test("tell of the process", async () => {
    const metrics = openMetrics()
    const text = await metrics.text()
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_heap_size_used_bytes",
      "process_start_time_seconds",
    ])
      expect(Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]), name).toBeGreaterThan(0)
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    metrics.close()
  })

  test("of several processes are one figure each: added up, unless that says nothing", async () => {
    const workers = fakeWorkers(2)
    const all = workers.map((worker) => openMetrics(worker))
    const [first, second] = all
    for (const [index, metrics] of all.entries()) {
      metrics.observeRequest("userGetCurrent", "GET", 200, 0.004)
      metrics.gauge("hearth_git_processes", "Git processes that run now.", () => 3 + index)
      metrics.gauge("hearth_longest", "The longest.", () => 3 + index, "max")
      metrics.counter("hearth_git_spawned_total", "Git processes started.", () => 10 + index)
      metrics.countJobs(async () => [{ kind: "webhook", state: "failed", count: 2 }])
    }
    const text = (await second?.text()) ?? ""
    for (const line of [
      'hearth_http_request_seconds_count{operation="userGetCurrent",method="GET",status="200"} 2',
      "hearth_git_processes 7",
      "hearth_longest 4",
      "hearth_git_spawned_total 21",
      // Both read the same table.
      'hearth_jobs{kind="webhook",state="failed"} 2',
      `hearth_build_info{version="${VERSION}",node="${process.version}"} 1`,
    ])
      expect(text.split("\n")).toContain(line)
    expect(Number(/^process_start_time_seconds (.+)$/m.exec(text)?.[1])).toBeCloseTo(performance.timeOrigin / 1000, -1)
    expect(Number(/^hearth_event_loop_utilization (.+)$/m.exec(text)?.[1])).toBeLessThanOrEqual(1)
    first?.close()
    second?.close()
  })

  test("are those of this process when none of the others answers in time", async () => {
    const [worker] = fakeWorkers(1)
    const metrics = openMetrics(worker && { ...worker, metrics: async () => [] })
    metrics.observeRequest("userGetCurrent", "GET", 200, 0.004)
    expect(await metrics.text()).toContain('hearth_http_request_seconds_count{operation="userGetCurrent",method="GET",status="200"} 1')
    metrics.close()
  })

  test("of two forges in one process know nothing of each other, and leave nothing running", async () => {
    const before = process.getActiveResourcesInfo().length
    const many = Array.from({ length: 20 }, () => openMetrics())
    many[0]?.observeRequest("a", "GET", 200, 1)
    expect(await many[1]?.text()).not.toContain('operation="a"')
    for (const each of many) each.close()
    expect(await many[0]?.text()).not.toContain('operation="a"')
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before)
  })
})
