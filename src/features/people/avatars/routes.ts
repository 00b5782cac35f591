import type { FastifyInstance } from "fastify"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { recognizePicture } from "./images.ts"
import { readAvatar } from "./pictures.ts"

/** The digest of an uploaded image (64 digits), or the seed of a generated one (32). */
const HASH = /^([0-9a-f]{32}|[0-9a-f]{64})$/
const SIDE = 256

/** An image is not a page: nothing in it may run, load or be framed in a way that acts as this site. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
const FOREVER = "public, max-age=31536000, immutable"
const SHORTLY = "public, max-age=60"

/** Serves avatars of users, organisations and repositories: the uploaded image with this digest, or one generated from it. */
export function registerAvatars(app: FastifyInstance, services: Services): void {
  app.get<{ Params: { hash: string } }>("/avatars/:hash", async (request, reply) => {
    const { hash } = request.params
    if (!HASH.test(hash)) throw refuse.notFound()
    const bytes = await readAvatar(services, hash)
    const type = bytes && recognizePicture(bytes)?.type
    reply.header("content-security-policy", POLICY).header("x-content-type-options", "nosniff")
    if (bytes && type) return reply.header("cache-control", FOREVER).type(type).send(bytes)
    const { toSvg } = await import("jdenticon")
    // An image that was deleted may be uploaded again at the same URL.
    return reply
      .header("cache-control", hash.length === 64 ? SHORTLY : FOREVER)
      .type("image/svg+xml")
      .send(toSvg(hash, SIDE))
  })
}
