import { hash } from "node:crypto"
import { memberOf } from "../check.ts"
import { unixLines } from "../text/lines.ts"

/**
 * Texts that two people change at once. A form sends with what was typed a digest of what its page showed of each guarded field. What others have
 * changed meanwhile stays where the reader left it alone; where both have changed it, the form is refused, and shows both.
 */

/** The field with the digests. */
export const SHOWN_FIELD = "_shown"

const digest = (text: string): string => hash("sha256", unixLines(text), "base64url").slice(0, 12)

/** The digests of the texts that a page shows. */
export const digestsOf = (shown: ReadonlyMap<string, string>): string =>
  [...shown].map(([name, text]) => `${name} ${digest(text)}`).join(",")

/** The text of a field of this name, as a page shows it of a record. */
export function textIn(record: unknown, name: string): string {
  let at: unknown = record
  for (const part of name.split(".")) at = memberOf(at, part)
  return at === undefined || at === null ? "" : String(at)
}

interface Merged {
  readonly typed: Readonly<Record<string, readonly string[]>>
  /** The fields that both have changed. */
  readonly theirs: readonly string[]
}

/** What was typed, with what others have changed meanwhile. A form that has sent no digests was not made by a page: nothing is guarded. */
export function merge(typed: Merged["typed"], guards: readonly string[], record: unknown): Merged {
  const shown = new Map(
    (typed[SHOWN_FIELD]?.[0] ?? "").split(",").map((pair): readonly [string, string] => {
      const [name = "", of = ""] = pair.split(" ")
      return [name, of]
    }),
  )
  const merged: Record<string, readonly string[]> = { ...typed }
  const theirs: string[] = []
  for (const name of guards) {
    const mine = unixLines(typed[name]?.[0] ?? "")
    const now = unixLines(textIn(record, name))
    const before = shown.get(name)
    if (before === undefined || digest(now) === before || now === mine) continue
    if (digest(mine) === before) merged[name] = [now]
    else theirs.push(name)
  }
  return { typed: merged, theirs }
}
