import type { FastifyRequest } from "fastify"
import { refuse } from "../../core/errors.ts"
import { Check, type Static, type TSchema } from "../../core/schema.ts"
import { parseSent, Unacceptable } from "../../core/text/json.ts"
import { mediaTypeOf } from "../../core/text/media-type.ts"
import { MEDIA_TYPE } from "../../features/code/lfs/batch.ts"

/** Refuses `unsupportedMediaType` clients that don't accept the media type of this API. */
export function requireAccept({ headers }: FastifyRequest): void {
  const types = (headers.accept ?? "").split(",").map((type) => type.split(";", 1)[0]?.trim())
  if (!types.includes(MEDIA_TYPE)) throw refuse.unsupportedMediaType(`the Accept header must name ${MEDIA_TYPE}`)
}

/** Some clients name the general type of JSON. */
const READABLE: readonly (string | undefined)[] = [MEDIA_TYPE, "application/json"]

/**
 * The record that a request carries; an empty body counts as `{}`. Refuses `unsupportedMediaType` another content type, and `invalid` what is no
 * JSON, or another record.
 */
export function readRecord<Schema extends TSchema>({ body, headers }: FastifyRequest, schema: Schema): Static<Schema> {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : ""
  if (text !== "" && !READABLE.includes(mediaTypeOf(headers["content-type"])))
    throw refuse.unsupportedMediaType(`the Content-Type header must name ${MEDIA_TYPE}`)
  const record = parse(text)
  if (!Check(schema, record)) throw refuse.invalid("body", "has another form than this interface knows")
  return record
}

function parse(text: string): unknown {
  try {
    return parseSent(text === "" ? "{}" : text)
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse.invalid("body", error instanceof Unacceptable ? error.message : "is no JSON")
    throw error
  }
}
