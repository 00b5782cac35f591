import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { Person } from "../../../git/index.ts"
import { commitPerson } from "../commits/people.ts"
import type { CommitFields, Identity } from "./records.ts"

/** A commit's author and committer. */
export interface Authorship {
  readonly author: Person
  readonly committer: Person
}

/**
 * The author and the committer of a request: each defaults to the other, both to the caller, and the time to now.
 * Refuses `invalid` for a name that git would strip completely, and for a time before 1970.
 */
export function authorshipOf(services: Services, caller: User, { author, committer, dates }: CommitFields): Authorship {
  const self = commitPerson(services, caller)
  const one = (field: "author" | "committer", first: Identity | undefined, second: Identity | undefined): Person => {
    const named = [first, second].find((identity) => identity?.name || identity?.email)
    const person = { ...self, name: named?.name || self.name, email: named?.email || self.email, ...timeOf(field, dates?.[field]) }
    // Git strips the same characters.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among it
    if (!/[^<>\x00-\x20\x7f.,:;"\\']/.test(person.name)) throw refuse.invalid(`${field}.name`, "must hold more than punctuation")
    return person
  }
  return { author: one("author", author, committer), committer: one("committer", committer, author) }
}

/** Parses a time with its UTC offset; clients that can't omit a time send the year 1. */
function timeOf(field: string, text: string | undefined): { readonly when?: number; readonly offset?: number } {
  if (!text || text.startsWith("0001-01-01")) return {}
  const when = Math.floor(Date.parse(text) / 1000)
  if (!Number.isFinite(when) || when < 0) throw refuse.invalid(`dates.${field}`, "must be a moment since 1970")
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? []
  const east = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return { when, offset: sign === "-" ? 0 - east : east }
}
