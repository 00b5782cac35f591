/** What the search in a history asks for. */
export interface SearchWords {
  readonly words: readonly string[]
  readonly authors: readonly string[]
  readonly committers: readonly string[]
  /** Unix seconds: made then or later, and then or earlier. */
  readonly since: number | undefined
  readonly until: number | undefined
}

/** The most words of a search, and the most characters of each. */
const MOST_WORDS = 10
const LONGEST = 200
const DAY = 86_400

/** Reads `words "in quotes" author:ada committer:ben after:2024-01-31 before:2024-02-29`. A day that is no date, and a key that there is none of, are words. */
export function readSearchWords(text: string): SearchWords {
  const found = { words: [] as string[], authors: [] as string[], committers: [] as string[] }
  let since: number | undefined
  let until: number | undefined
  for (const [whole, key, quoted, plain] of text.matchAll(/(?:(author|committer|before|after):)?(?:"([^"]*)"|(\S+))/gi)) {
    const value = (quoted ?? plain ?? "").slice(0, LONGEST)
    if (value === "") continue
    const day = key === undefined ? undefined : dayOf(value)
    switch (key?.toLowerCase()) {
      case "author":
        found.authors.push(value)
        break
      case "committer":
        found.committers.push(value)
        break
      case "after":
        if (day === undefined) found.words.push(whole.slice(0, LONGEST))
        else since = day
        break
      case "before":
        // The whole of that day is after it began.
        if (day === undefined) found.words.push(whole.slice(0, LONGEST))
        else until = day - 1
        break
      default:
        found.words.push(value)
    }
  }
  const few = (texts: readonly string[]) => texts.slice(0, MOST_WORDS)
  return { words: few(found.words), authors: few(found.authors), committers: few(found.committers), since, until }
}

/** The beginning of a day in UTC, or a moment with a time. */
function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return undefined
  const milliseconds = Date.parse(text)
  const seconds = Math.floor(milliseconds / 1000)
  return Number.isNaN(milliseconds) || seconds < -DAY ? undefined : seconds
}
