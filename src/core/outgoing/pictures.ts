import { LRUCache } from "lru-cache"
import { createLimiter, isGitError, type Limiter } from "../../git/index.ts"
import { currentCaller, workDetached } from "../caller.ts"
import { refuse } from "../errors.ts"
import type { Services } from "../services.ts"
import { fetchPicture, type Picture } from "./picture.ts"

const TIMEOUT_MS = 10_000
/** How many are fetched at once. Each may hold so many bytes. */
const AT_ONCE = 8
/** How long a picture is kept here and by browsers, and how long it is remembered that there is none. */
export const KEPT_SECONDS = 3_600
const MISSING_SECONDS = 60

/** Pictures of other sites. They are the same for everyone, and kept in memory, which is bounded and needs no sweep; browsers keep theirs. */
export interface Pictures {
  /** The picture at an address. Readers who ask at the same time share one request, which goes on when the first of them is gone. */
  readonly find: (url: string) => Promise<Picture | undefined>
  /** What they are fetched under. */
  readonly turns: Limiter
}

interface Asked {
  readonly picture: Picture | undefined
}

const opened = new WeakMap<Services["outgoing"], Pictures>()

/** The pictures that this server fetches in its readers' place; undefined where the site shows none. */
export function picturesOf(services: Services): Pictures | undefined {
  if (services.config.markup.remoteImages !== "proxy") return undefined
  const pictures = opened.get(services.outgoing) ?? openPictures(services)
  opened.set(services.outgoing, pictures)
  return pictures
}

function openPictures({ config, outgoing }: Services): Pictures {
  const { maxRemoteImageBytes: maxBytes, remoteImageCacheBytes } = config.markup
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

  async function ask(url: string): Promise<Asked> {
    const release = await turns.acquire("").catch((error: unknown) => {
      throw isGitError(error, "busy") ? refuse.busy("too many pictures are being fetched; try again in a moment") : error
    })
    try {
      const asked: Asked = { picture: await fetchPicture(outgoing, url, { maxBytes, timeoutMs: TIMEOUT_MS }) }
      kept?.set(url, asked, asked.picture ? {} : { ttl: MISSING_SECONDS * 1_000 })
      return asked
    } finally {
      release()
    }
  }

  return {
    turns,
    find: async (url) => {
      const known = kept?.get(url) ?? underWay.get(url)
      if (known) return (await known).picture
      const asked = workDetached(() => ask(url)).finally(() => underWay.delete(url))
      underWay.set(url, asked)
      return (await asked).picture
    },
  }
}
