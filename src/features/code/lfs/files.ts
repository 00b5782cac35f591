import { createHash, randomUUID } from "node:crypto"
import type { Readable } from "node:stream"
import type { DirectAddress, OpenBlob } from "../../../core/blobs/blobs.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"

/**
 * Files of LFS objects, stored under generated names: no client input becomes part of a path. A row is inserted after its
 * file is written, and deleted before the file is removed.
 */

const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type WithBlobs = Pick<Services, "blobs">

/** The folder of all objects. */
export const FOLDER = "lfs"

/** Files are grouped in subfolders named after their prefix. */
function keyOf(file: string): string {
  if (!NAME.test(file)) throw new TypeError("not the name of a large file")
  return `${FOLDER}/${file.slice(0, 2)}/${file}`
}

/** The expected hash and size of the bytes. */
export interface Expected {
  readonly oid: string
  readonly size: number
}

/**
 * Writes the bytes to a new file as they arrive, and returns its name. Refuses `invalid` for unexpected bytes, at the first one too many, and
 * fails as `content` does if it aborts; the file is removed then. `content` itself is not destroyed: the response is sent on the same
 * connection. If the process ends before the row is written, the sweep removes the file.
 */
export async function storeFile({ blobs }: WithBlobs, content: Readable, expected: Expected): Promise<string> {
  const file = randomUUID()
  await blobs.write(keyOf(file), check(content.iterator({ destroyOnReturn: false }), expected))
  return file
}

async function* check(chunks: AsyncIterable<Buffer>, { oid, size }: Expected): AsyncGenerator<Buffer> {
  const hash = createHash("sha256")
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > size) throw refuse.invalid("size", `more than the ${size} bytes that were announced`)
    hash.update(chunk)
    yield chunk
  }
  if (length !== size) throw refuse.invalid("size", `${length} bytes came where ${size} were announced`)
  if (hash.digest("hex") !== oid) throw refuse.invalid("oid", "the SHA-256 of what came is another one")
}

/** A new file that clients may put into the object store themselves; undefined where these bytes come through this server. */
export async function inviteFile(
  { blobs }: WithBlobs,
  { oid, size }: Expected,
): Promise<(DirectAddress & { readonly file: string }) | undefined> {
  const file = randomUUID()
  const place = await blobs.direct?.invite(keyOf(file), { sha256: oid, size })
  return place && { ...place, file }
}

/** Whether a client has put these bytes there. */
export const isPut = async ({ blobs }: WithBlobs, file: string, { oid, size }: Expected): Promise<boolean> =>
  NAME.test(file) && (await blobs.direct?.holds(keyOf(file), { sha256: oid, size })) === true

/** The address at the object store that anyone may fetch the file from; undefined where it is fetched from this server. */
export async function addressOfFile(services: WithBlobs, file: string): Promise<string | undefined> {
  if (!services.blobs.direct) return undefined
  const blob = await openFile(services, file)
  await blob?.close()
  return blob?.address?.({ type: "application/octet-stream", disposition: "attachment" })
}

/** Removes a file that no row uses. */
export const discardFile = ({ blobs }: WithBlobs, file: string): Promise<void> => blobs.remove(keyOf(file))

/** Opens the file; undefined if it is gone. */
export const openFile = async ({ blobs }: WithBlobs, file: string): Promise<OpenBlob | undefined> => blobs.open(keyOf(file))
