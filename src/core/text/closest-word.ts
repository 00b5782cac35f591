/** The one of `names` that was most likely meant by `given`, or undefined when none comes near. Case doesn't count. */
export function closestWord(given: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(given.length / 4))
  const ranked = names
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0] !== undefined && ranked[0].distance <= limit ? ranked[0].name : undefined
}

/** How many letters must be put in, taken out or changed to turn one text into the other. */
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
