import { describe, expect, test } from "vitest"
import { pageParameter } from "../../core/record.ts"
import Type, { type TSchema } from "../../core/schema.ts"
import { operations } from "../../operations.ts"
import { readQuery } from "./input.ts"

/** Reads a query, in which other parameters that are required have a value. */
const read = (schema: Parameters<typeof readQuery>[0], query: string) => {
  const parameters = new URLSearchParams(query)
  for (const name of schema.required ?? []) if (!parameters.has(name)) parameters.set(name, "some")
  return readQuery(schema, parameters)
}

/** Parameters that any text fits by its schema, although few texts do: their refusals are those that were recorded of the reference. */
const REFUSED_ELSEWHERE = /(Runs|Jobs) status$|Jobs (sort|order)$| last_read_at$/
/** Names of parameters that take one of a few words, or a time. */
const CLOSED =
  /^(state|sort|order|type|style|since|before|until|date|status|to-status|last_read_at|status-types|subject-type|mode|visibility)$/

const parameters = operations.flatMap(({ id, query }) =>
  Object.entries(query.properties).map(([name, schema]): readonly [string, string, TSchema, typeof query] => [id, name, schema, query]),
)
const member = (schema: unknown, name: string): unknown =>
  typeof schema === "object" && schema !== null ? Object.entries(schema).find(([key]) => key === name)?.[1] : undefined
const takesAnyText = (schema: unknown): boolean =>
  member(schema, "type") === "string" && member(schema, "enum") === undefined && member(schema, "format") === undefined
const anyText = (schema: unknown) => takesAnyText(schema) || (member(schema, "type") === "array" && takesAnyText(member(schema, "items")))

