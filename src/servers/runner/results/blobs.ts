import { Readable } from "node:stream"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { refuse } from "../../../core/errors.ts"
import { isMac } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { findOpenUpload, type OpenUpload } from "../../../features/actions/uploads/store.ts"
import { orderParts, type PartPosition, storePart } from "../../../features/actions/uploads/uploads.ts"
import { discardRest } from "../../git-http/request.ts"
import { sendTwirpRefusal } from "./twirp.ts"

/** Signed addresses of files that jobs load and store, and the part of Azure's protocol for block blobs that clients store them with. */

/** Seconds for which an address is valid. */
const ADDRESS_SECONDS = 3600

/** What an address is for: it can't be used for another row of another table. */
export type Signed = "artifact upload" | "artifact download" | "cache upload" | "cache download"

type Signing = Pick<Services, "secrets" | "now">

const PURPOSE = "actions file address"
const textOf = (signed: Signed, id: number, expires: number): string => `${signed} ${id} ${expires}`

/**
 * The address that the client of a request used, without a slash at its end: a runner may reach the site by another name than people. `path` is what
 * follows, as this server knows it.
 */
export function addressUsed({ site }: Pick<Services, "site">, { protocol, host }: FastifyRequest, path: string): string {
  const root = new URL(site.rootUrl)
  // Twirp's clients know only protocol and host, so these paths are served there; for all others a proxy may have taken a prefix off.
  const prefix = root.host === host && !path.startsWith("/twirp/") ? root.pathname.replace(/\/$/, "") : ""
  return `${protocol}://${host}${prefix}${path}`
}

/** A signed address, valid for an hour. It is a secret while it is valid. */
export function signedAddress(
  services: Signing & Pick<Services, "site">,
  request: FastifyRequest,
  path: string,
  signed: Signed,
  id: number,
): string {
  const expires = services.now() + ADDRESS_SECONDS
  const sig = services.secrets.mac(PURPOSE, textOf(signed, id, expires))
  return `${addressUsed(services, request, path)}?${new URLSearchParams({ id: String(id), expires: String(expires), sig })}`
}

type Query = Readonly<Record<string, unknown>>

const textIn = (query: Query, name: string): string => {
  const value = query[name]
  return typeof value === "string" ? value : ""
}

/** The id that an address was signed for. Refuses `unauthenticated` one that was altered or has expired. */
export function requireSigned(services: Signing, query: Query, signed: Signed): number {
  const [id, expires, sig] = [textIn(query, "id"), textIn(query, "expires"), textIn(query, "sig")]
  const isRight =
    /^\d{1,15}$/.test(id) &&
    /^\d{1,12}$/.test(expires) &&
    isMac(services.secrets, PURPOSE, textOf(signed, Number(id), Number(expires)), sig)
  if (!isRight || Number(expires) <= services.now()) throw refuse.unauthenticated("this address is not signed, or has expired")
  return Number(id)
}

/** The longest block id that is taken: Azure's have 64 bytes before they are encoded. */
const LONGEST_BLOCK_ID = 128
/** A list of ten thousand blocks with the longest ids. */
const LIST_BYTES = 2 * 1024 * 1024

/** Serves uploads at a signed address. `maxBytes` limits each of them. */
export async function registerBlobUpload(
  app: FastifyInstance,
  services: Services,
  { path, signed, maxBytes }: { readonly path: string; readonly signed: Signed; readonly maxBytes: number },
): Promise<void> {
  await app.register(async (scope) => {
    // Bodies are streams of any length: nothing is read before the address is verified.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, request, reply) => sendTwirpRefusal(request, reply, error))
    scope.addHook("onResponse", async (request) => discardRest(request.raw))
    scope.put<{ readonly Querystring: Query }>(path, async (request, reply) => {
      const upload = await findOpenUpload.first(services.database.read, { id: requireSigned(services, request.query, signed) })
      if (!upload) throw refuse.unauthenticated("this upload has ended, or its job has")
      await take(services, request, upload, maxBytes)
      return reply.code(201).send()
    })
  })
}

async function take(services: Services, request: FastifyRequest, upload: OpenUpload, maxBytes: number): Promise<void> {
  const { query } = request
  if (!isQuery(query)) throw refuse.badRequest()
  const comp = textIn(query, "comp").toLowerCase()
  if (comp === "blocklist") return orderParts(services, upload, readBlockList(await textOfBody(request)))
  if (request.headers["content-encoding"] !== undefined) throw refuse.unsupportedMediaType("a file is sent as it is")
  await storePart(
    services,
    upload,
    { position: positionOf(comp, textIn(query, "blockid")), maxBytes, expected: { size: lengthOf(request) } },
    bodyOf(request),
  )
}

const isQuery = (value: unknown): value is Query => typeof value === "object" && value !== null

function positionOf(comp: string, blockId: string): PartPosition {
  if (comp === "") return { kind: "whole" }
  if (comp !== "block" && comp !== "appendblock") throw refuse.invalid("comp", "must be block, blocklist, appendBlock, or missing")
  if (blockId === "" && comp === "appendblock") return { kind: "end" }
  if (blockId === "" || blockId.length > LONGEST_BLOCK_ID) throw refuse.invalid("blockid", `must have 1 to ${LONGEST_BLOCK_ID} characters`)
  return { kind: "block", id: blockId }
}

/** The bytes of a body. Who stops reading leaves the connection open, so that the refusal can be sent on it. */
export const bodyOf = ({ raw }: FastifyRequest): Readable => Readable.from(raw.iterator({ destroyOnReturn: false }))

/** The announced length of a body; undefined where it comes in chunks. */
export function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

async function textOfBody(request: FastifyRequest): Promise<string> {
  const { raw } = request
  if ((lengthOf(request) ?? 0) > LIST_BYTES) throw refuse.tooLarge("the list of blocks is too long")
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > LIST_BYTES) throw refuse.tooLarge("the list of blocks is too long")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** The ids of a list of blocks. They are base64, so nothing in them is escaped. */
function readBlockList(xml: string): readonly string[] {
  if (!/<BlockList\s*\/?>/.test(xml)) throw refuse.invalid("body", "must be a BlockList in XML")
  return [...xml.matchAll(/<(Latest|Uncommitted|Committed)>\s*([^<>\s]*)\s*<\/\1>/g)].map(([, , id = ""]) => id)
}
