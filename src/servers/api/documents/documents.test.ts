import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { access, never, sample } from "../../../../tests/contract/sample.ts"
import { loadConfig } from "../../../core/config.ts"
import { catalogue } from "../../../core/errors.ts"
import { operation } from "../../../core/operation.ts"
import { int64, nullable, record, recordNamed } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { operations } from "../../../operations.ts"
import { ruleText } from "./describe.ts"
import { openapi31 } from "./openapi31.ts"
import { apiPage } from "./page.ts"
import { PAGE_SOURCES, SCRIPT, STYLE } from "./page-assets.ts"
import { type Recorded, readRecorded } from "./recorded.ts"
import { isJson, type Json } from "./schema.ts"
import { swagger2 } from "./swagger2.ts"

const about = { version: "1.2.3", rootUrl: "https://code.example.org/forge" }
/** Every object inside a document, the document included. */
function objects(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(objects)
  return isJson(value) ? [value, ...Object.values(value).flatMap(objects)] : []
}
const at = (document: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isJson(value) ? value[key] : undefined), document)
const operationsOf = (document: Json): readonly { readonly path: string; readonly operation: Json }[] =>
  Object.entries(isJson(document.paths) ? document.paths : {}).flatMap(([path, methods]) =>
    Object.values(isJson(methods) ? methods : {}).flatMap((one) => (isJson(one) ? [{ path, operation: one }] : [])),
  )
const parametersOf = (one: Json): readonly Json[] => (Array.isArray(one.parameters) ? one.parameters.filter(isJson) : [])

describe.each([
  ["Swagger 2.0", swagger2(sample, about)],
  ["OpenAPI 3.1", openapi31(sample, about)],
])("%s", (version, document) => {
  const isNew = version === "OpenAPI 3.1"

  it("resolves every reference inside itself", () => {
    const references = objects(document).flatMap((one) => (typeof one.$ref === "string" ? [one.$ref] : []))
    expect(references.length).toBeGreaterThan(20)
    for (const reference of references) expect(at(document, ...reference.replace("#/", "").split("/")), reference).toBeTypeOf("object")
  })

  it("declares every parameter of every path, and no other", () => {
    for (const { path, operation: one } of operationsOf(document)) {
      const declared = parametersOf(one).filter((parameter) => parameter.in === "path")
      expect(declared.map(({ name }) => name).sort(), path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort())
      expect(declared.every(({ required }) => required === true)).toBe(true)
    }
  })

  it("gives every operation a name of its own, an answer and a description of each", () => {
    const all = operationsOf(document).map(({ operation: one }) => one)
    expect(all.map(({ operationId }) => operationId).sort()).toEqual(sample.map(({ id }) => id).sort())
    for (const one of all) {
      const responses = Object.values(isJson(one.responses) ? one.responses : {})
      expect(responses.length).toBeGreaterThan(0)
      for (const response of responses) expect(at(response, "description") ?? at(response, "$ref")).toBeTypeOf("string")
    }
  })

  it("holds only what JSON can carry, and none of our own keywords", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    for (const one of objects(document)) expect(Object.keys(one)).not.toContain("documentedAs")
  })

  it("describes refusals by what the operation declares and what follows from it", () => {
    const statuses = (path: string, method: string) => Object.keys(Object(at(document, "paths", path, method, "responses")))
    expect(statuses("/admin/users/{username}", "patch")).toEqual([...["200", "400", "401", "403", "404"], ...(isNew ? ["409"] : []), "422"])
    expect(statuses("/repos/{owner}/{repo}/subscription", "put")).toEqual([
      ...["200", "401", "403", "404"],
      ...(isNew ? ["409", "422"] : []),
      "423",
    ])
    expect(statuses("/repos/{owner}/{repo}", "get")).toEqual(["200", "403", "404"])
    expect(statuses("/signing-key.gpg", "get")).toEqual(["200"])
  })
})