describe("queries", () => {
  const isLenient = (schema: unknown): boolean => member(schema, "lenient") === true || member(member(schema, "items"), "lenient") === true
  const strict = parameters.filter(([, , schema]) => !anyText(schema) && !isLenient(schema) && member(schema, "onlyWith") === undefined)

  test("every operation refuses a value that it can't read, by the parameter's name", () => {
    expect(strict.length).toBeGreaterThan(100)
    for (const [id, name, , query] of strict)
      for (const text of ["unreadable", "1.5", "99999999999999999999", "2026-13-41"])
        expect(() => read(query, `${encodeURIComponent(name)}=${text}`), `${id} ${name}=${text}`).toThrow(`[${name}`)
  })

  test("words that the specification doesn't name are passed over where they are unknown, and taken by other names", () => {
    const lenient = parameters.filter(([, , schema]) => isLenient(schema) && !anyText(schema) && member(schema, "type") !== "integer")
    expect(lenient.length).toBeGreaterThan(16)
    for (const [id, name, schema, query] of lenient) {
      const seen = member(read(query, `${encodeURIComponent(name)}=unreadable`), name)
      expect([undefined, []], `${id} ${name}`).toContainEqual(seen)
      const of = member(schema, "items") ?? schema
      for (const [word, synonyms] of Object.entries<readonly string[]>(Object(member(of, "synonyms")))) {
        expect(member(of, "enum"), `${id} ${name}`).toContain(word)
        for (const synonym of synonyms) {
          const taken = member(read(query, `${encodeURIComponent(name)}=${synonym.toUpperCase()}`), name)
          expect([taken].flat(), `${id} ${name}=${synonym}`).toEqual([word])
        }
      }
    }
  })

  test("what gitea-mcp and other clients send is taken, and refused only where the specification names the words", () => {
    const queryOf = (id: string) => operations.find((operation) => operation.id === id)?.query ?? Type.Object({})
    for (const [id, sent, taken] of [
      ["repoListPullRequests", "sort=newest", { sort: "newest" }],
      ["repoListPullRequests", "sort=Created&state=merged", { sort: "newest" }],
      ["issueListIssues", "state=any&type=pull_requests", { state: "all", type: "pulls" }],
      ["issueSearchIssues", "type=all&state=opened", { state: "open" }],
      ["issueGetMilestonesList", "state=overdue", {}],
      ["repoSearch", "order=sideways", {}],
      ["repoSearch", "order=descending&sort=id", { sort: "id", order: "desc" }],
      ["notifyGetList", "status-types=unread&status-types=done&subject-type=pr", { "status-types": ["unread"], "subject-type": ["pull"] }],
      ["repoListStatuses", "sort=newest&state=unknown", { sort: "newest" }],
      ["repoListReleases", "pre-release=maybe", {}],
      ["GetTree", "recursive=always", {}],
      ["listPackages", "type=all", {}],
    ] as const)
      expect([id, read(queryOf(id), sent)]).toEqual([id, taken])
    for (const [id, sent] of [
      ["notifyGetRepoList", "status-types=done"],
      ["notifyGetRepoList", "subject-type=release"],
      ["adminListHooks", "type=some"],
      ["repoSearch", "order=sideways&sort=id"],
    ] as const)
      expect(() => read(queryOf(id), sent), `${id} ${sent}`).toThrow("must be one of")
  })

  test("every operation takes an empty value as not sent", () => {
    // What needs something else in its query says so first.
    for (const [id, name, , query] of strict.filter(([, , , query]) => member(query, "required") === undefined)) {
      const empty = read(query, `${encodeURIComponent(name)}=`)
      expect([undefined, []], `${id} ${name}`).toContainEqual(member(empty, name))
    }
  })

  test("no words or times are declared as texts", () => {
    const open = parameters.flatMap(([id, name, schema]) => (CLOSED.test(name) && anyText(schema) ? [`${id} ${name}`] : []))
    expect(open.filter((one) => !REFUSED_ELSEWHERE.test(one))).toEqual([])
  })

  test("pages are never refused", () => {
    const query = Type.Object({ page: pageParameter("page") })
    for (const text of ["x", "", "-1", "1.5", "99999999999999999999"]) expect(() => read(query, `page=${text}`), text).not.toThrow()
    expect(read(query, "page=3")).toEqual({ page: 3 })
  })

  const query = Type.Object({
    flag: Type.Optional(Type.Boolean()),
    number: Type.Optional(Type.Integer()),
    word: Type.Optional(Type.Unsafe<string>({ type: "string", enum: ["open", "Closed"] })),
    words: Type.Optional(Type.Array(Type.Unsafe<string>({ type: "string", enum: ["a", "b"] }))),
    numbers: Type.Optional(Type.Array(Type.Integer())),
    since: Type.Optional(Type.String({ format: "date-time" })),
    text: Type.Optional(Type.String()),
  })
  test.each([
    ["flag=1&number=-3", { flag: true, number: -3 }],
    ["flag=On&number=%2B07", { flag: true, number: 7 }],
    ["flag=F", { flag: false }],
    ["flag=off", { flag: false }],
    ["word=OPEN", { word: "open" }],
    ["word=closed", { word: "Closed" }],
    ["words=A&words=&words=b", { words: ["a", "b"] }],
    ["numbers=1&numbers=2&numbers=", { numbers: [1, 2] }],
    ["since=2026-01-31T12:00:00%2B02:00", { since: "2026-01-31T12:00:00+02:00" }],
    ["text=", { text: "" }],
    ["other=1", {}],
  ])("%s is read", (text, values) => expect(read(query, text)).toEqual(values))

  test.each([
    ["flag=perhaps", "[flag]"],
    ["number=0x1", "[number]"],
    ["word=shut", "[word]: must be one of open, Closed"],
    ["words=a&words=c", "[words.1]: must be one of a, b"],
    ["numbers=1&numbers=one", "[numbers.1]"],
    ["since=yesterday", "[since]: must be a moment such as 2026-01-31T12:00:00Z"],
    ["since=2026-02-30T12:00:00Z", "[since]"],
    ["text=%00", "[text]"],
  ])("%s is refused", (text, message) => expect(() => read(query, text)).toThrow(message))
})
