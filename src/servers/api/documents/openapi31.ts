import type { Operation } from "../../../core/operation.ts"
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
import { type Dialect, isJson, type Json, type Schemas, schemas } from "./schema.ts"
import { APIError, APINotFound, security, successWords } from "./swagger2.ts"

/** OpenAPI 3.1 takes JSON Schema as it is. */
const dialect: Dialect = {
  keywords: new Set([
    ...["type", "format", "description", "default", "enum", "const", "pattern", "readOnly", "writeOnly", "examples", "propertyNames"],
    ...["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"],
    ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
  ]),
  refer: (name) => `#/components/schemas/${name}`,
  deprecated: { deprecated: true },
  nullable: (schema) => {
    const { type, enum: words } = schema
    if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] }
    return { ...schema, type: [type, "null"], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) }
  },
  onlyNull: { type: "null" },
  union: (some) => ({ anyOf: some }),
}

const headers = Object.fromEntries(
  Object.entries(pagingHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: name === "Link" ? "string" : "integer" } },
  ]),
)

/** The OpenAPI 3.1 document of the operations. Throws a TypeError for records that contradict each other. */
export function openapi31(operations: readonly Operation[], about: About): Json {
  const { write, named } = schemas(dialect)
  const bodies = { error: write(APIError), missing: write(APINotFound), none: undefined }
  const paths = byPath(operations, (operation) => describe(operation, write, about))
  return {
    openapi: "3.1.0",
    info: { title: TITLE, version: about.version },
    servers: [{ url: (about.rootUrl ?? "") + API_PATH }],
    tags: tagsOf(operations).map((name) => ({ name })),
    paths,
    components: {
      schemas: named(),
      responses: Object.fromEntries(
        refusedAnswers.map(({ name, description, body }) => [
          name,
          { description, ...(bodies[body] && { content: { "application/json": { schema: bodies[body] } } }) },
        ]),
      ),
      securitySchemes: {
        BasicAuth: { type: "http", scheme: "basic", description: signInWords.BasicAuth },
        AuthorizationHeaderToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: signInWords.AuthorizationHeaderToken,
        },
        SudoHeader: { type: "apiKey", in: "header", name: "Sudo", description: signInWords.SudoHeader },
        TOTPHeader: { type: "apiKey", in: "header", name: "X-Gitea-OTP", description: signInWords.TOTPHeader },
      },
    },
    security: [{ BasicAuth: [] }, { AuthorizationHeaderToken: [] }],
  }
}

function describe(operation: Operation, write: Schemas["write"], about: About): Json {
  const { body } = operation
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    parameters: [
      ...operation.parameters.map(({ name, numeric }) => ({
        in: "path",
        name,
        required: true,
        description: pathDescription(name),
        schema: numeric ? { type: "integer", format: "int64" } : { type: "string" },
      })),
      ...queryParameters(operation).map(({ name, schema, required }) => ({ in: "query", name, required, ...parameter(write(schema)) })),
    ],
    ...(body ? { requestBody: { required: bodyRequired(operation), content: { [mediaType(body)]: { schema: write(body) } } } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, schema]) => [
          status,
          {
            description: successWords(status, schema !== null),
            ...(schema ? { content: Object.fromEntries(answerTypes(schema).map((type) => [type, { schema: write(schema) }])) } : {}),
            ...(operation.paged && status === "200" ? { headers } : {}),
          },
        ]),
      ),
      ...Object.fromEntries(refusalsOf(operation, about).map(({ name, status }) => [status, { $ref: `#/components/responses/${name}` }])),
    },
    ...security(operation),
    "x-since": operation.since,
    "x-access": ruleText(operation.rule),
    "x-token-scopes": scopesOf(operation),
  }
}

/** A parameter's description goes beside its schema. Lists repeat the name for each of their values, as `explode` has it by default. */
function parameter({ description, ...schema }: Json): Json {
  return { ...(typeof description === "string" ? { description } : {}), schema: isJson(schema) ? schema : {} }
}
