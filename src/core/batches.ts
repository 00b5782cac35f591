/** How many run at the same time: enough to keep one of git's readers busy, few enough not to delay other requests. */
const AT_ONCE = 16

/** Does `work` for each item, sixteen at a time, and returns the results in order. Rejects with the first error and begins no further batch. */
export async function mapInBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  return results
}
