import { GitError } from "../model/errors.ts"

/** Runs the same work once for all who want it at the same time. */
export interface Shared<T> {
  /**
   * The result of `work`, which is started unless it is under way for the same key. A caller whose signal fires stops waiting with `aborted`; the work itself
   * is aborted when no caller is left.
   */
  run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface UnderWay<T> {
  readonly result: Promise<T>
  readonly abort: AbortController
  callers: number
}

export function createShared<T>(): Shared<T> {
  const underWay = new Map<string, UnderWay<T>>()

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): UnderWay<T> {
    const abort = new AbortController()
    const started: UnderWay<T> = { result: work(abort.signal), abort, callers: 0 }
    const forget = () => {
      if (underWay.get(key) === started) underWay.delete(key)
    }
    started.result.then(forget, forget)
    abort.signal.addEventListener("abort", forget)
    underWay.set(key, started)
    return started
  }

  return {
    async run(key, signal, work) {
      if (signal?.aborted) throw new GitError("aborted", "no one waits for it")
      const found = underWay.get(key) ?? start(key, work)
      found.callers += 1
      let leave = () => {}
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(new GitError("aborted", "no one waits for it"))
      })
      signal?.addEventListener("abort", leave)
      try {
        return await (signal === undefined ? found.result : Promise.race([found.result, left]))
      } finally {
        signal?.removeEventListener("abort", leave)
        found.callers -= 1
        if (found.callers === 0) found.abort.abort()
      }
    },
  }
}
