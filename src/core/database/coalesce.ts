/**
 * Many who ask the same at once are answered together. Who comes while a question is on its way waits for the next one, which all share who came
 * meanwhile: an answer to a question that was asked before may be older than what they know of. Rejects with what `ask` rejects with.
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
