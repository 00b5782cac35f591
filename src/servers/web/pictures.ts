import type { FastifyInstance } from "fastify"
import { LRUCache } from "lru-cache"
import { currentCaller, workDetached } from "../../core/caller.ts"
import { refuse } from "../../core/errors.ts"
import { pictureKey } from "../../core/markup/for-page.ts"
import { isSignedPicture, PICTURE_PATH } from "../../core/markup/pictures.ts"
import { fetchPicture, type Picture } from "../../core/outgoing/picture.ts"
import type { Services } from "../../core/services.ts"
import { createLimiter, isGitError, type Limiter } from "../../git/index.ts"
import { queryOf } from "../client/session.ts"

/** A picture is no page: nothing in it may run, load or act as this site. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
const TIMEOUT_MS = 10_000
/** How many are fetched at once. Each may hold so many bytes. */
const AT_ONCE = 8
/** How long a picture is kept here and by browsers, and how long it is remembered that there is none. */
const KEPT_SECONDS = 3_600
const MISSING_SECONDS = 60

interface Asked {
  readonly picture: Picture | undefined
}

/**
 * Serves pictures of other sites that texts show, at the addresses that rendering has signed: nobody can have other addresses called. They are the same
 * for everybody, and kept in memory, which is bounded and needs no sweep; browsers keep theirs. Gives the limit that they are fetched under.
 */
export function registerPictures(app: FastifyInstance, services: Services): readonly Limiter[] {
  const { remoteImages, maxRemoteImageBytes: maxBytes, remoteImageCacheBytes } = services.config.markup
  if (remoteImages !== "proxy") return []
  const key = pictureKey(services)
  const turns = createLimiter({
    name: "pictures",
    total: AT_ONCE,
    perRepository: AT_ONCE,
    queue: 200,
    waitMs: TIMEOUT_MS,
    caller: currentCaller,
  })
  const kept =
    remoteImageCacheBytes > 0
      ? new LRUCache<string, Asked>({
          maxSize: remoteImageCacheBytes,
          sizeCalculation: ({ picture }, url) => (picture?.bytes.length ?? 0) + url.length + 200,
          ttl: KEPT_SECONDS * 1_000,
        })
      : undefined
  const underWay = new Map<string, Promise<Asked>>()

  app.get(PICTURE_PATH, async (request, reply) => {
    const query = queryOf(request)
    const url = query.get("url") ?? ""
    if (!isSignedPicture(url, query.get("signature") ?? "", key)) throw refuse.notFound()
    const { picture } = await find(url)
    if (!picture) throw refuse.notFound("there is no picture at that address, or it can't be shown")
    return reply
      .header("cache-control", `private, max-age=${KEPT_SECONDS}`)
      .header("content-security-policy", POLICY)
      .header("content-disposition", "inline")
      .header("cross-origin-resource-policy", "same-origin")
      .type(picture.type)
      .send(picture.bytes)
  })

  return [turns]

  /** Readers who ask at the same time share one request, which goes on when the first of them is gone. */
  async function find(url: string): Promise<Asked> {
    const known = kept?.get(url) ?? underWay.get(url)
    if (known) return known
    const asked = workDetached(() => ask(url)).finally(() => underWay.delete(url))
    underWay.set(url, asked)
    return asked
  }

  async function ask(url: string): Promise<Asked> {
    const release = await turns.acquire("").catch((error: unknown) => {
      throw isGitError(error, "busy") ? refuse.busy("too many pictures are being fetched; try again in a moment") : error
    })
    try {
      const asked: Asked = { picture: await fetchPicture(services.outgoing, url, { maxBytes, timeoutMs: TIMEOUT_MS }) }
      kept?.set(url, asked, asked.picture ? {} : { ttl: MISSING_SECONDS * 1_000 })
      return asked
    } finally {
      release()
    }
  }
}
