import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { refuse } from "../core/errors.ts"
import { ASSETS_PATH, type Asset, findAsset, findFrameAsset, frameDocument } from "../web/assets.ts"
import { encodingFor } from "./client/accepts.ts"

const YEAR = 31_536_000

/**
 * The frame of a diagram runs what a library makes of a text that anyone may have written. So it has no part in this site, sends and loads nothing, and is
 * framed by our pages alone.
 */
const FRAME_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts",
].join("; ")

/** What pages load: styles, icons and modules, under names that change with their bytes. */
export function registerAssets(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>(`${ASSETS_PATH}/:file`, async (request, reply) =>
    send(request, reply, findAsset(request.params.file)),
  )
  // A frame that belongs to no site asks for its modules as a stranger.
  app.get<{ Params: { file: string } }>(`${ASSETS_PATH}/frame/:file`, async (request, reply) =>
    send(request, reply.header("access-control-allow-origin", "*"), findFrameAsset(request.params.file)),
  )
  app.get(`${ASSETS_PATH}/diagram.html`, async (_, reply) =>
    reply
      .header("content-security-policy", FRAME_POLICY)
      .header("cache-control", "public, max-age=300")
      .type("text/html;charset=utf-8")
      .send(frameDocument()),
  )
}

async function send(request: FastifyRequest, reply: FastifyReply, asset: Asset | undefined): Promise<FastifyReply> {
  if (!asset) throw refuse.notFound()
  const encoding = encodingFor(request)
  if (encoding) reply.header("content-encoding", encoding)
  return reply
    .header("cache-control", `public, max-age=${YEAR}, immutable`)
    .header("vary", "Accept-Encoding")
    .type(asset.type)
    .send(await asset.bytes(encoding))
}
