import type { Operation } from "../../../core/operation.ts"
import { record } from "../../../core/record.ts"
import Type, { type TSchema } from "../../../core/schema.ts"
import { uploadFormOf } from "../../../core/upload.ts"
import {
  type About,
  API_PATH,
  answerTypes,
  bodyRequired,
  byPath,
  mediaType,
  pagingHeaders,
  pathDescription,
  queryParameters,
  refusalsOf,
  refusedAnswers,
  ruleText,
  scopesOf,
  signInWords,
  TITLE,
  tagsOf,
} from "./describe.ts"
import { type Dialect, type Json, type Schemas, schemas } from "./schema.ts"

/** The body of every refusal but 404. */
export const APIError = record("APIError", {
  message: Type.String({ description: "what was refused and what would be accepted" }),
  url: Type.String({ format: "uri", description: "this description" }),
})

/** The body of a 404, where it has one. */
export const APINotFound = record("APINotFound", {
  errors: Type.Array(Type.String(), { description: "details, if there are any" }),
  message: Type.String({ description: "what is missing, or hidden from the caller" }),
  url: Type.String({ format: "uri", description: "this description" }),
})

/** Swagger 2.0 has neither null nor unions; clients made from it expect `x-nullable` on the schema itself. */
const dialect: Dialect = {
  keywords: new Set([
    ...["type", "format", "description", "default", "enum", "pattern", "readOnly"],
    ...[
      "multipleOf",
      "minimum",
      "maximum",
      "minLength",
      "maxLength",
      "minItems",
      "maxItems",
      "uniqueItems",
      "minProperties",
      "maxProperties",
    ],
  ]),
  refer: (name) => `#/definitions/${name}`,
  deprecated: { "x-deprecated": true },
  nullable: (schema) => ({ ...schema, "x-nullable": true }),
  onlyNull: { "x-nullable": true },
  union: (some) => {
    const [first] = some
    // Of a record and another type only one can be named.
    if (first && "$ref" in first) return first
    const [type, ...others] = new Set(some.map((schema) => schema.type))
    const words = some.map((schema) => schema.enum)
    if (type === undefined || others.length > 0) return {}
    return words.every((list) => Array.isArray(list)) ? { type, enum: words.flat() } : { type }
  },
}

/** The parameters of a path or a query can only be plain values, or lists of them. */
const PLAIN = [
  "description",
  "type",
  "format",
  "enum",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "items",
] as const
const plain = (schema: Json): Json => {
  const some = Object.fromEntries(PLAIN.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])))
  return { type: "string", ...some, ...(some.type === "array" ? { collectionFormat: "multi" } : {}) }
}

const headers = Object.fromEntries(
  Object.entries(pagingHeaders).map(([name, description]) => [name, { type: name === "Link" ? "string" : "integer", description }]),
)

/**
 * The Swagger 2.0 document of the operations. Records are under `definitions` by their own names, refusals under `responses`. Throws a TypeError for
 * records that contradict each other.
 */
export function swagger2(operations: readonly Operation[], about: About): Json {
  const { write, named } = schemas(dialect)
  const bodies = { error: write(APIError), missing: write(APINotFound), none: undefined }
  const paths = byPath(operations, (operation) => describe(operation, write, about))
  return {
    swagger: "2.0",
    info: { title: TITLE, version: about.version },
    ...place(about.rootUrl),
    consumes: ["application/json"],
    produces: ["application/json"],
    tags: tagsOf(operations).map((name) => ({ name })),
    paths,
    definitions: named(),
    responses: Object.fromEntries(
      refusedAnswers.map(({ name, description, body }) => [name, { description, ...(bodies[body] && { schema: bodies[body] }) }]),
    ),
    securityDefinitions: {
      BasicAuth: { type: "basic", description: signInWords.BasicAuth },
      AuthorizationHeaderToken: { type: "apiKey", in: "header", name: "Authorization", description: signInWords.AuthorizationHeaderToken },
      SudoHeader: { type: "apiKey", in: "header", name: "Sudo", description: signInWords.SudoHeader },
      TOTPHeader: { type: "apiKey", in: "header", name: "X-Gitea-OTP", description: signInWords.TOTPHeader },
    },
    security: [{ BasicAuth: [] }, { AuthorizationHeaderToken: [] }],
  }
}

function place(rootUrl: string | undefined): Json {
  if (rootUrl === undefined) return { basePath: API_PATH }
  const { protocol, host, pathname } = new URL(rootUrl)
  return { schemes: [protocol.slice(0, -1)], host, basePath: pathname.replace(/\/$/, "") + API_PATH }
}

function describe(operation: Operation, write: Schemas["write"], about: About): Json {
  const { body } = operation
  const answered = Object.values(operation.answers).find((schema) => schema !== null)
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(body && mediaType(body) !== "application/json" ? { consumes: [mediaType(body)] } : {}),
    ...(answered && mediaType(answered) !== "application/json" ? { produces: answerTypes(answered) } : {}),
    parameters: [
      ...operation.parameters.map(({ name, numeric }) => ({
        in: "path",
        name,
        required: true,
        description: pathDescription(name),
        ...(numeric ? { type: "integer", format: "int64" } : { type: "string" }),
      })),
      ...queryParameters(operation).map(({ name, schema, required }) => ({ in: "query", name, required, ...plain(write(schema)) })),
      ...(body ? [describeBody(operation, body, write)] : []),
    ],
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, schema]) => [
          status,
          {
            description: successWords(status, schema !== null),
            ...(schema ? { schema: write(schema) } : {}),
            ...(operation.paged && status === "200" ? { headers } : {}),
          },
        ]),
      ),
      ...Object.fromEntries(refusalsOf(operation, about).map(({ name, status }) => [status, { $ref: `#/responses/${name}` }])),
    },
    ...security(operation),
    "x-since": operation.since,
    "x-access": ruleText(operation.rule),
    "x-token-scopes": scopesOf(operation),
  }
}

function describeBody(operation: Operation, body: TSchema, write: Schemas["write"]): Json {
  const file = uploadFormOf(body)?.field
  if (file !== undefined) return { in: "formData", name: file, type: "file", required: true }
  return { in: "body", name: "body", required: bodyRequired(operation), schema: write(body) }
}

/** How a request must authenticate, where that differs from the document's default. */
function security({ rule, basicOnly }: Operation): Json {
  if (basicOnly) return { security: [{ BasicAuth: [] }] }
  return rule.signIn === "optional" ? { security: [{}, { BasicAuth: [] }, { AuthorizationHeaderToken: [] }] } : {}
}

/** The short text beside a status, which both documents need. */
export const successWords = (status: string, hasBody: boolean): string =>
  ({ "201": "created", "202": "accepted", "204": "done" })[status] ?? (hasBody ? "the answer" : "done")
