import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { ACCOUNT_NAME, faultOfName } from "../../../core/names.ts"
import { ACCOUNT_NAME_LENGTH } from "./records.ts"

/** Names that are, or may one day be, paths of the site's own pages, and names that users would take for the site itself. */
const RESERVED: ReadonlySet<string> = new Set([
  ".well-known",
  "api",
  "assets",
  "attachments",
  "avatar",
  "avatars",
  "captcha",
  "commits",
  "debug",
  "devtest",
  "error",
  "explore",
  "favicon.ico",
  "ghost",
  "gitea-actions",
  "issues",
  "login",
  "manifest.json",
  "metrics",
  "milestones",
  "new",
  "nodeinfo",
  "notifications",
  "openapi.v1.json",
  "opensearch.xml",
  "org",
  "pulls",
  "raw",
  "repo",
  "repo-avatars",
  "robots.txt",
  "search",
  "serviceworker.js",
  "sitemap.xml",
  "ssh_info",
  "swagger.v1.json",
  "user",
  "v2",
])

/** Endings under which an account's page has another format, such as its feed. */
const RESERVED_ENDINGS: readonly string[] = [".keys", ".gpg", ".rss", ".atom", ".png"]

const pattern = new RegExp(ACCOUNT_NAME.pattern)

/**
 * Refuses, as `invalid` for `field`, a name that a user or organisation may not have: longer than 40 characters, other characters than
 * letters, digits and single inner - _ and ., a reserved word or a reserved ending.
 */
export function requireAccountName(name: string, field: string): void {
  if (name.length === 0) throw refuse.invalid(field, "is required")
  if (name.length > ACCOUNT_NAME_LENGTH) throw refuse.invalid(field, t`must have at most ${ACCOUNT_NAME_LENGTH} characters`)
  if (!pattern.test(name)) throw refuse.invalid(field, faultOfName(ACCOUNT_NAME, name))
  const lowerName = name.toLowerCase()
  if (RESERVED.has(lowerName)) throw refuse.invalid(field, t`${name} is reserved; choose another name`)
  const ending = RESERVED_ENDINGS.find((reserved) => lowerName.endsWith(reserved))
  if (ending !== undefined) throw refuse.invalid(field, t`must not end in ${ending}`)
}

/** Whether an account can have this name: it has the form of one, and no page of the site has its path. */
export const isAccountName = (name: string): boolean =>
  name.length <= ACCOUNT_NAME_LENGTH && pattern.test(name) && !RESERVED.has(name.toLowerCase())
