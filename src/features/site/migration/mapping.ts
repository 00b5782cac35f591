import { isSiteAdministrator, type SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { findNamed } from "./writers/people-store.ts"

/** The most people that a file names, and the most characters that it has. */
export const MOST_PEOPLE = 5_000
export const MOST_PEOPLE_CHARACTERS = 256 * 1024

/**
 * Reads who the people of another server are here: a line each, `login or address there = login here`, or with a comma instead; `#` begins a comment. Returns
 * it as an import keeps it. Refuses `forbidden` to all but administrators of the site, who alone may say whose the texts of others are, and `invalid` a line that
 * can't be read, or names nobody here.
 */
export async function readPeople(db: Handle, actor: SignedIn, text: string | undefined): Promise<string> {
  if (text === undefined || text.trim() === "") return "{}"
  if (!isSiteAdministrator(actor))
    throw refuse.forbidden("only an administrator of the site may say whose the texts of others are; leave people out")
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.replace(/#.*$/, "").trim(), number: index + 1 }))
    .filter(({ line }) => line !== "")
  if (lines.length > MOST_PEOPLE) throw refuse.invalid("people", t`names more than ${MOST_PEOPLE} people; import with a shorter list`)
  const pairs = lines.map(({ line, number }) => {
    const [, there = "", here = ""] = /^([^=,]+)[=,]([^=,]+)$/.exec(line) ?? []
    const pair = { there: unquoted(there).toLowerCase(), here: unquoted(here).toLowerCase(), number }
    if (pair.there === "" || pair.here === "") throw refuse.invalid("people", t`line ${number} is not of the form there = here`)
    return pair
  })
  const found = await findNamed(db, [...new Set(pairs.map(({ here }) => here))])
  const ids = new Map(found.map(({ id, lower_name }) => [lower_name, id]))
  return JSON.stringify(
    Object.fromEntries(
      pairs.map(({ there, here, number }) => {
        const id = ids.get(here)
        if (id === undefined) throw refuse.invalid("people", t`line ${number}: there is no one called ${here} here`)
        return [there, id]
      }),
    ),
  )
}

const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim()
