import { hash, randomUUID } from "node:crypto"
import { refuse } from "../../../core/errors.ts"
import { parseSent, Unacceptable } from "../../../core/text/json.ts"
import { nextTurn } from "../../../core/work.ts"

/** The records that npm sends. */

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Refuses `badRequest` what is no JSON. */
export function readJson(body: Buffer): unknown {
  try {
    return parseSent(body.toString("utf8"))
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse.badRequest(error instanceof Unacceptable ? error.message : "the body is no JSON")
    throw error
  }
}

/** Refuses `badRequest` what is no record. */
export function readFields(body: Buffer): Fields {
  const record = readJson(body)
  if (!isFields(record)) throw refuse.badRequest("the body must be a record")
  return record
}

/** A record as it was sent. */
export interface SentRecord {
  /** The record, in which a name stands for each large text of `cut`. */
  readonly fields: Fields
  /** The large texts named `data` as they were sent, by their names: base64, of a tarball. */
  readonly cut: ReadonlyMap<string, Buffer>
}

/** Texts from this length on are cut out before the rest is read. */
const LARGE = 64 * 1024
const KEY = Buffer.from('"data"')
const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]

/** Reads a record with a tarball. Parsing tens of megabytes of base64 would block all callers. Refuses `badRequest` what is no record. */
export function readRecord(body: Buffer): SentRecord {
  const cut = new Map<string, Buffer>()
  const kept: Buffer[] = []
  let from = 0
  for (let at = body.indexOf(KEY); at >= 0; at = body.indexOf(KEY, at)) {
    at += KEY.length
    const start = startOfText(body, at)
    const end = start === undefined ? -1 : body.indexOf(QUOTE, start)
    if (start === undefined || end - start < LARGE) continue
    const text = body.subarray(start, end)
    if (text.includes(BACKSLASH)) continue
    const name = `cut:${randomUUID()}`
    cut.set(name, text)
    kept.push(body.subarray(from, start), Buffer.from(name))
    from = end
    at = end
  }
  return { fields: readFields(cut.size === 0 ? body : Buffer.concat([...kept, body.subarray(from)])), cut }
}

/** Where the text begins that is the value of the key before; undefined for another value. */
function startOfText(body: Buffer, at: number): number | undefined {
  const colon = afterBlanks(body, at)
  const quote = body[colon] === COLON ? afterBlanks(body, colon + 1) : colon
  return body[colon] === COLON && body[quote] === QUOTE ? quote + 1 : undefined
}

function afterBlanks(body: Buffer, at: number): number {
  let next = at
  while (body[next] === 0x20 || body[next] === 0x0a || body[next] === 0x0d || body[next] === 0x09) next += 1
  return next
}

/** A version that is to be published. */
export interface NewVersion {
  readonly version: string
  /** Its package.json, as npm has completed it. */
  readonly manifest: Fields
  readonly tarball: Buffer
  /** The tags that are to name it. */
  readonly tags: readonly string[]
  readonly isRestricted: boolean | undefined
}

/** The version and its tarball in a record of this package; undefined for a record without a tarball, which only edits. Refuses `badRequest`. */
export async function newVersionIn({ fields: document, cut }: SentRecord, name: string): Promise<NewVersion | undefined> {
  if ((document["name"] ?? document["_id"]) !== name) throw refuse.badRequest("the record is about another package than the address")
  const attachments = Object.values(fieldsIn(document, "_attachments"))
  const [attachment] = attachments
  // A name that stands for a text must not be kept as if it were that.
  if (cut.size > (isFields(attachment) && cut.has(String(attachment["data"])) ? 1 : 0))
    throw refuse.tooLarge("nothing in the record but the tarball may be that large")
  if (attachments.length === 0) return undefined
  if (attachments.length > 1 || !isFields(attachment))
    throw refuse.badRequest("one tarball is published at a time, and nothing beside it; statements of provenance are not kept")
  const versions = Object.entries(fieldsIn(document, "versions"))
  const [[version, manifest] = ["", undefined]] = versions
  if (versions.length !== 1 || !isFields(manifest)) throw refuse.badRequest("one version is published at a time")
  if (manifest["version"] !== version || manifest["name"] !== name)
    throw refuse.badRequest("the version's own name and number must be those that it is published under")
  const tarball = await bytesOf(attachment, cut)
  await requireIntegrity(manifest["dist"], tarball)
  const tags = Object.entries(fieldsIn(document, "dist-tags")).flatMap(([tag, named]) => (named === version ? [tag] : []))
  const { access } = document
  return { version, manifest, tarball, tags, isRestricted: access === "restricted" ? true : undefined }
}

/** A member that is a record; an empty one where it is missing. */
export function fieldsIn(document: Fields, name: string): Fields {
  const value = document[name] ?? {}
  if (!isFields(value)) throw refuse.badRequest(`${name} must be a record`)
  return value
}

/** Each step takes up to a tenth of a second for the largest tarball, so that others have their turn between them. */
async function bytesOf({ data, length }: Fields, cut: SentRecord["cut"]): Promise<Buffer> {
  const text = typeof data === "string" ? (cut.get(data)?.toString("latin1") ?? data).trimEnd() : ""
  await nextTurn()
  const bytes = Buffer.from(text, "base64")
  await nextTurn()
  // What is no base64 is passed over in decoding.
  const isBase64 = text.length < LARGE ? /^[A-Za-z0-9+/]*={0,2}$/.test(text) : bytes.length === lengthIn(text)
  if (typeof data !== "string" || !isBase64) throw refuse.badRequest("the tarball must be written in base64")
  if (length !== undefined && length !== bytes.length)
    throw refuse.badRequest(`the tarball has ${bytes.length} bytes where another number was announced`)
  return bytes
}

/** How many bytes are written in a base64 text. */
function lengthIn(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  return Math.floor(((text.length - padding) * 3) / 4)
}

const digestOf = async (algorithm: string, bytes: Buffer, encoding: "hex" | "base64"): Promise<string> => {
  await nextTurn()
  return hash(algorithm, bytes, encoding)
}

/** The strongest digest that is told must be right, and all that are told of it. */
async function requireIntegrity(dist: unknown, tarball: Buffer): Promise<void> {
  if (!isFields(dist)) return
  const { shasum, integrity } = dist
  if (shasum !== undefined && shasum !== (await digestOf("sha1", tarball, "hex")))
    throw refuse.badRequest("the SHA-1 of the tarball is another one than its shasum")
  if (integrity === undefined) return
  const told = typeof integrity === "string" ? integrity.trim().split(/\s+/) : []
  const known = told.flatMap((each) => {
    const [, algorithm, digest] = /^(sha1|sha256|sha384|sha512)-([A-Za-z0-9+/=]+)(?:\?.*)?$/.exec(each) ?? []
    return algorithm && digest ? [{ algorithm, digest }] : []
  })
  const digests = new Map<string, string>()
  for (const { algorithm } of known) if (!digests.has(algorithm)) digests.set(algorithm, await digestOf(algorithm, tarball, "base64"))
  if (known.length === 0 || known.some(({ algorithm, digest }) => digests.get(algorithm) !== digest))
    throw refuse.badRequest("the tarball has another digest than its integrity says")
}
