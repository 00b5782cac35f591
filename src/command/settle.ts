import { flushCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Whoever waited for the start is answered before everything stands still for a moment. */
const SETTLE_AFTER_MS = 1_000

/**
 * Gives back to the system, once, what loading took: a third of all memory, which the engine would keep for as long as little happens. Compiled
 * code is written down now too, not only at an end in good order, so that the next start is quick even after this one was killed.
 */
export function settleSoon(): void {
  setTimeout(() => {
    flushCompileCache()
    setFlagsFromString("--expose-gc")
    const collect: (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void = runInNewContext("gc")
    setFlagsFromString("--no-expose-gc")
    collect({ type: "major", flavor: "last-resort" })
  }, SETTLE_AFTER_MS).unref()
}
