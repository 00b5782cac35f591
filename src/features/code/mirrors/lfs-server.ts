import Type, { Check, type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { parseJson } from "../../../core/text/json.ts"
import { MEDIA_TYPE } from "../lfs/batch.ts"
import type { LfsOperation } from "../lfs/passes.ts"
import type { LargeFile } from "../lfs/pointers.ts"
import { allowedAddress, authorizationOf, type RemoteAddress, RemoteRefused, RemoteTrouble } from "./remote.ts"

/** Another server's large files, requested with the Git LFS batch API. Its answers are untrusted: they are validated, and only the needed members are read. */
export interface LfsServer {
  /** Without a trailing slash. */
  readonly endpoint: string
  /** The Authorization header; undefined if no credentials were given, or they were given for another server. */
  readonly authorization: string | undefined
}

/** The LFS server of a remote: the given endpoint, or Git LFS's default. Credentials for one server are not sent to another. */
export function lfsServerOf(target: RemoteAddress, given: string): LfsServer {
  const endpoint = given || `${target.url.replace(/\.git$/, "")}.git/info/lfs`
  const isSame = new URL(endpoint).origin === new URL(target.url).origin
  return { endpoint, authorization: isSame ? authorizationOf(target) : undefined }
}

const Action = Type.Object({
  href: Type.String(),
  header: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
})
export type Action = Static<typeof Action>

const BatchAnswer = Type.Object({
  transfer: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  objects: Type.Array(
    Type.Object({
      oid: Type.String(),
      authenticated: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
      error: Type.Optional(Type.Union([Type.Object({ code: Type.Integer(), message: Type.Optional(Type.String()) }), Type.Null()])),
      actions: Type.Optional(
        Type.Union([
          Type.Object({ download: Type.Optional(Action), upload: Type.Optional(Action), verify: Type.Optional(Action) }),
          Type.Null(),
        ]),
      ),
    }),
  ),
})

/** A server's answer for one object. */
export type BatchedObject = Static<typeof BatchAnswer>["objects"][number]

/** Objects per batch, which every server accepts. */
export const BATCH = 100
const ANSWER_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 60_000

/**
 * The server's answer for each object, by id. Throws {@link RemoteRefused} for permanent failures, {@link RemoteTrouble} for temporary ones.
 */
export async function askBatch(
  services: Pick<Services, "outgoing">,
  { endpoint, authorization }: LfsServer,
  operation: LfsOperation,
  files: readonly LargeFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BatchedObject>> {
  // For its error message; the request pins the address by itself.
  await allowedAddress(services, endpoint)
  const objects = files.map(({ oid, size }) => ({ oid, size }))
  const answer = await services.outgoing
    .send({
      method: "POST",
      url: `${endpoint}/objects/batch`,
      headers: { accept: MEDIA_TYPE, "content-type": MEDIA_TYPE, ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify({ operation, transfers: ["basic"], objects, hash_algo: "sha256" }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: ANSWER_BYTES,
      signal,
    })
    .catch((error: unknown) => {
      signal.throwIfAborted()
      throw new RemoteTrouble("the server can't be asked for large files", { cause: error })
    })
  const { status } = answer
  if (status === 429 || (status >= 500 && status !== 501))
    throw new RemoteTrouble(`the server answered ${status} when asked for large files`)
  if (status === 401 || status === 403)
    throw new RemoteRefused("the server asks for credentials for its large files, or refuses the given ones")
  if (status === 404 || status === 501) throw new RemoteRefused("the server keeps no large files (Git LFS) at that address")
  if (status !== 200) throw new RemoteRefused(`the server answered ${status} when asked for large files`)
  const record = parsed(answer.body)
  if (answer.cut || !Check(BatchAnswer, record) || (record.transfer ?? "basic") !== "basic")
    throw new RemoteRefused("what the server says of its large files can't be read")
  return new Map(record.objects.map((object) => [object.oid, object]))
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString("utf8"))
  } catch {
    return undefined
  }
}
