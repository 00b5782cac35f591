/** Objects of one answer that are asked for at once: enough to keep a reader busy, too few to keep everybody else from theirs. */
const AT_ONCE = 16

/** `work` for each, a few at a time, with the results in order. */
export async function eachInTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  return results
}
