import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

export const MODES = ["exact", "words", "regexp"] as const
export type Mode = (typeof MODES)[number]

/** What a person typed, taken apart. */
export interface Sought {
  /** Texts that a file must all hold; in the mode `regexp` the one expression. */
  readonly terms: readonly string[]
  /** Each is a part of `owner/name`, or a pattern for the whole of it if it has `*` or `?`. One must fit. */
  readonly repositories: readonly string[]
  /** The same for paths. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
}

const LONGEST = 1000
const MOST_FILTERS = 10
const MOST_TERMS = 10

/** A filter, a phrase in quotes, or blanks between texts. The value of a filter may be in quotes. */
const FILTER = /(?<=^|\s)(repo|path|lang|language):(?:"([^"]*)"|(\S+))(?=\s|$)/gi
const PHRASE = /"([^"]+)"/g

/** Takes a query apart. Refuses `invalid` for a very long one, and for one with very many parts. */
export function readQuery(text: string, mode: Mode): Sought {
  if (text.length > LONGEST) throw refuse.invalid("q", t`must have at most ${LONGEST} characters`)
  const filters: { readonly name: string; readonly value: string }[] = []
  const rest = text
    .replaceAll(/[\r\n\0]+/g, " ")
    .replaceAll(FILTER, (_whole, name: string, quoted: string | undefined, plain: string | undefined) => {
      filters.push({ name: name.toLowerCase(), value: quoted ?? plain ?? "" })
      return ""
    })
    .trim()
  const terms = mode === "regexp" ? [rest] : termsOf(rest, mode)
  const valuesOf = (...names: readonly string[]) =>
    filters.flatMap(({ name, value }) => (names.includes(name) && value !== "" ? [value] : []))
  if (filters.length > MOST_FILTERS) throw refuse.invalid("q", t`may have at most ${MOST_FILTERS} filters`)
  if (terms.length > MOST_TERMS) throw refuse.invalid("q", t`may have at most ${MOST_TERMS} words`)
  return {
    terms: terms.filter((term) => term !== ""),
    repositories: valuesOf("repo"),
    paths: valuesOf("path"),
    languages: valuesOf("lang", "language"),
  }
}

/** The query with a filter for this language in the place of those that it has; with none for undefined. */
export function withLanguage(text: string, language: string | undefined): string {
  const rest = text
    .replaceAll(FILTER, (whole, name: string) => (/^lang/i.test(name) ? "" : whole))
    .replaceAll(/ {2,}/g, " ")
    .trim()
  return language === undefined ? rest : `${rest} lang:${/\s/.test(language) ? `"${language}"` : language}`.trim()
}

/** Phrases in quotes, and what is between them: as it is, or word by word. A quote without a second one is an ordinary character. */
function termsOf(rest: string, mode: "exact" | "words"): readonly string[] {
  const terms: string[] = []
  const between = (text: string) => terms.push(...(mode === "words" ? text.split(/\s+/) : [text.trim()]))
  let at = 0
  for (const phrase of rest.matchAll(PHRASE)) {
    between(rest.slice(at, phrase.index))
    terms.push(phrase[1] ?? "")
    at = phrase.index + phrase[0].length
  }
  between(rest.slice(at))
  return [...new Set(terms.filter((term) => term !== ""))]
}
