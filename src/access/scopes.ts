import type { Actor } from "../core/actor.ts"
import type { Method, ScopeCategory } from "../core/operation.ts"
import type { Services } from "../core/services.ts"

export const SCOPE_CATEGORIES: readonly ScopeCategory[] = [
  "activitypub",
  "admin",
  "misc",
  "notification",
  "organization",
  "package",
  "issue",
  "repository",
  "user",
]

const PUBLIC_ONLY = "public-only"
const ALL = "all"
const KNOWN: ReadonlySet<string> = new Set([
  ALL,
  PUBLIC_ONLY,
  ...SCOPE_CATEGORIES.flatMap((category) => [`read:${category}`, `write:${category}`]),
])

export const isScope = (text: string): boolean => KNOWN.has(text)

/** In a fixed order, without duplicates and without scopes that a wider one includes. */
export function normalizeScopes(scopes: readonly string[]): readonly string[] {
  const given = new Set(scopes)
  const everything = given.has(ALL) || SCOPE_CATEGORIES.every((category) => given.has(`write:${category}`))
  const wanted = everything
    ? [ALL]
    : SCOPE_CATEGORIES.flatMap((category) =>
        given.has(`write:${category}`) ? [`write:${category}`] : given.has(`read:${category}`) ? [`read:${category}`] : [],
      )
  return given.has(PUBLIC_ONLY) ? [PUBLIC_ONLY, ...wanted] : wanted
}

/** Whether a token with `held` may do what `needed` names ("read:user", "write:issue"). */
export function scopeAllows(held: ReadonlySet<string>, needed: string): boolean {
  return held.has(ALL) || held.has(needed) || (needed.startsWith("read:") && held.has(`write:${needed.slice(5)}`))
}

/** Whether `wanted` stays inside `held`: a token can't mint a wider one. */
export function scopesWithin(held: ReadonlySet<string>, wanted: readonly string[]): boolean {
  if (held.has(PUBLIC_ONLY) && !wanted.includes(PUBLIC_ONLY)) return false
  return wanted.every((scope) => scope === PUBLIC_ONLY || (scope === ALL ? held.has(ALL) : scopeAllows(held, scope)))
}

export const isPublicOnlyScope = (held: ReadonlySet<string>): boolean => held.has(PUBLIC_ONLY)

/** The scopes that a token needs for an operation: each category, at the level of the method. */
export const neededScopes = (method: Method, categories: readonly ScopeCategory[]): readonly string[] =>
  categories.map((category) => `${method === "GET" ? "read" : "write"}:${category}`)

/** Whether the caller may read this category at all: a token needs the scope for it, and some sites show nothing to anonymous callers. */
export function mayRead({ config }: Pick<Services, "config">, actor: Actor, category: ScopeCategory): boolean {
  if (actor.kind === "anonymous") return !config.security.requireSignIn
  const { credential } = actor
  return credential.kind !== "token" || neededScopes("GET", [category]).every((scope) => scopeAllows(credential.scopes, scope))
}
