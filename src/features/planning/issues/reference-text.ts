/** Parses references to issues, pull requests and users in texts, without checking that they exist. */

export type ReferenceAction = "none" | "closes" | "reopens"

/** A reference to an issue or pull request. Without an owner it means the repository of the text. */
export interface Reference {
  readonly owner?: string
  readonly repository?: string
  readonly number: number
  readonly action: ReferenceAction
  /** Seconds of work that the text records with it: `closes #3 @1h30m`. */
  readonly spent: number
}

/** The most references and names resolved from one text: ordinary texts have fewer, and each costs queries. */
export const MOST_REFERENCES = 200

// The lookbehind excludes parts of longer words, so that each candidate begins at one position only and matching stays linear.
const SHORT = /(?<![\w.\-/#!&])(?:(?<owner>[A-Za-z0-9][\w.-]{0,99})\/(?<repository>[\w.-]{1,100}))?[#!](?<number>[1-9]\d{0,14})(?![\w#/])/g

const CLOSING = /(?<!\w)(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? $/i
const REOPENING = /(?<!\w)reopen(?:s|ed)?:? $/i
/** The longest word with colon and blank, and one character before it. */
const WORD_LENGTH = 12

const SPENT = /^\s{1,4}@((?:\d{1,6}(?:mo|w|d|h|m))+)(?!\w)/
/** Working time: a day has eight hours, a week five days, a month four weeks. */
const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 8 * 3600, w: 40 * 3600, mo: 160 * 3600 }

/**
 * The references of a Markdown text in their order: `#1`, `!1`, `owner/repo#1`, `owner/repo!1`, and URLs of this server's issues and pull
 * requests, each with the closing or reopening word directly before it. Code and quotations are skipped. `rootUrl` is the server's own URL.
 */
export const readReferences = (rootUrl: string, markdown: string): readonly Reference[] => referencesIn(rootUrl, prose(markdown))

/** The same for plain text, such as a commit's message. */
export function referencesIn(rootUrl: string, text: string): readonly Reference[] {
  if (!text.includes("#") && !text.includes("!") && !text.includes(rootUrl)) return []
  const found: { readonly at: number; readonly reference: Reference }[] = []
  for (const pattern of [SHORT, addresses(rootUrl)]) {
    for (const match of text.matchAll(pattern)) {
      const { owner, repository, number } = match.groups ?? {}
      const place = owner !== undefined && repository !== undefined ? { owner, repository } : {}
      const action = actionBefore(text, match.index)
      found.push({
        at: match.index,
        reference: { ...place, number: Number(number), action, spent: spentAfter(text, match.index + match[0].length) },
      })
      if (found.length >= MOST_REFERENCES) break
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ reference }) => reference)
}

const patterns = new Map<string, RegExp>()

/** Matches URLs of issues and pull requests below the server's own. */
function addresses(rootUrl: string): RegExp {
  const known = patterns.get(rootUrl)
  if (known) return known
  const pattern = new RegExp(
    `(?<!\\w)${RegExp.escape(rootUrl)}/(?<owner>[A-Za-z0-9][\\w.-]{0,99})/(?<repository>[\\w.-]{1,100})/(?:issues|pulls)/(?<number>[1-9]\\d{0,14})(?![\\w/])`,
    "g",
  )
  patterns.set(rootUrl, pattern)
  return pattern
}

function actionBefore(text: string, at: number): ReferenceAction {
  const before = text.slice(Math.max(0, at - WORD_LENGTH), at)
  if (CLOSING.test(before)) return "closes"
  return REOPENING.test(before) ? "reopens" : "none"
}

function spentAfter(text: string, at: number): number {
  const [, spent = ""] = SPENT.exec(text.slice(at, at + 100)) ?? []
  let seconds = 0
  for (const [, count, unit = ""] of spent.matchAll(/(\d+)(mo|w|d|h|m)/g)) seconds += Number(count) * (UNIT_SECONDS[unit] ?? 0)
  return seconds
}

/** The mentioned users, and teams with their organisations. */
export interface Mentions {
  /** In lower case. */
  readonly people: readonly string[]
  /** In lower case. */
  readonly teams: readonly { readonly organization: string; readonly team: string }[]
}

const MENTION = /(?<![\w.\-/@`])@(?<name>[A-Za-z0-9][\w.-]{0,99})(?:\/(?<team>[A-Za-z0-9][\w.-]{0,99}))?/g
const NOBODY: Mentions = { people: [], teams: [] }

/** The mentions of a Markdown text, each once. Code and quotations are skipped. */
export function readMentions(markdown: string): Mentions {
  if (!markdown.includes("@")) return NOBODY
  const people = new Set<string>()
  const teams = new Map<string, { readonly organization: string; readonly team: string }>()
  for (const match of prose(markdown).matchAll(MENTION)) {
    const name = withoutStop(match.groups?.name ?? "")
    const team = withoutStop(match.groups?.team ?? "")
    if (team === "") people.add(name)
    else teams.set(`${name}/${team}`, { organization: name, team })
    if (people.size + teams.size >= MOST_REFERENCES) break
  }
  return { people: [...people], teams: [...teams.values()] }
}

/** A full stop or hyphen at the end belongs to the sentence. */
const withoutStop = (name: string): string => name.replace(/[.-]+$/, "").toLowerCase()

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The text without quotations, fenced code and code spans. */
export function prose(markdown: string): string {
  let fence: string | undefined
  const kept: string[] = []
  for (const line of markdown.split("\n")) {
    const [, mark] = FENCE.exec(line) ?? []
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) fence = mark
    else if (!/^ {0,3}>/.test(line)) kept.push(line)
  }
  const text = kept.join("\n")
  return text.includes("`") ? withoutSpans(text) : text
}

/** Removes the text between two backtick runs of equal length. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }))
  // The next run of the same length, found from the end, so that each run is visited once.
  const latest = new Map<number, number>()
  const partners = runs.map(() => -1)
  for (let i = runs.length - 1; i >= 0; i--) {
    const length = runs[i]?.length ?? 0
    partners[i] = latest.get(length) ?? -1
    latest.set(length, i)
  }
  let kept = ""
  let from = 0
  for (let i = 0; i < runs.length; i++) {
    const opening = runs[i]
    const partner = partners[i] ?? -1
    const closing = runs[partner]
    if (!opening || !closing) continue
    kept += `${text.slice(from, opening.at)} `
    from = closing.at + closing.length
    i = partner
  }
  return kept + text.slice(from)
}
