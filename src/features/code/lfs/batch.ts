import type { Repository } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import { ADDRESS_SECONDS } from "../../../core/blobs/blobs.ts"
import { refuse } from "../../../core/errors.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { addressOfFile, inviteFile } from "./files.ts"
import type { LfsOperation } from "./passes.ts"
import { isOid, isSize } from "./pointers.ts"
import { findLinked } from "./store.ts"

/** The most objects of one batch; clients ask for a hundred at a time. */
const MOST_OBJECTS = 1000

export const BatchRequest = Type.Object({
  operation: Type.String(),
  transfers: Type.Optional(Type.Array(Type.String())),
  ref: Type.Optional(Type.Union([Type.Null(), Type.Object({ name: Type.String() })])),
  objects: Type.Array(Type.Object({ oid: Type.String(), size: Type.Number() })),
  hash_algo: Type.Optional(Type.String()),
})
export type BatchRequest = Static<typeof BatchRequest>

/** A transfer URL of one object. */
interface Action {
  readonly href: string
  readonly header?: Readonly<Record<string, string>>
  /** Seconds. */
  readonly expires_in?: number
}

interface BatchObject {
  readonly oid: string
  readonly size: number
  readonly authenticated?: boolean
  readonly actions?: { readonly [name in "download" | "upload" | "verify"]?: Action }
  readonly error?: { readonly code: number; readonly message: string }
}

export interface BatchAnswer {
  readonly transfer: "basic"
  readonly objects: readonly BatchObject[]
  readonly hash_algo: "sha256"
}

/** The URL and credentials for the transfers of a batch. */
export interface Transfers {
  /** The URL of the repository's large files, without a trailing slash. */
  readonly root: string
  /** The value of the Authorization header; undefined if none is needed or available. */
  readonly authorization: string | undefined
  /** Lifetime in seconds. */
  readonly expiresIn: number
}

type WithBlobs = Pick<Services, "blobs" | "database">

/** Refuses `badRequest` for an unknown operation, `tooLarge` for too many objects, `conflict` for another hash than SHA-256. */
export function requireBatch({ operation, objects, hash_algo = "sha256" }: BatchRequest): LfsOperation {
  if (operation !== "upload" && operation !== "download") throw refuse.badRequest("[operation]: must be upload or download")
  if (objects.length > MOST_OBJECTS) throw refuse.tooLarge(`[objects]: at most ${MOST_OBJECTS} at once`)
  if (hash_algo !== "sha256") throw refuse.conflict("[hash_algo]: only sha256 is known here")
  return operation
}

/**
 * Returns the download or upload action of each object; errors are reported per object. One query, however many objects there are. Where an object store has
 * them, transfers are with it: whoever has such an address needs no other credentials, and the `verify` after an upload makes an object of what was sent.
 */
export async function answerBatch(
  services: WithBlobs,
  { id: repositoryId }: Pick<Repository, "id">,
  {
    operation,
    objects,
    maxBytes,
  }: { readonly operation: LfsOperation; readonly objects: BatchRequest["objects"]; readonly maxBytes: number },
  transfers: Transfers,
): Promise<BatchAnswer> {
  const oids = [...new Set(objects.map(({ oid }) => oid).filter(isOid))]
  const found = oids.length === 0 ? [] : await findLinked(services.database.read, { repositoryId, oids })
  const there = new Map(found.map((object) => [object.oid, object]))
  const { root, authorization, expiresIn } = transfers
  const action = (href: string, header: Readonly<Record<string, string>> = {}): Action => ({
    href: `${root}/${href}`,
    ...(authorization === undefined
      ? Object.keys(header).length > 0 && { header }
      : { header: { ...header, Authorization: authorization }, expires_in: expiresIn }),
  })

  const answer = async ({ oid, size }: { readonly oid: string; readonly size: number }): Promise<BatchObject> => {
    const failed = (code: number, message: string): BatchObject => ({ oid, size, error: { code, message } })
    if (!isOid(oid)) return failed(422, "the oid must be a SHA-256 in lower-case hex")
    if (!isSize(size)) return failed(422, "the size must be a whole number of bytes")
    const stored = there.get(oid)
    if (stored && stored.size !== size) return failed(422, `the object has ${stored.size} bytes`)
    const authenticated = authorization === undefined ? {} : { authenticated: true }
    if (operation === "download") {
      if (!stored) return failed(404, "the object does not exist")
      const href = await addressOfFile(services, stored.file)
      if (href === undefined) return { oid, size, ...authenticated, actions: { download: action(`objects/${oid}`) } }
      return { oid, size, authenticated: true, actions: { download: { href, expires_in: ADDRESS_SECONDS } } }
    }
    if (stored) return { oid, size }
    if (size > maxBytes) return failed(422, `a large file may have at most ${maxBytes} bytes here`)
    const verify = (query: string) => action(`verify${query}`, { Accept: MEDIA_TYPE })
    const place = await inviteFile(services, { oid, size })
    if (!place) return { oid, size, ...authenticated, actions: { upload: action(`objects/${oid}/${size}`), verify: verify("") } }
    const upload = { href: place.href, header: place.headers, expires_in: ADDRESS_SECONDS }
    return { oid, size, ...authenticated, actions: { upload, verify: verify(`?file=${place.file}`) } }
  }
  return { transfer: "basic", objects: await mapInBatches(objects, answer), hash_algo: "sha256" }
}

/** The media type of requests and responses. */
export const MEDIA_TYPE = "application/vnd.git-lfs+json"
