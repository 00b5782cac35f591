import type { Operation } from "../../../core/operation.ts"
import {
  type About,
  API_PATH,
  answerTypes,
  bodyRequired,
  byPath,
  conditionHeaders,
  conditionsOf,
  mediaType,
  pagingHeaders,
  pathDescription,
  queryParameters,
  refusedAnswers,
  ruleText,
  scopesOf,
  signInWords,
  TITLE,
  tagsOf,
} from "./describe.ts"
import { limitsOf, sharesOf } from "./limits.ts"
import { generalRefusals, refusedBy } from "./refusals.ts"
import { type Dialect, isJson, type Json, type Schemas, schemas } from "./schema.ts"
import { APIError, APINotFound, successWords } from "./swagger2.ts"

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

const waiting = { "Retry-After": { description: "after how many seconds the same request may succeed", schema: { type: "integer" } } }

/** The OpenAPI 3.1 document of the operations. Throws a TypeError for records that contradict each other. */
export function openapi31(operations: readonly Operation[], about: About): Json {
  const { write, named } = schemas(dialect)
  const bodies = { error: write(APIError), missing: write(APINotFound), none: undefined }
  const paths = byPath(operations, (operation) => describe(operation, write, about, conditionsOf(operations, operation)))
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
          {
            description,
            ...(name === "tooMany" || name === "busy" ? { headers: waiting } : {}),
            ...(bodies[body] && { content: { "application/json": { schema: bodies[body] } } }),
          },
        ]),
      ),
      parameters: Object.fromEntries(
        Object.entries(conditionHeaders).map(([key, { name, description, pattern }]) => [
          key,
          { in: "header", name, required: false, description, schema: { type: "string", ...(pattern && { pattern }) } },
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
    ...(about.config && { "x-shares": sharesOf(about.config) }),
    "x-refusals": generalRefusals,
  }
}

function describe(operation: Operation, write: Schemas["write"], about: About, conditions: ReturnType<typeof conditionsOf>): Json {
  const { body, id } = operation
  const example = about.recorded?.examples[id]
  const refused = refusedBy(operation, about, conditions.refuses)
  return {
    operationId: id,
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
        ...exampleOf(example?.path, name),
      })),
      ...queryParameters(operation).map(({ name, schema, required }) => ({
        in: "query",
        name,
        required,
        ...parameter(write(schema)),
        ...exampleOf(example?.query, name),
      })),
      ...conditions.headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body
      ? { requestBody: { required: bodyRequired(operation), content: { [mediaType(body)]: content(write(body), example?.body) } } }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, schema]) => [
          status,
          {
            description: successWords(status, schema !== null),
            ...(schema
              ? {
                  content: Object.fromEntries(
                    answerTypes(schema).map((type) => [
                      type,
                      content(write(schema), String(example?.status) === status ? example?.answer : undefined),
                    ]),
                  ),
                }
              : {}),
            ...(operation.paged && status === "200" ? { headers } : {}),
          },
        ]),
      ),
      ...Object.fromEntries(
        refused.map(({ name, status, when }) => [status, { $ref: `#/components/responses/${name}`, description: when.join("; ") }]),
      ),
    },
    ...securityOf(operation),
    "x-since": operation.since,
    "x-access": ruleText(operation.rule),
    "x-access-rule": ruleOf(operation),
    "x-token-scopes": scopesOf(operation),
    "x-refusals": refused.map(({ status, kinds, when, texts }) => ({ status, kinds, when, ...(texts.length > 0 && { texts }) })),
    ...(about.recorded && operation.method !== "GET" ? { "x-events": about.recorded.events[id] ?? [] } : {}),
    ...(about.config && { "x-limits": limitsOf(operation, about.config) }),
  }
}

/** Who may call, as data. */
const ruleOf = ({ rule, basicOnly, publicOnly, archived }: Operation): Json => ({
  ...rule,
  ...(basicOnly && { basicOnly }),
  ...(publicOnly === "refused" && { publicOnly }),
  ...(archived === "refused" && { archived }),
})

/** How a request may sign in. OpenAPI 3.1 has room for what a token must carry; a password carries everything. */
function securityOf(operation: Operation): Json {
  if (operation.basicOnly) return { security: [{ BasicAuth: [] }] }
  const signedIn = [{ BasicAuth: [] }, { AuthorizationHeaderToken: scopesOf(operation) }]
  return { security: operation.rule.signIn === "optional" ? [{}, ...signedIn] : signedIn }
}

const content = (schema: Json, example: unknown): Json => ({
  schema,
  ...(example === undefined ? {} : { examples: { recorded: { value: example } } }),
})

const exampleOf = (values: Json | undefined, name: string): Json =>
  values === undefined || values[name] === undefined ? {} : { example: values[name] }

/** A parameter's description goes beside its schema. Lists repeat the name for each of their values, as `explode` has it by default. */
function parameter({ description, ...schema }: Json): Json {
  return { ...(typeof description === "string" ? { description } : {}), schema: isJson(schema) ? schema : {} }
}
