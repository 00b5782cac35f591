import type { Services } from "../../../core/services.ts"
import { AUTHORIZE_PATH, readRequest } from "../../../features/people/oauth2/requests.ts"

/**
 * To where a form on a page may lead besides this site, as sources of its policy: browsers apply `form-action` also to the redirects that follow, and a
 * sign-in may lead on to an application at once. Only to one that is registered with this address.
 */
export async function formTargetsFor(services: Services, path: string): Promise<readonly string[]> {
  const [start, query] = path.split("?", 2)
  if (start !== AUTHORIZE_PATH || query === undefined || !services.config.oauth2.enabled) return []
  const read = await readRequest(services, new URLSearchParams(query))
  if (read.kind === "untrusted") return []
  return [sourceOf(read.kind === "valid" ? read.request.redirectUri : read.redirectUri)]
}

/** The origin of an address; its scheme where a policy has no words for the origin. */
export function sourceOf(address: string): string {
  const { protocol, hostname, origin } = new URL(address)
  return /^https?:$/.test(protocol) && !hostname.startsWith("[") ? origin : protocol
}
