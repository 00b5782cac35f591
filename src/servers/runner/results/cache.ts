import type { FastifyInstance } from "fastify"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { beginCache, cacheDownload, findCache, finishCache } from "../../../features/actions/cache/caches.ts"
import { sendDownload } from "../../files/send.ts"
import { registerBlobUpload, requireSigned, signedAddress } from "./blobs.ts"
import { method, registerTwirp, sendTwirpRefusal, twirpPath } from "./twirp.ts"
import { Count, digitsOf } from "./values.ts"

/** The cache service of version 2, as newer versions of actions/cache speak. */

const SERVICE = "CacheService"
const PATHS = { upload: `${twirpPath(SERVICE)}/UploadCache`, download: `${twirpPath(SERVICE)}/DownloadCache` } as const

const Key = { key: Type.String(), version: Type.String() }

export async function registerCacheService(app: FastifyInstance, services: Services): Promise<void> {
  await registerTwirp(app, services, SERVICE, {
    CreateCacheEntry: method(Type.Object(Key), async ({ request, task, input }) => {
      const { id } = await beginCache(services, task, input)
      return { ok: true, signedUploadUrl: signedAddress(services, request, PATHS.upload, "cache upload", id) }
    }),

    FinalizeCacheEntryUpload: method(Type.Object({ ...Key, size_bytes: Count }), async ({ task, input }) => {
      const { id } = await finishCache(services, task, input, digitsOf(input.size_bytes))
      return { ok: true, entryId: String(id) }
    }),

    GetCacheEntryDownloadURL: method(
      Type.Object({ ...Key, restore_keys: Type.Optional(Type.Array(Type.String())) }),
      async ({ request, task, input: { key, version, restore_keys = [] } }) => {
        const cache = await findCache(services, task, { keys: [key, ...restore_keys], version })
        if (!cache) return { ok: false }
        const signedDownloadUrl = signedAddress(services, request, PATHS.download, "cache download", cache.id)
        return { ok: true, signedDownloadUrl, matchedKey: cache.key }
      },
    ),
  })

  await registerBlobUpload(app, services, { path: PATHS.upload, signed: "cache upload", maxBytes: services.config.actions.maxCacheBytes })
  await registerCacheDownload(app, services, PATHS.download)
}

/** Serves the files of caches at signed addresses. */
export async function registerCacheDownload(app: FastifyInstance, services: Services, path: string): Promise<void> {
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendTwirpRefusal(request, reply, error))
    scope.get<{ readonly Querystring: Readonly<Record<string, unknown>> }>(path, async (request, reply) =>
      sendDownload(request, reply, await cacheDownload(services, requireSigned(services, request.query, "cache download"))),
    )
  })
}
