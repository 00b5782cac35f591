/**
 * Loaded into a server that is measured (`node --import bench/turns.ts`): on each SIGUSR2 it prints the longest turns of its event loop since the last one, in milliseconds: by the clock,
 * in which other work on the machine counts, and in processor time of the thread. It watches from the first one on.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type Ticks, watchTicks } from "../tests/support/ticks.ts"

const delay = monitorEventLoopDelay({ resolution: 5 })
let ticks: Ticks | undefined

process.on("SIGUSR2", () => {
  const longest = { clock: delay.max / 1e6, processor: ticks?.longest() ?? 0 }
  process.stdout.write(`turns: ${JSON.stringify(longest)}\n`)
  delay.enable()
  delay.reset()
  ticks ??= watchTicks()
  ticks.restart()
})
