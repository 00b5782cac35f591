import { Refusal } from "../../../core/errors.ts"
import { type Address, HostRefused } from "../../../core/outgoing/guard.ts"
import { redact } from "../../../core/redact.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type Remote } from "../../../git/index.ts"

/** An address as people give it, taken apart: what lets somebody in stands beside it, not in it. */
export interface RemoteAddress {
  readonly url: string
  readonly username: string
  readonly secret: string
}

/** Where another server's repository is and what lets in there. */
export interface StoredRemote {
  readonly remote_url: string
  readonly remote_username: string
  readonly sealed_secret: string
}

/** The other server could not be talked to, in words for whoever owns the mirror. */
export class RemoteRefused extends Error {
  override readonly name = "RemoteRefused"
  /** Whether it is the address that must not be called. */
  readonly forbidden: boolean
  constructor(message: string, forbidden = false) {
    super(message)
    this.forbidden = forbidden
  }
}

/** The other server failed in a way that may pass, in words for whoever owns the mirror. */
export class RemoteTrouble extends Error {
  override readonly name = "RemoteTrouble"
}

/** Reads an http or https address of a repository; undefined for anything else. What stands in it to let somebody in gives way to what is given beside it. */
export function readRemote(text: string, username = "", secret = ""): RemoteAddress | undefined {
  if (!URL.canParse(text.trim())) return undefined
  const url = new URL(text.trim())
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "" || text.length > 2_048) return undefined
  const [name, word] = [decode(url.username), decode(url.password)]
  if (name === undefined || word === undefined || /[\0\r\n]/.test(`${username}${secret}${name}${word}`)) return undefined
  const given = username !== "" || secret !== ""
  // With a dot at its end a name means the same, but is not taken for the same by everybody who would have to.
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

/** Who a token belongs to is told by the token; servers want some name beside it. */
const NAMELESS = "oauth2"

/** The header that lets in; undefined where nothing was given. */
export const authorizationOf = ({ username, secret }: Pick<RemoteAddress, "username" | "secret">): string | undefined =>
  username === "" && secret === "" ? undefined : `Basic ${Buffer.from(`${username || NAMELESS}:${secret}`).toString("base64")}`

/** The one machine that an address leads to now, if it may be called. Throws {@link RemoteRefused}. */
export async function allowedAddress({ outgoing }: Pick<Services, "outgoing">, url: string): Promise<Address> {
  const { hostname } = new URL(url)
  try {
    return await outgoing.guard.resolve(hostname)
  } catch (error) {
    // Which address a name has here is not told: it may be one of our own network.
    if (error instanceof HostRefused)
      throw new RemoteRefused(`${hostname} may not be called; an operator can allow it with HEARTH_OUTGOING_ALLOWED_HOSTS`, true)
    throw new RemoteRefused(`there is no address for ${hostname}`)
  }
}

/** Makes sure that the address may be called, and ties it to the machine that it names now. Throws {@link RemoteRefused}. */
export async function reach(services: Pick<Services, "outgoing">, target: RemoteAddress): Promise<Remote> {
  return { url: target.url, address: await allowedAddress(services, target.url), authorization: authorizationOf(target) }
}

/** The remote that is stored in a row. `context` says what its secret is sealed for. Throws {@link RemoteRefused}, SealBroken. */
export function reachStored(services: Services, stored: StoredRemote, context: string): Promise<Remote> {
  return reach(services, opened(services, stored, context))
}

/** The address of a row with its secret in clear. Throws SealBroken. */
export const opened = ({ secrets }: Services, stored: StoredRemote, context: string): RemoteAddress => ({
  url: stored.remote_url,
  username: stored.remote_username,
  secret: stored.sealed_secret === "" ? "" : secrets.unseal(stored.sealed_secret, context),
})

/** Why something with another server failed, in words that its owner may see. */
export function troubleOf(error: unknown): string {
  const isInWords = error instanceof RemoteRefused || error instanceof RemoteTrouble || error instanceof SealBroken
  if (isInWords || error instanceof Refusal || isGitError(error, "remote")) return redact(error.message)
  if (isGitError(error, "timeout")) return "the server took too long"
  if (isGitError(error, "busy")) return "too much is going on here; it is tried again later"
  return "the transfer failed"
}
