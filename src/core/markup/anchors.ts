/** Anchors of headings: equal ones are numbered from the second on, so that each can be linked to. */

/** Gives each name that it is asked for as an anchor that it gave to no one before: `a`, `a-1`, `a-2`. */
export function distinctAnchors(): (name: string) => string {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return (name) => {
    let own = name
    while (taken.has(own)) {
      const number = next.get(name) ?? 1
      next.set(name, number + 1)
      own = `${name}-${number}`
    }
    taken.add(own)
    return own
  }
}

/** A rendered text with anchors for its headings that are not those of the texts before it on the same page. */
export const withDistinctAnchors = (rendered: string, distinct: (name: string) => string): string =>
  rendered.replace(/(<h[1-6]\b[^>]*? id=")([^"]*)(?=")/g, (_, before: string, anchor: string) => before + distinct(anchor))
