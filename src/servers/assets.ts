import type { FastifyInstance } from "fastify"
import { refuse } from "../core/errors.ts"
import { ASSETS_PATH, findAsset } from "../web/assets.ts"
import { encodingFor } from "./web/pages/ready.ts"

const YEAR = 31_536_000

/** What pages load: styles, icons and modules, under names that change with their bytes. */
export function registerAssets(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>(`${ASSETS_PATH}/:file`, async (request, reply) => {
    const asset = findAsset(request.params.file)
    if (!asset) throw refuse.notFound()
    const encoding = encodingFor(request)
    if (encoding) reply.header("content-encoding", encoding)
    return reply
      .header("cache-control", `public, max-age=${YEAR}, immutable`)
      .header("vary", "Accept-Encoding")
      .type(asset.type)
      .send(await asset.bytes(encoding))
  })
}
