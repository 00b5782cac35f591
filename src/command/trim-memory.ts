import { flushCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** A pause, so that requests that waited for the start are answered before the garbage collection stops everything for a moment. */
const TRIM_AFTER_MS = 1_000

/** How often it is asked whether the server has become quiet after work. */
const ASK_EVERY_MS = 60_000

/** The server is quiet when its event loop was at work for less of that time. */
const QUIET_MS = 600

/**
 * Frees the memory that loading took, a third of all, and later, after each time of work, what that took: the engine would keep both while little happens.
 * Also writes the compile cache now, not only at a graceful end, so that the next start is quick even if this process is killed.
 */
export function trimMemory(): void {
  setTimeout(() => {
    flushCompileCache()
    collect()
  }, TRIM_AFTER_MS).unref()

  let asked = performance.eventLoopUtilization()
  let hasWorked = false
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const isQuiet = performance.eventLoopUtilization(now, asked).active < QUIET_MS
    asked = now
    if (isQuiet && hasWorked) collect()
    hasWorked = !isQuiet
  }, ASK_EVERY_MS).unref()
}

function collect(): void {
  setFlagsFromString("--expose-gc")
  const gc: (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  gc({ type: "major", flavor: "last-resort" })
}
