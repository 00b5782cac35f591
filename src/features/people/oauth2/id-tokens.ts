import type { User } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import { findAddressesOf } from "../users/addresses-store.ts"
import { avatarUrl } from "../users/present.ts"
import type { Application } from "./applications.ts"
import { openSigningKey } from "./signing-key.ts"
import { findGroupsOf } from "./store.ts"

/** What an application is told about a person, by the words of OpenID Connect in its scopes. Empty claims are left out. */
export async function claimsOf(
  { database, site }: Pick<Services, "database" | "site">,
  user: User,
  scopes: ReadonlySet<string>,
): Promise<Readonly<Record<string, unknown>>> {
  const claims = { sub: String(user.id), ...(scopes.has("profile") && profileOf(site.rootUrl, avatarUrl(site, user), user)) }
  const mail = scopes.has("email") ? (await findAddressesOf(database.read, { userId: user.id }))[0] : undefined
  const groups = scopes.has("groups") ? await groupsOf({ database }, user, scopes.has("public-only")) : undefined
  const all = { ...claims, ...(mail && { email: mail.email, email_verified: mail.is_activated === 1 }), ...(groups && { groups }) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""))
}

const profileOf = (rootUrl: string, picture: string, user: User) => ({
  name: user.full_name || user.name,
  preferred_username: user.name,
  profile: `${rootUrl}/${encodeURIComponent(user.name)}`,
  picture,
  website: user.website,
  locale: user.language,
  updated_at: user.updated_at,
})

/** The organizations, and each team as `organization:team`. */
async function groupsOf({ database }: Pick<Services, "database">, { id }: User, publicOnly: boolean): Promise<readonly string[]> {
  const rows = (await findGroupsOf(database.read, { userId: id })).filter(({ visibility }) => !publicOnly || visibility === "public")
  return [
    ...new Set(rows.flatMap(({ organization, team }) => (team === null ? [organization] : [organization, `${organization}:${team}`]))),
  ]
}

export interface IdTokenContent {
  readonly application: Application
  readonly user: User
  readonly scopes: readonly string[]
  readonly nonce: string
  readonly signedInAt: number
}

/** An id token (OpenID Connect Core, 2), good as long as the access token beside it. */
export async function writeIdToken(services: Services, { application, user, scopes, nonce, signedInAt }: IdTokenContent): Promise<string> {
  const { config, site, now } = services
  const [key, claims] = await Promise.all([openSigningKey(services), claimsOf(services, user, new Set(scopes))])
  return key.signed({
    ...claims,
    iss: site.rootUrl,
    aud: [application.client_id],
    iat: now(),
    exp: now() + config.oauth2.accessTokenSeconds,
    auth_time: signedInAt,
    ...(nonce !== "" && { nonce }),
  })
}
