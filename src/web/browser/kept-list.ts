/** Files that were sent and wait for a commit: whoever comes back to the page in this tab finds them, for as long as the server keeps them (`staged.ts`). */

const KEY = `hearth-files ${location.pathname}`
const KEPT_MS = 5 * 3_600_000

/** As `ID NAME`. */
export function keepList(texts: readonly string[]): void {
  try {
    if (texts.length > 0) sessionStorage.setItem(KEY, JSON.stringify([Date.now(), ...texts]))
    else sessionStorage.removeItem(KEY)
  } catch {
    // A browser that keeps nothing.
  }
}

export function keptList(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]")
    const [at, ...texts]: readonly unknown[] = Array.isArray(kept) ? kept : []
    return Number(at) > Date.now() - KEPT_MS ? texts.filter((each) => typeof each === "string") : []
  } catch {
    return []
  }
}
