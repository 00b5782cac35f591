/** The result of `work`, or undefined where it takes longer than this, and goes on; at once where there is none to wait for. */
export async function waitAtMost<T>(milliseconds: number, work: Promise<T> | undefined): Promise<T | undefined> {
  if (work === undefined) return undefined
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** The result of `work`. Rejects with the error that `late` makes if it takes longer than this. */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** The result of `work`. Rejects with the reason of the signal once that fires, for work that can't be stopped itself, such as asking name servers. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
