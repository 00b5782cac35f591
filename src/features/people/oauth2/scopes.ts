import { isScope, normalizeScopes, SCOPE_CATEGORIES, scopeAllows } from "../../../access/scopes.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { ScopeCategory } from "../../../core/operation.ts"

/** What an application may do: the scopes of access tokens, and the words of OpenID Connect for what it is told about the person. */

export const CLAIM_SCOPES = ["openid", "profile", "email", "groups"] as const
type ClaimScope = (typeof CLAIM_SCOPES)[number]
const isClaimScope = (word: string): word is ClaimScope => CLAIM_SCOPES.some((claim) => claim === word)

/**
 * The scopes that an application asks for, in a fixed order; undefined where a word is unknown. Without any it asks for everything, as programs do that
 * work with git; for a sign-in alone it may read the account.
 */
export function readScopes(text: string): readonly string[] | undefined {
  const words = text.split(" ").filter((word) => word !== "")
  if (words.some((word) => !isClaimScope(word) && !isScope(word))) return undefined
  const claims = CLAIM_SCOPES.filter((claim) => words.includes(claim))
  const access = normalizeScopes(words.filter(isScope))
  if (access.length > 0) return [...claims, ...access]
  return claims.length > 0 ? [...claims, "read:user"] : ["all"]
}

export const storedScopes = (scopes: readonly string[]): string => scopes.join(",")
export const scopesOf = (stored: string): ReadonlySet<string> => new Set(stored.split(","))

/** Whether all of `wanted` is in `held`. */
export function isWithin(wanted: readonly string[], held: ReadonlySet<string>): boolean {
  if (held.has("public-only") && !wanted.includes("public-only")) return false
  return wanted.every((word) => word === "public-only" || (isClaimScope(word) ? held.has(word) : scopeAllows(held, word)))
}

/** What someone has agreed to who agreed to both. A limit to public things ends where either is without it. */
export function joined(a: ReadonlySet<string>, b: readonly string[]): readonly string[] {
  const both = new Set([...a, ...b])
  const limited = a.has("public-only") && b.includes("public-only")
  return [
    ...CLAIM_SCOPES.filter((claim) => both.has(claim)),
    ...normalizeScopes([...both].filter((word) => isScope(word) && (limited || word !== "public-only"))),
  ]
}

/** What each category of scopes is about. */
export const SUBJECTS: Readonly<Record<ScopeCategory, Text>> = {
  activitypub: t("what other servers are told"),
  admin: t("the administration of this site, as far as you may"),
  misc: t("general information about this site"),
  notification: t("your notifications"),
  organization: t("organizations and teams"),
  package: t("packages"),
  issue: t("issues, comments and labels"),
  repository: t("repositories with their code, pull requests and releases"),
  user: t("your account: profile, addresses, keys, followers, settings"),
}

const SENTENCES: Readonly<Record<string, Text>> = {
  openid: t("Know who you are, to sign you in"),
  profile: t("Know your name, picture, website and profile"),
  email: t("Know your e-mail address"),
  groups: t("Know the organizations and teams that you are in"),
  all: t("Do everything that you can do, in all your repositories and organizations and in your account"),
  "public-only": t("All of it only where everyone may look"),
}

/** What the scopes mean, a sentence for each. */
export const inWords = (scopes: readonly string[]): readonly Text[] =>
  scopes.map((scope) => {
    const [level, word] = scope.split(":")
    const category = SCOPE_CATEGORIES.find((each) => each === word)
    const subject = category === undefined ? scope : SUBJECTS[category]
    return SENTENCES[scope] ?? (level === "write" ? t("Read and change {subject}", { subject }) : t("Read {subject}", { subject }))
  })