describe("swagger2", () => {
  const document = swagger2(sample, about)

  it("uses nothing that Swagger 2.0 doesn't know", () => {
    for (const schema of objects(document.definitions)) {
      for (const keyword of ["anyOf", "oneOf", "const", "patternProperties", "propertyNames", "examples"])
        expect(schema).not.toHaveProperty(keyword)
      expect(Array.isArray(schema.type)).toBe(false)
    }
  })

  it("agrees with the contract wherever both describe an operation", () => {
    const folder = mkdtempSync(join(tmpdir(), "hearth-documents-"))
    try {
      const file = join(folder, "swagger.json")
      writeFileSync(file, JSON.stringify(document))
      const script = join(import.meta.dirname, "../../../../tests/contract/contract.mjs")
      const said = execFileSync(process.execPath, [script, file, "--all"], { encoding: "utf8" })
      expect(said).toBe(`contract: ${sample.length} of 531 operations there, ${sample.length} agree\n`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("says of a small operation exactly this", () => {
    const Kettle = record("Kettle", { id: int64(), owner: nullable(Type.String()), inside: Type.Optional(recordNamed("Kettle")) })
    const boil = operation({
      id: "boilKettle",
      route: "POST /kettles/{id}/boil",
      summary: "Boil a kettle",
      tag: "kettle",
      scope: ["misc"],
      access: access("site", "signIn"),
      query: { with: Type.Optional(Type.Array(Type.String({ description: "what goes in" }))) },
      body: record("BoilOption", { degrees: Type.Integer({ minimum: 1, maximum: 100 }) }),
      answers: { 200: Type.Array(Kettle) },
      refuses: ["conflict"],
      handle: never,
    })
    const small = swagger2([boil], { version: "1.0.0" })
    expect(small.basePath).toBe("/api/v1")
    expect(small.paths).toEqual({
      "/kettles/{id}/boil": {
        post: {
          operationId: "boilKettle",
          tags: ["kettle"],
          summary: "Boil a kettle",
          parameters: [
            { in: "path", name: "id", required: true, description: "id", type: "integer", format: "int64" },
            {
              in: "query",
              name: "with",
              required: false,
              type: "array",
              items: { type: "string", description: "what goes in" },
              collectionFormat: "multi",
            },
            { in: "body", name: "body", required: true, schema: { $ref: "#/definitions/BoilOption" } },
          ],
          responses: {
            200: { description: "the answer", schema: { type: "array", items: { $ref: "#/definitions/Kettle" } } },
            401: { $ref: "#/responses/unauthenticated" },
            403: { $ref: "#/responses/forbidden" },
            409: { $ref: "#/responses/conflict" },
            422: { $ref: "#/responses/invalid" },
          },
          "x-since": "0.1.0",
          "x-access": "Signed-in users",
          "x-token-scopes": ["write:misc"],
        },
      },
    })
    expect(small.definitions).toEqual({
      APIError: {
        type: "object",
        properties: {
          message: { type: "string", description: "what was refused and what would be accepted" },
          url: { type: "string", format: "uri", description: "this description" },
        },
        required: ["message", "url"],
      },
      APINotFound: {
        type: "object",
        properties: {
          errors: { type: "array", items: { type: "string" }, description: "details, if there are any" },
          message: { type: "string", description: "what is missing, or hidden from the caller" },
          url: { type: "string", format: "uri", description: "this description" },
        },
        required: ["errors", "message", "url"],
      },
      BoilOption: { type: "object", properties: { degrees: { type: "integer", minimum: 1, maximum: 100 } }, required: ["degrees"] },
      Kettle: {
        type: "object",
        properties: {
          id: { type: "integer", format: "int64" },
          owner: { type: "string", "x-nullable": true },
          inside: { $ref: "#/definitions/Kettle" },
        },
        required: ["id", "owner"],
      },
    })
  })

  it("names the place from the root address", () => {
    expect(document).toMatchObject({ schemes: ["https"], host: "code.example.org", basePath: "/forge/api/v1" })
  })

  it("describes every kind of refusal, 404 with and without a body", () => {
    const responses = Object.entries(Object(document.responses))
    expect(responses.length).toBe(new Set(Object.values(catalogue).map(({ status }) => status)).size + 1)
    for (const [name, response] of responses) expect(at(response, "schema") === undefined, name).toBe(name === "notFound")
  })

  it("refuses two records of one name, and an unknown record", () => {
    const get = (id: string, schema: ReturnType<typeof record>) =>
      operation({
        id,
        route: `GET /${id}`,
        summary: id,
        tag: "kettle",
        scope: [],
        access: access("site", "nothing", "optional"),
        answers: { 200: schema },
        handle: never,
      })
    const one = record("Kettle", { id: int64() })
    expect(() => swagger2([get("a", one), get("b", record("Kettle", { id: int64() }))], about)).not.toThrow()
    expect(() => swagger2([get("a", one), get("b", record("Kettle", { name: Type.String() }))], about)).toThrow(
      "two records are called Kettle",
    )
    expect(() => swagger2([get("a", record("Stove", { kettle: recordNamed("Kettle") }))], about)).toThrow(
      "no operation brings the record Kettle",
    )
  })
})

describe("openapi31", () => {
  const document = openapi31(sample, about)

  it("writes null as a type, or as a branch beside a reference", () => {
    expect(at(document, "components", "schemas", "Team", "properties", "units")).toMatchObject({ type: ["array", "null"] })
    expect(at(document, "components", "schemas", "Team", "properties", "organization")).toEqual({
      anyOf: [{ $ref: "#/components/schemas/Organization" }, { type: "null" }],
    })
    expect(at(document, "components", "schemas", "WatchInfo", "properties", "reason")).toMatchObject({ type: "null" })
  })

  it("says under which conditions a write may be sent, with what refuses it", () => {
    const kettle = (id: string, method: "GET" | "PATCH" | "POST") =>
      operation({
        ...{ id, route: `${method} /kettles/{id}`, summary: id, tag: "kettle", scope: [], access: access("site", "nothing", "optional") },
        answers: { 200: record("Kettle", { id: int64() }) },
        handle: never,
      })
    const small = openapi31([kettle("get", "GET"), kettle("edit", "PATCH"), kettle("boil", "POST")], about)
    const one = (method: string) => Object(at(small, "paths", "/kettles/{id}", method))
    const said = (method: string) => [parametersOf(one(method)).flatMap(({ $ref }) => $ref ?? []), Object.keys(one(method).responses)]
    const [key, match] = ["#/components/parameters/IdempotencyKey", "#/components/parameters/IfMatch"]
    expect(said("get")).toEqual([[], ["200"]])
    expect(said("patch")).toEqual([
      [key, match],
      ["200", "409", "412", "422"],
    ])
    expect(said("post")).toEqual([[key], ["200", "409", "422"]])
    expect(at(small, "components", "parameters", "IfMatch", "name")).toBe("If-Match")
  })

  it("answers texts as text, and asks for no sign-in where none is needed", () => {
    const get = at(document, "paths", "/signing-key.gpg", "get")
    expect(Object.keys(Object(at(get, "responses", "200", "content")))).toEqual(["text/plain"])
    expect(at(get, "security")).toEqual([{}, { BasicAuth: [] }, { AuthorizationHeaderToken: [] }])
    expect(at(document, "paths", "/users/{username}/tokens", "post", "security")).toEqual([{ BasicAuth: [] }])
  })
})

describe("what is told beside the contract", () => {
  const recorded: Recorded = {
    examples: { boilKettle: { path: { id: 3 }, body: { degrees: 80 }, status: 200, answer: { warm: true } } },
    events: { boilKettle: ["kettle.boiled"] },
    refusals: { boilKettle: { 409: ["kettle … is empty"] } },
  }
  const boil = operation({
    id: "boilKettle",
    route: "POST /kettles/{id}/boil",
    summary: "Boil a kettle",
    tag: "kettle",
    scope: ["misc"],
    access: access("repository", "administrator"),
    archived: "refused",
    body: record("BoilOption", { degrees: Type.Integer({ minimum: 1, maximum: 100 }) }),
    answers: { 200: record("Boiled", { warm: Type.Boolean() }) },
    refuses: ["conflict"],
    handle: never,
  })
  const { config } = loadConfig({ env: {}, file: false })
  const told = at(openapi31([boil], { version: "1.0.0", config, recorded }), "paths", "/kettles/{id}/boil", "post")

  it("says who may call, in words and as data, and what a token needs where OpenAPI has room for it", () => {
    expect(told).toMatchObject({
      security: [{ BasicAuth: [] }, { AuthorizationHeaderToken: ["write:misc"] }],
      "x-access": "Administrators of the repository",
      "x-access-rule": { subject: "repository", needs: "administrator", signIn: "required", archived: "refused" },
    })
  })

  it("says when it is refused, and with which texts", () => {
    expect(at(told, "x-refusals")).toEqual([
      { status: 401, kinds: ["unauthenticated"], when: ["nobody is signed in"] },
      {
        status: 403,
        kinds: ["forbidden"],
        when: ["the caller is none of these: Administrators of the repository", "a token lacks write:misc"],
      },
      { status: 404, kinds: ["notFound"], when: ["the repository is missing, or hidden from the caller"] },
      {
        status: 409,
        kinds: ["conflict"],
        when: [catalogue.conflict.title, "another request with the same Idempotency-Key has no answer yet"],
        texts: ["kettle … is empty"],
      },
      { status: 422, kinds: ["invalid"], when: ["the body doesn’t fit its schema", "the Idempotency-Key was sent with another request"] },
      { status: 423, kinds: ["archived"], when: ["the repository is archived"] },
    ])
    expect(at(told, "responses", "423")).toEqual({ $ref: "#/components/responses/archived", description: "the repository is archived" })
  })

  it("tells limits, events and the recorded example, on the page too", () => {
    expect(told).toMatchObject({
      "x-limits": { bodyBytes: 4_194_304, textBytes: 262_144, listItems: 1_000 },
      "x-events": ["kettle.boiled"],
      parameters: [{ name: "id", example: 3 }, { $ref: "#/components/parameters/IdempotencyKey" }],
      requestBody: { content: { "application/json": { examples: { recorded: { value: { degrees: 80 } } } } } },
      responses: { 200: { content: { "application/json": { examples: { recorded: { value: { warm: true } } } } } } },
    })
    const page = apiPage([boil], { version: "1.0.0", config, recorded })
    for (const words of [
      "kettle.boiled",
      "“kettle … is empty”",
      "at most 4,194,304 bytes",
      "/kettles/3/boil",
      "{&quot;degrees&quot;:80}",
      "&quot;warm&quot;: true",
    ])
      expect(page).toContain(words)
  })

  it("is recorded of every operation of the API, and small enough to be loaded", async () => {
    const all = await readRecorded()
    expect(operations.filter(({ id }) => !(id in all.examples)).map(({ id }) => id)).toEqual([])
    expect(JSON.stringify(all).length).toBeLessThan(700_000)
  })
})

describe("apiPage", () => {
  const page = apiPage(sample, { ...about, nonce: 'n0n"ce' })

  it("holds every operation once and every record that is linked to", () => {
    for (const { id } of sample) expect(page.split(`id="${id}"`).length, id).toBe(2)
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const [, target = ""] of page.matchAll(/href="#([\w-]+)"/g)) expect(ids, target).toContain(target)
  })

  it("brings everything along, and runs nothing without the nonce", () => {
    expect(page).not.toMatch(/ (src|style|on\w+)=/)
    expect(page).not.toMatch(/<link|@import|url\(/)
    for (const tag of page.match(/<(script|style)[^>]*>/g) ?? []) expect(tag).toContain('nonce="n0n&quot;ce"')
  })

  it("opens what it closes, in order", () => {
    const alone = new Set(["meta", "input", "wbr", "!doctype"])
    const open: string[] = []
    for (const [, slash, name = ""] of page.replace(/<(style|script)[\s\S]*?<\/\1>/g, "").matchAll(/<(\/?)([!\w]+)[^>]*>/g)) {
      if (alone.has(name)) continue
      if (slash) expect(open.pop()).toBe(name)
      else open.push(name)
    }
    expect(open).toEqual([])
  })

  it("escapes what it is given, and breaks paths only after slashes", () => {
    expect(page).toContain("words &lt;to&gt; find")
    expect(page).toContain("/<wbr>repos/<wbr><i>{owner}</i>/<wbr><i>{repo}</i></code>")
  })

  it("says who may call, what a token needs, and how to", () => {
    const one = page.slice(page.indexOf('id="orgCreateTeam"'), page.indexOf('id="orgEditTeam"'))
    expect(one).toContain("Owners of the organisation")
    expect(one).toContain("write:organization")
    expect(one).toContain("https://code.example.org/forge/api/v1/orgs/$ORG/teams")
    expect(one).toContain("{&quot;name&quot;:&quot;example&quot;}")
    expect(one).toContain("at most 255 characters")
    expect(page.slice(page.indexOf('id="teamSearch"'))).toContain('<code>data</code> (list of <a href="#record-Team">Team</a>)')
  })

  it("is the same for all callers without a nonce, under a policy that names its script and style", () => {
    const plain = apiPage(sample, about)
    expect(plain).toContain(`<script>${SCRIPT}</script>`)
    expect(plain).toContain(`<style>${STYLE}</style>`)
    expect(PAGE_SOURCES.script).toBe(`'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`)
  })
})

describe("inWords", () => {
  it("says rules in words, and names those that have none", () => {
    expect(ruleText({ subject: "site", needs: "nothing", signIn: "optional" })).toBe("Anybody")
    expect(ruleText({ subject: "repository", needs: "code:write", signIn: "required" })).toBe(
      "Anyone who may write to the repository’s code and has signed in",
    )
    expect(ruleText({ subject: "team", needs: "reach", signIn: "optional" })).toBe("team: reach")
  })
})
