import { anyone } from "../../access/policies/site.ts"
import { madeDownload } from "../../core/download.ts"
import { refuse } from "../../core/errors.ts"
import { type File, file } from "../../core/file.ts"
import { pictureKey } from "../../core/markup/for-page.ts"
import { isSignedPicture, PICTURE_PATH } from "../../core/markup/pictures.ts"
import { KEPT_SECONDS, picturesOf } from "../../core/outgoing/pictures.ts"
import Type from "../../core/schema.ts"
import { recognizePicture } from "../../features/people/avatars/images.ts"
import { readAvatar } from "../../features/people/avatars/pictures.ts"

/** The digest of an uploaded image (64 digits), or the seed of a generated one (32). */
const HASH = /^([0-9a-f]{32}|[0-9a-f]{64})$/
const SIDE = 256
const FOREVER = { caching: "public, max-age=31536000, immutable" } as const
/** An image that was deleted may be uploaded again at the same address. */
const SHORTLY = { caching: "public, max-age=60" } as const

export const pictureFiles: readonly File[] = [
  /** The avatar of a user, an organisation or a repository: the uploaded image with this digest, or one generated from it. */
  file({
    id: "site.avatar",
    address: "GET /avatars/{hash}",
    access: anyone,
    answer: async ({ services, path: { hash } }) => {
      if (!HASH.test(hash)) throw refuse.notFound()
      const bytes = await readAvatar(services, hash)
      const type = bytes && recognizePicture(bytes)?.type
      if (bytes && type) return madeDownload(type, bytes, FOREVER)
      const { toSvg } = await import("jdenticon")
      return madeDownload("image/svg+xml", toSvg(hash, SIDE), hash.length === 64 ? SHORTLY : FOREVER)
    },
  }),
  /** A picture of another site that a text shows, at the address that rendering has signed: no one can have other addresses called. */
  file({
    id: "site.picture",
    address: `GET ${PICTURE_PATH}`,
    access: anyone,
    query: { url: Type.Optional(Type.String()), signature: Type.Optional(Type.String()) },
    answer: async ({ services, query: { url = "", signature = "" } }) => {
      const pictures = picturesOf(services)
      if (!pictures || !isSignedPicture(url, signature, pictureKey(services))) throw refuse.notFound()
      const picture = await pictures.find(url)
      if (!picture) throw refuse.notFound("there is no picture at that address, or it can't be shown")
      return {
        ...madeDownload(picture.type, picture.bytes, { caching: `private, max-age=${KEPT_SECONDS}` }),
        headers: { "cross-origin-resource-policy": "same-origin" },
      }
    },
  }),
]
