import type { Readable } from "node:stream"
import { openStream, type StreamAnswer, type StreamRequest } from "../../../core/outgoing/stream.ts"
import type { Services } from "../../../core/services.ts"
import { allowedAddress, RemoteRefused, RemoteTrouble } from "./remote.ts"

/** Streaming downloads of large files from other servers. */

/** Longest time without any data. Milliseconds. */
const SILENCE_MS = 60_000
/** Servers redirect to their file storage, which may redirect once or twice more. */
const MOST_REDIRECTS = 3

export type Outgoing = Pick<Services, "outgoing">

/** Sends a request to an address that this service may call. Throws {@link RemoteRefused}, {@link RemoteTrouble}. */
export async function openGuarded(services: Outgoing, request: Omit<StreamRequest, "address" | "silenceMs">): Promise<StreamAnswer> {
  if (!URL.canParse(request.url) || !/^https?:$/.test(new URL(request.url).protocol))
    throw new RemoteRefused("the server names an address for a file that is none")
  const address = await allowedAddress(services, request.url)
  return openStream({ ...request, address, silenceMs: SILENCE_MS }).catch((error: unknown) => {
    request.signal.throwIfAborted()
    throw new RemoteTrouble("a file can't be transferred", { cause: error })
  })
}

/**
 * Opens a file for reading, which the caller destroys; undefined if there is none. Redirects are followed to addresses that this service may call, without
 * sending the credentials to another server. Throws {@link RemoteRefused}, {@link RemoteTrouble}.
 */
export async function openDownload(
  services: Outgoing,
  from: string,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  let url = from
  let headers = given
  for (let followed = 0; followed <= MOST_REDIRECTS; followed++) {
    const { status, headers: answered, body } = await openGuarded(services, { method: "GET", url, headers, signal })
    // Before the stream is read, and after its content turned out to be wrong.
    body.on("error", () => {})
    if (status === 200) return body
    body.destroy()
    if (status === 404 || status === 410) return undefined
    const to = answered["location"]
    const location = typeof to === "string" && URL.canParse(to, url) ? new URL(to, url) : undefined
    if (![301, 302, 303, 307, 308].includes(status) || !location)
      throw new RemoteTrouble(`the server answered ${status} when asked for a file`)
    if (location.origin !== new URL(url).origin) headers = {}
    url = location.href
  }
  throw new RemoteRefused("the server leads from one address to another for a file")
}
