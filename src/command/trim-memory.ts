import { flushCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** A pause, so that requests that waited for the start are answered before the garbage collection stops everything for a moment. */
const TRIM_AFTER_MS = 1_000

/**
 * Frees, once, the memory that loading took: a third of all, which the engine would keep while little happens. Also writes the compile cache now, not
 * only at a graceful end, so that the next start is quick even if this process is killed.
 */
export function trimMemorySoon(): void {
  setTimeout(() => {
    flushCompileCache()
    setFlagsFromString("--expose-gc")
    const collect: (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void = runInNewContext("gc")
    setFlagsFromString("--no-expose-gc")
    collect({ type: "major", flavor: "last-resort" })
  }, TRIM_AFTER_MS).unref()
}
