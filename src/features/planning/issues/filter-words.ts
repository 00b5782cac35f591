/**
 * The words by which lists of issues are filtered, such as `is:open label:"good first issue" -label:bug created:>2026-01-01 crash`. A filter is kept as
 * such a text, in the query's `q`; the parameters of older links are translated into it.
 */

/** A word of a filter: `key:value`, or with `-` before it what must not be. */
export interface FilterWord {
  readonly key: FilterKey
  readonly isNot: boolean
  /** With several, separated by commas, any of them. */
  readonly values: readonly string[]
}

export const FILTER_KEYS = [
  "is",
  "author",
  "assignee",
  "mentions",
  "involves",
  "label",
  "milestone",
  "project",
  "no",
  "review-requested",
  "reviewed-by",
  "review",
  "status",
  "reason",
  "draft",
  "head",
  "base",
  "created",
  "updated",
  "closed",
  "comments",
  "in",
  "sort",
] as const
export type FilterKey = (typeof FILTER_KEYS)[number]

export interface Filter {
  readonly words: readonly FilterWord[]
  /** What the title, the text or a comment must hold. */
  readonly text: readonly string[]
  /** Of the text those that must stand there as a whole. */
  readonly phrases: readonly string[]
  /** What is wrong with words that were passed over, as sentences. */
  readonly hints: readonly string[]
}

/** The longest filter that is read, in UTF-16 units, and the most words of it: each costs a condition. */
const LONGEST = 1_000
const MOST_WORDS = 20

const WORD = /(-?)([A-Za-z][\w-]*):((?:"[^"]*"|[^\s",]+|,)*)|"([^"]*)"|(\S+)/g

/** Reads a filter. Never fails: what it doesn't know becomes a hint. */
export function parseFilter(text: string): Filter {
  const words: FilterWord[] = []
  const sought: string[] = []
  const phrases: string[] = []
  const hints: string[] = []
  if (text.length > LONGEST) hints.push(`Only the first ${LONGEST} characters of the filter are read.`)
  for (const [whole, minus, name, values, phrase, word] of text.slice(0, LONGEST).matchAll(WORD)) {
    if (words.length + sought.length + phrases.length === MOST_WORDS) {
      hints.push(`Only the first ${MOST_WORDS} words of the filter are read.`)
      break
    }
    if (phrase !== undefined) {
      if (phrase.trim() !== "") phrases.push(phrase.trim())
    } else if (name === undefined) sought.push(word ?? whole)
    else {
      const key = keyNamed(name)
      const listed = valuesOf(values ?? "")
      if (key === undefined) {
        // An address or a time is no word of a filter.
        if (/^(https?|\d+)$/i.test(name)) sought.push(whole)
        else hints.push(`“${name}:” is not known, and passed over.`)
      } else if (listed.length === 0) hints.push(`“${name}:” needs a value.`)
      else words.push({ key, isNot: minus === "-", values: listed })
    }
  }
  return { words, text: sought, phrases, hints }
}

const OTHER_NAMES: Readonly<Record<string, FilterKey>> = {
  state: "is",
  type: "is",
  labels: "label",
  poster: "author",
  creator: "author",
  assigned: "assignee",
  "user-review-requested": "review-requested",
}

function keyNamed(name: string): FilterKey | undefined {
  const lower = name.toLowerCase()
  return FILTER_KEYS.find((key) => key === lower) ?? (Object.hasOwn(OTHER_NAMES, lower) ? OTHER_NAMES[lower] : undefined)
}

const valuesOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|([^",]+)/g)].map(([, quoted, plain]) => (quoted ?? plain ?? "").trim()).filter((value) => value !== "")

const quoted = (value: string): string => (/^[^\s",]+$/.test(value) ? value : `"${value.replaceAll('"', "")}"`)

export const filterWord = (key: FilterKey, ...values: readonly string[]): FilterWord => ({ key, isNot: false, values })

/** A filter as its text. */
export const filterText = ({ words, text, phrases }: Pick<Filter, "words" | "text" | "phrases">): string =>
  [
    ...words.map(({ key, isNot, values }) => `${isNot ? "-" : ""}${key}:${values.map(quoted).join(",")}`),
    ...text,
    ...phrases.map((phrase) => `"${phrase}"`),
  ].join(" ")

/** The filter with these words in place of all of their key (of `is`, of those that say the same kind of thing). */
export function withWords(filter: Filter, isReplaced: (word: FilterWord) => boolean, ...added: readonly FilterWord[]): Filter {
  return { ...filter, words: [...filter.words.filter((word) => !isReplaced(word)), ...added] }
}

export const STATE_WORDS = ["open", "closed", "merged", "unmerged", "all"] as const
export type StateWord = (typeof STATE_WORDS)[number]

export const isStateWord = ({ key, isNot, values }: FilterWord): boolean =>
  key === "is" && !isNot && values.some((value) => STATE_WORDS.some((state) => state === value.toLowerCase()))

// --- the parameters of older links ----------------------------------------------------------------------------------------------------

/** The parameters of lists as other forges' links have them. */
export interface OldParameters {
  readonly state?: string
  readonly type?: string
  readonly sort?: string
  /** Ids, with commas between them; a negative one is of a label that must not be there, 0 means none at all. */
  readonly labels?: string
  /** An id, or -1 for none. */
  readonly milestone?: string
  readonly project?: string
  /** A name, `(none)` or `(any)`. */
  readonly assignee?: string
  readonly poster?: string
}

/** The names that ids in old parameters stand for. */
export interface NamesOfIds {
  readonly label: (id: number) => string | undefined
  readonly milestone: (id: number) => string | undefined
  readonly project: (id: number) => string | undefined
}

const OLD_SORTS: Readonly<Record<string, string>> = {
  latest: "created-desc",
  oldest: "created-asc",
  recentupdate: "updated-desc",
  leastupdate: "updated-asc",
  mostcomment: "comments-desc",
  leastcomment: "comments-asc",
  nearduedate: "due-asc",
  farduedate: "due-desc",
  recentclose: "closed-desc",
}

const OLD_TYPES: Readonly<Record<string, FilterWord>> = {
  assigned: filterWord("assignee", "@me"),
  created_by: filterWord("author", "@me"),
  mentioned: filterWord("mentions", "@me"),
  review_requested: filterWord("review-requested", "@me"),
  reviewed_by: filterWord("reviewed-by", "@me"),
}

export const hasOldParameters = (old: OldParameters): boolean => Object.values(old).some((value) => value !== undefined && value !== "")

/** The words that old parameters mean. What they name and is not there any more finds nothing, as before. */
export function wordsOf(
  { state, type, sort, labels, milestone, project, assignee, poster }: OldParameters,
  names: NamesOfIds,
): readonly FilterWord[] {
  const words: FilterWord[] = [filterWord("is", state === "closed" || state === "all" ? state : "open")]
  const kind = type === undefined || !Object.hasOwn(OLD_TYPES, type) ? undefined : OLD_TYPES[type]
  if (kind) words.push(kind)
  for (const part of labels?.split(",") ?? []) {
    const id = Number(part)
    if (part.trim() === "" || !Number.isSafeInteger(id)) continue
    if (id === 0) words.push(filterWord("no", "label"))
    else words.push({ ...filterWord("label", names.label(Math.abs(id)) ?? String(Math.abs(id))), isNot: id < 0 })
  }
  for (const [key, text, nameOf] of [
    ["milestone", milestone, names.milestone],
    ["project", project, names.project],
  ] as const) {
    const id = Number(text ?? "0")
    if (id === -1) words.push(filterWord("no", key))
    else if (id > 0 && Number.isSafeInteger(id)) words.push(filterWord(key, nameOf(id) ?? String(id)))
  }
  if (assignee === "(none)") words.push(filterWord("no", "assignee"))
  else if (assignee === "(any)") words.push({ ...filterWord("no", "assignee"), isNot: true })
  else if (assignee) words.push(filterWord("assignee", assignee))
  if (poster) words.push(filterWord("author", poster))
  if (sort !== undefined && Object.hasOwn(OLD_SORTS, sort)) words.push(filterWord("sort", OLD_SORTS[sort] ?? ""))
  else if (sort?.startsWith("scope-")) words.push(filterWord("sort", `${sort}-asc`))
  return words
}
