import { setImmediate } from "node:timers/promises"

/** For loops of what waits for nothing: at each so many calls something to wait for, so that others have their turn. */
export function createBreaks(each: number): () => Promise<void> | undefined {
  let calls = 0
  return () => (++calls % each === 0 ? setImmediate() : undefined)
}
