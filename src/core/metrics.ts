import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import type * as Library from "prom-client"
import type { LimiterState } from "../git/index.ts"
import type { Cluster } from "./cluster/cluster.ts"
import type { JobCount, JobMetrics } from "./jobs/jobs.ts"
import { VERSION } from "./version.ts"

/** The metrics of one forge, in the format of Prometheus. They hold no timer and no listener. */
export interface Metrics extends JobMetrics {
  /** A request was answered. `operation` is an operation's id or a route, never a text that a client chose. */
  readonly observeRequest: (operation: string, method: string, status: number, seconds: number) => void
  /** Adds a gauge; `read` is called whenever the metrics are read. Of several processes the sum is given, unless it says otherwise. */
  readonly gauge: (name: string, help: string, read: () => number, ofAll?: OfAll) => void
  /** Adds what is limited, by name; `read` is called whenever the metrics are read. */
  readonly limits: (read: () => readonly LimiterState[]) => void
  /** Adds a counter; `read` returns the total so far. */
  readonly counter: (name: string, help: string, read: () => number) => void
  /** Adds a counter by labels, and returns the function that adds one to it. The values of labels must be few. */
  readonly counterBy: <L extends string>(name: string, help: string, labels: readonly L[]) => (values: Readonly<Record<L, string>>) => void
  readonly contentType: string
  /** The metrics of all processes of the server. */
  readonly text: () => Promise<string>
  /** Removes all metrics. */
  readonly close: () => void
}

/** What is given of a gauge that every process of a server has. */
type OfAll = "sum" | "max" | "min" | "average" | "first"

// Imported separately: the package's index loads process metrics that are not used here, and OpenTelemetry for them.
const load = createRequire(import.meta.url)
const Counter: typeof Library.Counter = load("prom-client/lib/counter")
const Gauge: typeof Library.Gauge = load("prom-client/lib/gauge")
const Histogram: typeof Library.Histogram = load("prom-client/lib/histogram")
const Registry: typeof Library.Registry = load("prom-client/lib/registry")

const REQUEST_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
const JOB_SECONDS = [0.01, 0.1, 1, 10, 60, 600]

/** Creates the metrics of one forge. Those of the process are the same for every forge in it. */
export function openMetrics(cluster?: Cluster): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: "hearth_http_request_seconds",
    help: "Time from a request's head to the end of its answer.",
    labelNames: ["operation", "method", "status"],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const jobs = new Histogram({
    name: "hearth_job_seconds",
    help: "Time that a try of a background job took, by how it ended.",
    labelNames: ["kind", "result"],
    buckets: JOB_SECONDS,
    registers,
  })
  const gauge: Metrics["gauge"] = (name, help, read, aggregator = "sum") => {
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      collect() {
        this.set(read())
      },
    })
  }
  const counter: Metrics["counter"] = (name, help, read) => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }
  const counterBy: Metrics["counterBy"] = (name, help, labels) => {
    const counted = new Counter({ name, help, labelNames: [...labels], registers })
    return (values) => counted.inc(values)
  }
  new Gauge({
    ...{ name: "hearth_build_info", help: "The version that runs.", labelNames: ["version", "node"], registers },
    aggregator: "first",
  }).set({ version: VERSION, node: process.version }, 1)
  cluster?.onMetrics(() => registry.getMetricsAsJSON())
  describeProcess(gauge, counter)
  const stopWatching = describeDelay(gauge)

  return {
    observeRequest: (operation, method, status, seconds) => requests.observe({ operation, method, status }, seconds),
    observeJob: (kind, result, seconds) => jobs.observe({ kind, result }, seconds),
    countJobs: (read) => watchJobs(registers, read),
    gauge,
    limits: (read) => describeLimits(registers, read),
    counter,
    counterBy,
    contentType: registry.contentType,
    text: async () => (cluster ? await textOfAll(await cluster.metrics(), registry) : await registry.metrics()),
    close() {
      stopWatching()
      registry.clear()
    },
  }
}

/** The metrics of several processes as one text. */
async function textOfAll(all: readonly unknown[], own: Library.Registry): Promise<string> {
  const { aggregate }: typeof Library.AggregatorRegistry = load("prom-client/lib/cluster")
  const known = all.filter((metrics): metrics is object[] => Array.isArray(metrics))
  return known.length === 0 ? own.metrics() : aggregate(known).metrics()
}

const LIMIT_GAUGES = [
  ["hearth_limit_total", "How many there are of what is limited.", "total"],
  ["hearth_limit_in_use", "How many of them are in use.", "active"],
  ["hearth_limit_waiting", "How many callers wait for one.", "waiting"],
] as const

function describeLimits(registers: Library.Registry[], read: () => readonly LimiterState[]): void {
  for (const [name, help, value] of LIMIT_GAUGES)
    new Gauge({
      ...{ name, help, labelNames: ["limit"], registers },
      collect() {
        for (const state of read()) this.set({ limit: state.name }, state[value])
      },
    })
  new Counter({
    ...{
      name: "hearth_limit_refused_total",
      help: "How many callers were refused because it was in use.",
      labelNames: ["limit"],
      registers,
    },
    collect() {
      this.reset()
      for (const { name, refused } of read()) this.inc({ limit: name }, refused)
    },
  })
}

function watchJobs(registers: Library.Registry[], read: () => Promise<readonly JobCount[]>): void {
  new Gauge({
    name: "hearth_jobs",
    help: "Background jobs that wait, run, or failed for good.",
    labelNames: ["kind", "state"],
    registers,
    // All read the same table.
    aggregator: "first",
    async collect() {
      const counts = await read()
      this.reset()
      for (const { kind, state, count } of counts) this.set({ kind, state }, count)
    },
  })
}

/** How often the delay is looked at, in milliseconds. */
const RESOLUTION = 20

/** How long the event loop was held up, by which everyone waited. It is watched from the first reading on: an idle server that no one reads keeps no timer. */
function describeDelay(gauge: Metrics["gauge"]): () => void {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  gauge(
    "hearth_event_loop_delay_max_seconds",
    "The longest time that everyone waited for one piece of work, since the last reading.",
    () => {
      if (delays === undefined) {
        delays = monitorEventLoopDelay({ resolution: RESOLUTION })
        delays.enable()
      }
      const longest = delays.count === 0 ? 0 : Math.max(0, delays.max / 1e6 - RESOLUTION) / 1000
      delays.reset()
      return longest
    },
    "max",
  )
  return () => delays?.disable()
}

/** prom-client's own process metrics start observers that can't be stopped. The names are the usual ones, for dashboards. */
function describeProcess(gauge: Metrics["gauge"], counter: Metrics["counter"]): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  let load = performance.eventLoopUtilization()
  counter("process_cpu_seconds_total", "Processor time spent, in seconds.", () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  gauge("process_start_time_seconds", "When the process began.", () => startedAt, "min")
  gauge("process_resident_memory_bytes", "Memory in use.", () => process.memoryUsage.rss())
  gauge("process_open_fds", "Open file descriptors.", openFiles)
  gauge("nodejs_heap_size_used_bytes", "Memory in use by JavaScript.", () => process.memoryUsage().heapUsed)
  gauge("nodejs_external_memory_bytes", "Memory in use outside of JavaScript's own.", () => process.memoryUsage().external)
  gauge(
    "hearth_event_loop_utilization",
    "How busy the event loop was since it was last asked, from 0 to 1.",
    () => {
      const before = load
      load = performance.eventLoopUtilization()
      return performance.eventLoopUtilization(load, before).utilization
    },
    "average",
  )
}

function openFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    // Available on Linux only.
    return 0
  }
}
