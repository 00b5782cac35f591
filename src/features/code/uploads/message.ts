/** How many files a message names. */
const MOST_NAMED = 3

const some = (files: readonly string[], names: boolean): string =>
  names ? files.join(", ") : files.length === 1 ? "1 file" : `${files.length} files`

/** The message of a commit of uploaded files, true to what it does: `Add a.txt, b.txt`, `Add 2 files and update 1 file`. */
export function uploadMessage(added: readonly string[], updated: readonly string[]): string {
  const names = added.length + updated.length <= MOST_NAMED
  const parts = [
    ...(added.length > 0 ? [`add ${some(added, names)}`] : []),
    ...(updated.length > 0 ? [`update ${some(updated, names)}`] : []),
  ]
  const text = parts.join(" and ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}
