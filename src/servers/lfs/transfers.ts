import type { FastifyInstance } from "fastify"
import type { OpenBlob } from "../../core/blobs/blobs.ts"
import { fileHeadersOf } from "../../core/disposition.ts"
import { type Download, storedDownload } from "../../core/download.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { openFile } from "../../features/code/lfs/files.ts"
import { findObject, takeObject } from "../../features/code/lfs/objects.ts"
import { isOid } from "../../features/code/lfs/pointers.ts"
import type { LfsObject } from "../../features/code/lfs/store.ts"
import { sendDownload } from "../files/send.ts"
import { discardRest } from "../git-http/request.ts"
import type { LfsAccess, Names } from "./admission.ts"
import { sendRefusal } from "./answer.ts"

/** Uploads and downloads of large files, streamed: no file is held in memory. */

/** A connection without data for this long is closed. */
const SILENCE_MS = 10 * 60 * 1000

type Upload = { readonly Params: Names["Params"] & { readonly oid: string; readonly size: string } }
type Named = { readonly Params: Names["Params"] & { readonly oid: string; readonly filename?: string } }

/** Serves uploads and downloads below `root`. */
export async function registerTransfers(app: FastifyInstance, services: Services, access: LfsAccess, root: string): Promise<void> {
  const { database } = services
  await app.register(async (scope) => {
    // Bodies are streams of any length: nothing is read before the caller is authorised.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, request, reply) => sendRefusal(request, reply, error))
    scope.addHook("onResponse", async (request) => discardRest(request.raw))

    scope.put<Upload>(`${root}/objects/:oid/:size`, async (request, reply) => {
      const { repository } = await access.forUpload(request)
      const { oid, size: digits } = request.params
      const size = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
      const length = request.headers["content-length"]
      if (request.headers["content-encoding"] !== undefined) throw refuse.unsupportedMediaType("a large file is sent as it is")
      if (length !== undefined && Number(length) !== size)
        throw refuse.invalid("size", `${length} bytes come where ${digits.slice(0, 20)} were announced`)
      request.raw.setTimeout(SILENCE_MS, () => request.raw.destroy())
      await takeObject(services, repository, { oid, size }, request.raw)
      return reply.code(200).send()
    })

    for (const path of ["objects/:oid", "objects/:oid/:filename"])
      scope.route<Named>({
        method: ["GET", "HEAD"],
        url: `${root}/${path}`,
        handler: async (request, reply) => {
          const { repository } = await access.forDownload(request)
          const { oid, filename } = request.params
          const object = isOid(oid) ? await findObject(database.read, repository, oid) : undefined
          if (!object) throw refuse.notFound("the object does not exist")
          return sendDownload(request, reply, downloadOf(object, filename ?? oid))
        },
      })
  })

  function downloadOf({ oid, size, file }: LfsObject, name: string): Download {
    const disposition = fileHeadersOf(name).disposition.replace(/^\w+/, "attachment")
    return storedDownload({
      tag: `"${oid}"`,
      size,
      type: "application/octet-stream",
      disposition,
      isDirect: true,
      open: () => openObject(oid, file),
    })
  }
  async function openObject(oid: string, file: string): Promise<OpenBlob> {
    const handle = await openFile(services, file)
    if (!handle) throw new Refusal("internal", `the file of large file ${oid} is gone`)
    return handle
  }
}
