import { expect } from "vitest"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { prepareCall } from "../examples/prepare.ts"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { send as call, exchange } from "../support/http.ts"
import { sweep } from "../support/sample.ts"
import { openCheckedWorld } from "../support/world.ts"

const ODD_PARTS = [
  "%00",
  "%ff",
  "%zz",
  "..%2f..",
  "-1",
  "0",
  "9223372036854775808",
  "1e9",
  "%F0%9F%98%80",
  "a".repeat(900),
  "'%22%3B--",
  "%25",
  "undefined",
  "__proto__",
]
/** Operations that use a database; the others are refused before. */
const ODD_PARTS_FOR_DATABASES = ["9223372036854775808", "%F0%9F%98%80", "a".repeat(900), "'%22%3B--", "%ff"]
const ODD_QUERIES = [
  "page=-1&limit=-1",
  "page=99999999999999999999&limit=99999999999999999999",
  "page=9007199254740991&limit=50",
  "page=x&limit=1.5",
  "q=%00",
  "q=%25%27%22%5C_",
  "sort=%00&order=%00&state=%00&mode=%00",
  "sort=nonsense",
  "sort=__proto__&order=constructor&mode=toString",
  "uid=-9223372036854775808&team_id=99999999999999999999&priority_owner_id=x&starredBy=-1",
  "q=a&q=b&q[]=c",
  "%=%",
  "note=%00&purge=maybe",
]
const ODD_BODIES = [
  "{",
  "[]",
  "null",
  '"x"',
  "5",
  "",
  "{}",
  '{"__proto__":{"x":1}}',
  '{"name":"a","name":"b"}',
  "[".repeat(5_000),
  "[".repeat(5_000) + "]".repeat(5_000),
  `${'{"name":'.repeat(5_000)}1${"}".repeat(5_000)}`,
]

const ODD_TEXTS = ["", " ", "\u0000", "\ud800", "a".repeat(5_000), "../../etc/passwd", "😀".repeat(200), "-", "%s%n", "\u202e\u0007"]
const ODD_NUMBERS = [-1, 0, 1e30, 9_007_199_254_740_991]
const ODD_LISTS = [[], [""], ["\u0000"], ["a".repeat(5_000)], ["😀"], ["a", "a"], [-1], [9_007_199_254_740_991]]
const ODD_TYPES = [true, 1.5, "text", [[null]], { a: { b: 1 } }]

/** Each member of a body with unusual values: those of the member's type pass the schema and reach the rules and the database. */
function oddMembers(body: object, kind: FreshKind): readonly (readonly [field: string, value: unknown])[] {
  const properties: object = "properties" in body && typeof body.properties === "object" && body.properties !== null ? body.properties : {}
  return Object.entries(properties).flatMap(([field, schema]) => {
    const fitting =
      schema.type === "string" ? ODD_TEXTS : schema.type === "integer" ? ODD_NUMBERS : schema.type === "array" ? ODD_LISTS : []
    // The schema checks types before the database is used, so one of the two is enough for them.
    return (kind === "sqlite" ? [...fitting, ...ODD_TYPES] : fitting).map((value) => [field, value] as const)
  })
}

/** The body besides the unusual member: that of the example, or only its required members for a PATCH, so that one thing is changed. */
const membersBeside = ({ method, body }: Operation, example: unknown): object => {
  const required: readonly unknown[] = body && "required" in body && Array.isArray(body.required) ? body.required : []
  const members = Object.entries(Object(example))
  return Object.fromEntries(method === "PATCH" ? members.filter(([name]) => required.includes(name)) : members)
}

/** Whether the next call needs a new subject: this one was created, deleted or renamed, or its access has changed. */
const isUsedUp = ({ method }: Operation, status: number): boolean =>
  method === "PATCH" ? [301, 307, 423].includes(status) : method !== "GET" && status < 300

