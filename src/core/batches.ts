/** How many are worked on at once: enough to keep one of git's readers busy, too few to keep others waiting for theirs. */
const AT_ONCE = 16

/** Does `work` for each, sixteen at a time, and gives the results in order. Rejects with the first error, once no further batch was begun. */
export async function mapInBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  return results
}
