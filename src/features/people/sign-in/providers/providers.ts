import { LRUCache } from "lru-cache"
import type { Configuration, CustomFetch } from "openid-client"
import { memberOf } from "../../../../core/check.ts"
import { refuse } from "../../../../core/errors.ts"
import { t } from "../../../../core/language/message.ts"
import { onFirstUseOf } from "../../../../core/memoize.ts"
import Type, { type Static } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import type { Provider as ProviderSchema } from "../../../../core/settings.ts"
import { openTicket, sealTicket, useTicket } from "../credentials/tickets.ts"
import { groupsThatCount, hasRules } from "./groups.ts"

/** Other servers at which people sign in (OpenID Connect): the code flow with PKCE, `state` and `nonce`. */

export type Provider = Static<typeof ProviderSchema>

/** Who someone is elsewhere, as the provider says. */
export interface Identity {
  readonly provider: string
  /** The provider's lasting id. */
  readonly subject: string
  /** What the account is known by: user name or address. */
  readonly label: string
  /** "" where the provider tells none. */
  readonly userName: string
  readonly fullName: string
  /** "" where the provider tells none, or doesn't vouch for it. */
  readonly verifiedEmail: string
  /** Of the groups there, those that the settings name. */
  readonly groups: readonly string[]
}

const underWay = {
  purpose: "sign-in at a provider",
  content: Type.Object({
    provider: Type.String(),
    state: Type.String(),
    nonce: Type.String(),
    verifier: Type.String(),
    target: Type.String(),
    isRemembered: Type.Boolean(),
    /** Whose account is to be linked; 0 for a sign-in. */
    linkTo: Type.Integer(),
  }),
  seconds: 600,
}

export interface Purpose {
  /** The path to go to afterwards. */
  readonly target: string
  readonly isRemembered: boolean
  readonly linkTo: number
}

export interface Providers {
  /** Where to send the browser, and what it has to keep until it comes back. Refuses `notFound`, and `busy` where the provider doesn't answer. */
  readonly begin: (name: string, purpose: Purpose) => Promise<{ readonly address: string; readonly ticket: string }>
  /**
   * Who came back, and what for. `query` is that of the callback, `ticket` what the browser kept; it is used up. Refuses `badRequest` where they don't
   * belong together, and where the provider says no.
   */
  readonly finish: (name: string, query: URLSearchParams, ticket: string) => Promise<Purpose & { readonly identity: Identity }>
}

const REQUEST_MS = 10_000
const MOST_BYTES = 1 << 20
/** How long what a provider says of itself is not asked for again, in milliseconds. */
const KNOWN_MS = 3_600_000

/** How long a path may be that is to be kept in a cookie, beside the rest. */
const LONGEST_TARGET = 1_024

export const callbackPath = (name: string): string => `/user/oauth2/${name}/callback`

export const providersOf = onFirstUseOf(openProviders)