/** All input, also of administrators, is accepted or refused: nothing makes the server fail. */
for (const swept of sweep(operations))
  withWorld("odd input", { open: openCheckedWorld, on: [swept.kind] }, ({ kind, test: it, world }) => {
    interface Sending {
      readonly authorization?: string | undefined
      readonly body?: string | Uint8Array<ArrayBuffer>
      readonly type?: string
    }

    const send = async (
      operation: Operation,
      path: string,
      { authorization, body, type = "application/json" }: Sending = {},
    ): Promise<number> => {
      const { status } = await exchange(`${world.hearth.url}/api/v1${path}`, {
        method: operation.method,
        headers: { ...(authorization && { authorization }), ...(body !== undefined && { "content-type": type }) },
        body: operation.method === "GET" ? undefined : body,
      })
      return status
    }

    it.each(swept.parts.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
      "%s",
      async (_name, operation) => {
        const failures: string[] = []
        let prepared = await prepareCall(world, operation)
        const attempt = async (what: string, path: string, sending: Sending = {}): Promise<void> => {
          const status = await send(operation, path, { authorization: prepared.calling.authorization, ...sending })
          if (status >= 500) failures.push(`${status} for ${what}`)
          if (isUsedUp(operation, status)) prepared = await prepareCall(world, operation)
        }
        const address = () => prepared.address

        for (const part of kind === "sqlite" ? ODD_PARTS : ODD_PARTS_FOR_DATABASES)
          if (operation.path.includes("{")) await attempt(`path ${part.slice(0, 20)}`, operation.path.replace(/\{\w+\}/g, part))
        for (const query of operation.method === "GET" ? ODD_QUERIES : ODD_QUERIES.slice(-2))
          await attempt(`query ${query}`, `${address()}?${query}`)
        if (operation.body) {
          // Invalid JSON never reaches the database, so one of the two is enough.
          for (const body of kind === "sqlite" ? ODD_BODIES : []) await attempt(`body ${body.slice(0, 20)}`, address(), { body })
          await attempt("bytes that are not UTF-8", address(), { body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) })
          await attempt("a form that says it is JSON", address(), { body: "name=x&id=1" })
          await attempt("a form", address(), { body: "name=x&id=1", type: "application/x-www-form-urlencoded" })
          await attempt("plain text", address(), { body: "x", type: "text/plain" })
          for (const [field, value] of oddMembers(operation.body, kind))
            await attempt(`${field} = ${JSON.stringify(value).slice(0, 30)}`, address(), {
              body: JSON.stringify({ ...membersBeside(operation, prepared.calling.body), [field]: value }),
            })
        }
        expect(failures).toEqual([])
        expect(world.check.mismatches()).toEqual([])
      },
    )

    it("refuses text that no database could hold", async () => {
      for (const description of ["a\u0000b", "a\ud800b"]) {
        const { status, text } = await call(world.hearth.url, "POST", "/user/repos", {
          authorization: world.root,
          body: { name: "odd", description },
        })
        expect(status).toBe(422)
        expect(text).toContain("[description]")
      }
    })

    it("answers odd methods and addresses with a refusal", async () => {
      for (const [method, path, status] of [
        ["PATCH", "/api/v1/version", 405],
        ["PROPFIND", "/api/v1/version", 405],
        ["GET", "/api/v1/%zz", 400],
        ["GET", "/api/v1/no/such/path", 404],
        ["GET", "/no-such-page/at-all/here/x", 404],
      ] as const) {
        const answer = await fetch(world.hearth.url + path, { method })
        expect([path, answer.status]).toEqual([path, status])
      }
    })

    it("refuses a body that is too large, and reads none for a stranger", async () => {
      const body = `{"name":"${"x".repeat(40 * 1024 * 1024)}"}`
      const answer = (authorization: string) =>
        fetch(`${world.hearth.url}/api/v1/user/repos`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization },
          body,
        }).then(
          (sent) => sent.status,
          () => "cut off",
        )
      expect([413, "cut off"]).toContain(await answer(world.root))
      expect([401, "cut off"]).toContain(await answer(""))
    })
  })
