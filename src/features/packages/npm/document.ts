import { createHash } from "node:crypto"
import { refuse } from "../../../core/errors.ts"
import { parseJson, TooDeep } from "../../../core/text/json.ts"

/** The records that npm sends. */

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Refuses `badRequest` what is no JSON. */
export function readJson(body: Buffer): unknown {
  try {
    return parseJson(body.toString("utf8"))
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse.badRequest(error instanceof TooDeep ? error.message : "the body is no JSON")
    throw error
  }
}

/** Refuses `badRequest` what is no record. */
export function readFields(body: Buffer): Fields {
  const record = readJson(body)
  if (!isFields(record)) throw refuse.badRequest("the body must be a record")
  return record
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
export function newVersionIn(document: Fields, name: string): NewVersion | undefined {
  if ((document["name"] ?? document["_id"]) !== name) throw refuse.badRequest("the record is about another package than the address")
  const attachments = Object.values(fieldsIn(document, "_attachments"))
  if (attachments.length === 0) return undefined
  const [attachment] = attachments
  if (attachments.length > 1 || !isFields(attachment))
    throw refuse.badRequest("one tarball is published at a time, and nothing beside it; statements of provenance are not kept")
  const versions = Object.entries(fieldsIn(document, "versions"))
  const [[version, manifest] = ["", undefined]] = versions
  if (versions.length !== 1 || !isFields(manifest)) throw refuse.badRequest("one version is published at a time")
  if (manifest["version"] !== version || manifest["name"] !== name)
    throw refuse.badRequest("the version's own name and number must be those that it is published under")
  const tarball = bytesOf(attachment)
  requireIntegrity(manifest["dist"], tarball)
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

function bytesOf({ data, length }: Fields): Buffer {
  if (typeof data !== "string" || !/^[A-Za-z0-9+/]*={0,2}\s*$/.test(data)) throw refuse.badRequest("the tarball must be written in base64")
  const bytes = Buffer.from(data, "base64")
  if (length !== undefined && length !== bytes.length)
    throw refuse.badRequest(`the tarball has ${bytes.length} bytes where another number was announced`)
  return bytes
}

const digestOf = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes)

/** The strongest digest that is told must be right, and all that are told of it. */
function requireIntegrity(dist: unknown, tarball: Buffer): void {
  if (!isFields(dist)) return
  const { shasum, integrity } = dist
  if (shasum !== undefined && shasum !== digestOf("sha1", tarball).digest("hex"))
    throw refuse.badRequest("the SHA-1 of the tarball is another one than its shasum")
  if (integrity === undefined) return
  const told = typeof integrity === "string" ? integrity.trim().split(/\s+/) : []
  const known = told.flatMap((each) => {
    const [, algorithm, digest] = /^(sha1|sha256|sha384|sha512)-([A-Za-z0-9+/=]+)(?:\?.*)?$/.exec(each) ?? []
    return algorithm && digest ? [{ algorithm, digest }] : []
  })
  if (known.length === 0 || known.some(({ algorithm, digest }) => digestOf(algorithm, tarball).digest("base64") !== digest))
    throw refuse.badRequest("the tarball has another digest than its integrity says")
}