function openProviders(services: Services): Providers {
  const { config, log, outgoing, site } = services
  const known = new LRUCache<string, Promise<Configuration>>({ max: 100, ttl: KNOWN_MS })

  function named(name: string): Provider {
    const provider = config.signIn.providers.find((each) => each.name === name)
    if (!provider) throw refuse.notFound()
    return provider
  }

  /** Through the guard of outgoing requests, with its limits. */
  const guarded: CustomFetch = async (url, { method, headers, body, signal }) => {
    const sent = body instanceof URLSearchParams ? body.toString() : typeof body === "string" ? body : undefined
    const answer = await outgoing.send({
      method,
      url,
      headers: { ...headers },
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal ? { signal } : {}),
      timeoutMs: REQUEST_MS,
      maxBytes: MOST_BYTES,
    })
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: answer.headers })
  }

  async function discover(provider: Provider): Promise<Configuration> {
    const client = await import("openid-client")
    return client.discovery(
      new URL(provider.issuer),
      provider.clientId,
      { [client.clockTolerance]: 60 },
      client.ClientSecretBasic(provider.clientSecret),
      {
        [client.customFetch]: guarded,
        execute: provider.issuer.startsWith("http:") ? [client.allowInsecureRequests] : [],
      },
    )
  }

  async function configurationOf(provider: Provider): Promise<Configuration> {
    const asked = known.get(provider.name) ?? discover(provider)
    known.set(provider.name, asked)
    try {
      return await asked
    } catch (error) {
      known.delete(provider.name)
      log.warn({ err: error, provider: provider.name }, "a provider of sign-ins can't be asked")
      throw refuse.busy(t`${titleOf(provider)} doesn’t answer. Try again later, or sign in otherwise`)
    }
  }

  const begin: Providers["begin"] = async (name, purpose) => {
    const provider = named(name)
    const configuration = await configurationOf(provider)
    const client = await import("openid-client")
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: site.rootUrl + callbackPath(name),
      scope: provider.scopes ?? "openid profile email",
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })
    const target = purpose.target.length > LONGEST_TARGET ? "/" : purpose.target
    return { address: address.href, ticket: sealTicket(services, underWay, { provider: name, state, nonce, verifier, ...purpose, target }) }
  }

  const finish: Providers["finish"] = async (name, query, ticket) => {
    const provider = named(name)
    const opened = openTicket(services, underWay, ticket)
    if (opened?.content.provider !== name) throw tooOld()
    const { state, nonce, verifier, target, isRemembered, linkTo } = opened.content
    // Before the provider is asked: an answer is taken once, also where it arrives twice at the same time.
    if (!(await services.database.write((tx) => useTicket(tx, opened)))) throw tooOld()
    const configuration = await configurationOf(provider)
    try {
      return { target, isRemembered, linkTo, identity: await identityOf(provider, configuration, query, { state, nonce, verifier }) }
    } catch (error) {
      log.warn({ err: error, provider: name }, "a sign-in at a provider failed")
      throw refuse.badRequest(t`${titleOf(provider)} did not let you in. Try again, or sign in otherwise`)
    }
  }

  async function identityOf(
    provider: Provider,
    configuration: Configuration,
    query: URLSearchParams,
    { state, nonce, verifier }: { readonly state: string; readonly nonce: string; readonly verifier: string },
  ): Promise<Identity> {
    const client = await import("openid-client")
    const tokens = await client.authorizationCodeGrant(configuration, new URL(`${site.rootUrl}${callbackPath(provider.name)}?${query}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new TypeError("there is no id token")
    const { groupClaim = "groups" } = provider
    const lacksGroups = hasRules(provider) && claims[groupClaim] === undefined
    const isMore = (claims["email"] === undefined || lacksGroups) && configuration.serverMetadata().userinfo_endpoint !== undefined
    const all = isMore ? { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) } : claims
    const told = new Map<string, unknown>(Object.entries(all))
    // Too many to be told in a token (Azure): that is not the same as none.
    if (hasRules(provider) && !told.has(groupClaim) && memberOf(told.get("_claim_names"), groupClaim) !== undefined)
      throw new TypeError("the provider tells the groups elsewhere only; let it tell those of this application")
    const textOf = (claim: string): string => {
      const value = told.get(claim)
      return typeof value === "string" && value.length <= 254 && !value.includes("\0") ? value : ""
    }
    const [userName, email] = [textOf("preferred_username"), textOf("email")]
    const isVerified = told.get("email_verified") === true
    const groups = [told.get(groupClaim)].flat().filter((each) => typeof each === "string")
    return {
      provider: provider.name,
      subject: claims.sub,
      label: userName || email || claims.sub,
      userName,
      fullName: textOf("name"),
      verifiedEmail: isVerified ? email : "",
      groups: groupsThatCount(provider, groups),
    }
  }
  return { begin, finish }
}

export const titleOf = ({ title, name }: Provider): string => title ?? name

/** The title of a provider, which may be there no more. */
export const titleFor = ({ config }: Pick<Services, "config">, name: string): string =>
  config.signIn.providers.find((each) => each.name === name)?.title ?? name

const tooOld = () => refuse.badRequest("That took too long, or was begun in another browser. Please begin again")
