import type { FastifyRequest } from "fastify"
import { refuse } from "../../core/errors.ts"
import { Check, type Static, type TSchema } from "../../core/schema.ts"
import { MEDIA_TYPE } from "../../features/code/lfs/batch.ts"

/** Refuses `unsupportedMediaType` clients that don't accept the media type of this API. */
export function requireAccept({ headers }: FastifyRequest): void {
  const types = (headers.accept ?? "").split(",").map((type) => type.split(";", 1)[0]?.trim())
  if (!types.includes(MEDIA_TYPE)) throw refuse.unsupportedMediaType(`the Accept header must name ${MEDIA_TYPE}`)
}

/** The record that a request carries; an empty body counts as `{}`. Refuses `invalid` what is no JSON, or another record. */
export function readRecord<Schema extends TSchema>({ body }: FastifyRequest, schema: Schema): Static<Schema> {
  const record = parse(Buffer.isBuffer(body) ? body.toString("utf8") : "")
  if (!Check(schema, record)) throw refuse.invalid("body", "has another form than this interface knows")
  return record
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text)
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse.invalid("body", "is no JSON")
    throw error
  }
}
