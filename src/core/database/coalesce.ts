/**
 * Coalesces concurrent calls. A call made while `ask` is running waits for the next run, which all such calls share: the result of a run that began
 * earlier may be older than what the caller has seen. Rejects with what `ask` rejects with.
 */
export function coalesce<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<unknown> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    next = undefined
    const answer = ask()
    const settled = answer
      .catch(() => {})
      .finally(() => {
        if (asked === settled) asked = undefined
      })
    asked = settled
    return answer
  }
  return () => {
    if (asked === undefined) return begin()
    next ??= asked.then(begin)
    return next
  }
}
