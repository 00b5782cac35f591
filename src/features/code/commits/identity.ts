import type { Commit } from "../../../git/index.ts"

/**
 * The identity of a change stays the same while its commit is rewritten. It is the trailer `Change-Id` of the message, which Gerrit's hook writes, or the header
 * `change-id`, which Jujutsu writes.
 */

export type Identity =
  | { readonly kind: "one"; readonly id: string }
  | { readonly kind: "none" }
  /** The message has several. */
  | { readonly kind: "several" }
  /** It has other characters, or is too long. */
  | { readonly kind: "odd" }

/** A trailer, or the line that `git cherry-pick -x` writes among them. */
const TRAILER = /^(?:[A-Za-z0-9-]+:|\(cherry picked from commit )/
const CHANGE_ID = /^change-id:(.*)$/i
const FIT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

export function identityOf({ message, changeId }: Pick<Commit, "message" | "changeId">): Identity {
  const [, ...paragraphs] = message.trim().split(/\n\s*\n/)
  const lines = paragraphs.at(-1)?.split("\n") ?? []
  const given = lines.every((line) => TRAILER.test(line) || /^\s/.test(line))
    ? lines.flatMap((line) => CHANGE_ID.exec(line)?.[1]?.trim() ?? [])
    : []
  const [id, ...others] = new Set(given)
  if (others.length > 0) return { kind: "several" }
  if (id !== undefined) return FIT.test(id) ? { kind: "one", id } : { kind: "odd" }
  const written = changeId === undefined ? undefined : trailerOf(changeId)
  return written === undefined ? { kind: "none" } : { kind: "one", id: written }
}

/** Letters from z to k stand for the digits from 0 to f. */
const REVERSED = /^[k-z]{32}$/

/** What `jj gerrit upload` writes into the message for this header, so that both are the same change. The end is "jjid". */
function trailerOf(changeId: string): string | undefined {
  if (!REVERSED.test(changeId)) return undefined
  const digits = Array.from(changeId, (letter) => (122 - letter.charCodeAt(0)).toString(16))
  return `I${digits.join("")}6a6a6964`
}

/** A message without the line of its identity, as the description of a pull request. */
export const withoutIdentity = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !CHANGE_ID.test(line))
    .join("\n")
    .trim()
