import { Refusal } from "../../../core/errors.ts"
import { type Address, HostRefused } from "../../../core/outgoing/guard.ts"
import { redact } from "../../../core/redact.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type Remote } from "../../../git/index.ts"

/** A remote URL, with its credentials split off. */
export interface RemoteAddress {
  readonly url: string
  readonly username: string
  readonly secret: string
}

/** The stored URL and credentials of a repository on another server. */
export interface StoredRemote {
  readonly remote_url: string
  readonly remote_username: string
  readonly sealed_secret: string
}

/** A permanent failure with another server. The message is shown to the mirror's owner. */
export class RemoteRefused extends Error {
  override readonly name = "RemoteRefused"
  /** Whether the address must not be called. */
  readonly forbidden: boolean
  constructor(message: string, forbidden = false) {
    super(message)
    this.forbidden = forbidden
  }
}

/** A temporary failure of another server. The message is shown to the mirror's owner. */
export class RemoteTrouble extends Error {
  override readonly name = "RemoteTrouble"
}

/** Parses the http or https URL of a repository; undefined for anything else. Separately given credentials override those in the URL. */
export function readRemote(text: string, username = "", secret = ""): RemoteAddress | undefined {
  if (!URL.canParse(text.trim())) return undefined
  const url = new URL(text.trim())
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "" || text.length > 2_048) return undefined
  const [name, word] = [decode(url.username), decode(url.password)]
  if (name === undefined || word === undefined || /[\0\r\n]/.test(`${username}${secret}${name}${word}`)) return undefined
  const given = username !== "" || secret !== ""
  // A host name with a trailing dot means the same, but isn't compared as equal everywhere.
  url.hostname = url.hostname.replace(/\.$/, "")
  url.username = ""
  url.password = ""
  url.hash = ""
  url.search = ""
  return { url: url.href.replace(/\/+$/, ""), ...(given ? { username, secret } : { username: name, secret: word }) }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The user name sent with a bare token: servers require one, but ignore it. */
const NAMELESS = "oauth2"

/** The Authorization header; undefined without credentials. */
export const authorizationOf = ({ username, secret }: Pick<RemoteAddress, "username" | "secret">): string | undefined =>
  username === "" && secret === "" ? undefined : `Basic ${Buffer.from(`${username || NAMELESS}:${secret}`).toString("base64")}`

/** The IP address that a URL's host resolves to now, if it may be called. Throws {@link RemoteRefused}. */
export async function allowedAddress({ outgoing }: Pick<Services, "outgoing">, url: string): Promise<Address> {
  const { hostname } = new URL(url)
  try {
    return await outgoing.guard.resolve(hostname)
  } catch (error) {
    // The resolved address isn't disclosed: it may be in a private network.
    if (error instanceof HostRefused)
      throw new RemoteRefused(`${hostname} may not be called; an operator can allow it with HEARTH_OUTGOING_ALLOWED_HOSTS`, true)
    throw new RemoteRefused(`there is no address for ${hostname}`)
  }
}

/** Checks that the URL may be called, and pins it to the IP address that it resolves to now. Throws {@link RemoteRefused}. */
export async function reach(services: Pick<Services, "outgoing">, target: RemoteAddress): Promise<Remote> {
  return { url: target.url, address: await allowedAddress(services, target.url), authorization: authorizationOf(target) }
}

/** The remote stored in a row. `context` is what its secret is sealed for. Throws {@link RemoteRefused}, SealBroken. */
export function reachStored(services: Services, stored: StoredRemote, context: string): Promise<Remote> {
  return reach(services, opened(services, stored, context))
}

/** The remote URL of a row with its decrypted secret. Throws SealBroken. */
export const opened = ({ secrets }: Services, stored: StoredRemote, context: string): RemoteAddress => ({
  url: stored.remote_url,
  username: stored.remote_username,
  secret: stored.sealed_secret === "" ? "" : secrets.unseal(stored.sealed_secret, context),
})

/** The reason of a failure with another server, as a message for the mirror's owner. */
export function troubleOf(error: unknown): string {
  const isInWords = error instanceof RemoteRefused || error instanceof RemoteTrouble || error instanceof SealBroken
  if (isInWords || error instanceof Refusal || isGitError(error, "remote")) return redact(error.message)
  if (isGitError(error, "timeout")) return "the server took too long"
  if (isGitError(error, "busy")) return "too much is going on here; it is tried again later"
  return "the transfer failed"
}
