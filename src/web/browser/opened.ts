/** The files that were opened last, newest first, which the browser keeps for each repository. */

const MOST = 12
const keyOf = (repository: string): string => `hearth-opened ${repository}`

export function openedBefore(repository: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(repository)) ?? "[]")
    return Array.isArray(kept) ? kept.filter((path) => typeof path === "string") : []
  } catch {
    return []
  }
}

export function rememberOpened(repository: string, path: string): void {
  const others = openedBefore(repository).filter((each) => each !== path)
  try {
    localStorage.setItem(keyOf(repository), JSON.stringify([path, ...others].slice(0, MOST)))
  } catch {
    // A browser that keeps nothing.
  }
}
