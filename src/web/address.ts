import { escapePath } from "../core/text/escape-path.ts"
/** Paths and queries of pages. */

/** A path of segments, each escaped: `path("a b", "c")` is `/a%20b/c`. */
export const path = (...segments: readonly (string | number)[]): string => `/${segments.map((part) => encodeURIComponent(part)).join("/")}`

interface Named {
  readonly name: string
}

/** The path of a repository. */
export const repositoryPath = ({ owner, repository }: { readonly owner: Named; readonly repository: Named }): string =>
  path(owner.name, repository.name)

interface RevisionName {
  readonly kind: string
  readonly name: string
}

/** A revision as addresses have it: `branch/main`. */
export const revisionPath = ({ kind, name }: RevisionName): string => `${kind}/${escapePath(name)}`

/** The address of a view of a path at a revision. */
export function codePath(
  on: Parameters<typeof repositoryPath>[0],
  view: "src" | "raw" | "media" | "blame" | "commits",
  revision: RevisionName,
  parts: readonly string[] = [],
): string {
  const below = parts.length === 0 ? "" : `/${escapePath(parts.join("/"))}`
  return `${repositoryPath(on)}/${view}/${revisionPath(revision)}${below}`
}

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** The address with these values of its query set, or taken away where they are undefined. `page` goes unless it is set. */
export function withQuery(url: string, values: QueryValues): string {
  const [address = "", query = ""] = url.split("?", 2)
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries({ page: undefined, ...values }))
    if (value === undefined || value === "") parameters.delete(name)
    else parameters.set(name, String(value))
  const text = parameters.toString()
  return text === "" ? address : `${address}?${text}`
}

export const LOGIN_PATH = "/user/login"
export const LOGOUT_PATH = "/user/logout"
export const CONFIRM_PATH = "/user/confirm"

/** The page to sign in on, from which the person comes back to `path`. */
export const loginFor = (path: string): string => `${LOGIN_PATH}?redirect_to=${encodeURIComponent(path)}`

/** The page that asks a person to show once more what they sign in with, and leads back to `path`. */
export const confirmFor = (path: string): string => `${CONFIRM_PATH}?redirect_to=${encodeURIComponent(path)}`

/** The query of a requested path. */
export function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf("?")
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
}

const OWN = "http://own.invalid"

/** Letters of an address that a request may have us lead back to; it is kept in forms and tickets. */
const LONGEST_ASKED = 8_192

/** The address to go to after a sign-in, if it is a path of this site; else the front page. */
export const ownPath = (asked: string): string => (asked.length <= LONGEST_ASKED && isOwnPath(asked) ? asked : "/")

/** Whether it is a path of this site also for browsers, to which one that begins with two slashes or a backslash is the address of another. */
export function isOwnPath(path: string): boolean {
  if (!/^\/(?![/\\])/.test(path) || /[\s\\\p{Cc}]/u.test(path)) return false
  const url = URL.parse(path, OWN)
  return url?.origin === OWN && !url.pathname.startsWith("//")
}

/** The page that explains who may do what, and why. */
export const EXPLAIN_PATH = "/-/explain"
