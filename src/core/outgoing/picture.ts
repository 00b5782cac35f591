import type { Outgoing, OutgoingAnswer } from "./request.ts"

/** Pictures of other servers. */

export interface Picture {
  readonly type: string
  readonly bytes: Buffer
}

interface Limits {
  readonly maxBytes: number
  /** In milliseconds, for all of it. */
  readonly timeoutMs: number
}

const MOST_REDIRECTS = 3
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Fetches a picture, without telling who asks for it. Redirects are followed to addresses that the guard allows. Undefined where there is none: the
 * server can't be reached or called, answers too late or too much, or with something else.
 */
export async function fetchPicture({ send }: Outgoing, from: string, { maxBytes, timeoutMs }: Limits): Promise<Picture | undefined> {
  const signal = AbortSignal.timeout(timeoutMs)
  let url = from
  for (let followed = 0; followed <= MOST_REDIRECTS; followed++) {
    const answer = await send({ method: "GET", url, headers: { accept: "image/*" }, timeoutMs, maxBytes, signal }).catch(() => undefined)
    if (!answer || answer.cut) return undefined
    if (answer.status === 200) return pictureIn(answer)
    const to = REDIRECTS.includes(answer.status) ? URL.parse(answer.headers["location"] ?? "", url) : null
    if (!to) return undefined
    url = to.href
  }
  return undefined
}

function pictureIn({ body, headers }: OutgoingAnswer): Picture | undefined {
  const type = kindOf(body) ?? (/^image\/svg\+xml\b/i.test(headers["content-type"] ?? "") && isSvg(body) ? "image/svg+xml" : undefined)
  return type === undefined ? undefined : { type, bytes: body }
}

/** The type of a picture by its first bytes: what its server calls it decides nothing. */
function kindOf(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 16)
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(start)) return "image/gif"
  if (/^RIFF.{4}WEBP/s.test(start)) return "image/webp"
  if (/^.{4}ftypavi[fs]/s.test(start)) return "image/avif"
  return undefined
}

/** Most pictures in texts are badges, which are SVG: as a picture it runs nothing and loads nothing. Entities of its own could grow without end. */
const isSvg = (bytes: Buffer): boolean =>
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*(?:<!DOCTYPE svg[^>[]*>\s*)?<svg[\s>]/.test(bytes.toString("utf8", 0, 2_048))
