/** The name that `given` is most likely a misspelling of, or undefined if none is close. Ignores case. */
export function closestWord(given: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(given.length / 4))
  const ranked = names
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0] !== undefined && ranked[0].distance <= limit ? ranked[0].name : undefined
}

/** The edit distance of two texts. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)))
    row = next
  }
  return row[to.length] ?? 0
}
