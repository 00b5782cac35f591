/** How many run at the same time: enough to keep one of git's readers busy, few enough not to delay other requests. */
const AT_ONCE = 16

/** Does `work` for each item, sixteen at a time, and returns the results in order. Rejects with the first error and begins no further batch. */
export async function mapInBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  return results
}

/** Waits until all have ended, also where one fails, and gives their results. Rejects with the error of the first of the list that failed. */
export async function allEnded<T extends readonly unknown[]>(running: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(running)
  return Promise.all(running)
}

/** Calls `step`, which handles at most `size` of something, until it handles fewer, or the signal fires. Returns how many there were. */
export async function untilFewer(size: number, signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  let done = 0
  for (let batch = size; batch === size && !signal.aborted; done += batch) batch = await step()
  return done
}
