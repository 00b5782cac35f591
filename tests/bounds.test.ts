import { describe, expect, test } from "vitest"
import { checkBody, holdsFiles, mostBytesOf } from "../src/core/bounds.ts"
import { memberOf } from "../src/core/check.ts"
import { Refusal } from "../src/core/errors.ts"
import type { TSchema } from "../src/core/schema.ts"
import { uploadFormOf } from "../src/core/upload.ts"
import { operations } from "../src/operations.ts"

/*
 * Every text, list and record that any operation takes has a bound, and a body has one as a whole. What the schemas say is followed leaf by leaf: for each a body is made
 * that has nothing but one text or list that is too long, and it has to be refused by its name.
 */

/** Bodies with the content of files, which the bound of the whole body limits, and the reason. */
const HOLD_FILES: Readonly<Record<string, string>> = {
  userUpdateAvatar: "a picture, which is refused beyond its own limit",
  orgUpdateAvatar: "a picture, which is refused beyond its own limit",
  repoUpdateAvatar: "a picture, which is refused beyond its own limit",
  repoCreateFile: "the content of a file",
  repoUpdateFile: "the content of a file",
  repoChangeFiles: "the contents of files",
  repoApplyDiffPatch: "a patch of files, which has a budget of its own",
  runBatch: "the bodies of other operations, each of which is held to its own limits",
}

const LIMITS = { textBytes: 256 * 1024, listItems: 1000 }
const LARGEST_DECLARED = 2 ** 21

type Path = readonly (string | number)[]
interface Leaf {
  readonly at: Path
  /** Whether the schema names the bound, or the one that is usual holds. */
  readonly isDeclared?: boolean
  readonly value: unknown
}

/** What is too long for each text, list and record of a schema. */
function* leavesOf(schema: unknown, at: Path = []): Generator<Leaf> {
  for (const kinds of ["anyOf", "allOf"]) {
    const all = memberOf(schema, kinds)
    if (Array.isArray(all)) for (const one of all) yield* leavesOf(one, at)
  }
  const type = memberOf(schema, "type")
  if (type === "string" && memberOf(schema, "fileContent") !== true)
    yield {
      at,
      ...bounded(memberOf(schema, "maxLength") ?? memberOf(schema, "enum"), (most) => "x".repeat(Math.max(most, LIMITS.textBytes) + 1)),
    }
  if (type === "array") {
    const items = memberOf(schema, "items")
    yield {
      at,
      ...bounded(memberOf(schema, "maxItems"), (most) =>
        Array.from({ length: Math.max(most, LIMITS.listItems) + 1 }, () => example(items)),
      ),
    }
    yield* leavesOf(items, [...at, 0])
  }
  for (const [name, member] of Object.entries(memberOf(schema, "properties") ?? {})) yield* leavesOf(member, [...at, name])
  for (const member of Object.values(memberOf(schema, "patternProperties") ?? {})) {
    yield { at, value: Object.fromEntries(Array.from({ length: LIMITS.listItems + 1 }, (_, index) => [`n${index}`, "x"])) }
    yield* leavesOf(member, [...at, "any"])
  }
  // Whatever is sent: its texts and lists have bounds all the same.
  if (type === undefined && memberOf(schema, "anyOf") === undefined && memberOf(schema, "allOf") === undefined)
    yield { at, value: "x".repeat(LIMITS.textBytes + 1) }
}

const bounded = (declared: unknown, made: (most: number) => unknown) => ({
  value: made(typeof declared === "number" ? declared : 0),
  isDeclared: declared !== undefined,
})
const example = (schema: unknown): unknown => (memberOf(schema, "type") === "integer" ? 1 : "x")

const bodyWith = ({ at, value }: Leaf): unknown =>
  at.reduceRight((inner, part) => (typeof part === "number" ? [inner] : { [part]: inner }), value)

/** The name of the field that was refused as too long. */
function refusedFor(schema: TSchema, leaf: Leaf): string {
  try {
    checkBody(schema, bodyWith(leaf), LIMITS)
    return "nothing"
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return / must have at most \d+ (bytes|entries|members)$/.test(error.message) ? (error.field ?? "") : error.message
  }
}

const declared = operations.flatMap(({ id, body }) => (body && !uploadFormOf(body) ? [{ id, body }] : []))

describe("bodies", () => {
  test("that may hold files are known, with their reasons", () => {
    expect(
      declared
        .filter(({ body }) => holdsFiles(body))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(Object.keys(HOLD_FILES).toSorted())
  })

  test("have a bound as a whole otherwise, in which the longest declared text has room", () => {
    const others = declared.filter(({ body }) => !holdsFiles(body))
    expect(others.filter(({ body }) => mostBytesOf(body, LIMITS) === undefined)).toEqual([])
    const longest = others.flatMap(({ body }) => [...leavesOf(body)].map(({ value }) => (typeof value === "string" ? value.length : 0)))
    expect(Math.max(...longest)).toBeLessThan(LARGEST_DECLARED)
  })

  test("have no text, list or record without a bound", () => {
    const unbounded = declared
      .filter(({ id }) => id !== "runBatch")
      .flatMap(({ id, body }) =>
        [...leavesOf(body)].flatMap((leaf) => {
          // The schema itself refuses it.
          if (leaf.isDeclared) return []
          const refused = refusedFor(body, leaf)
          return refused === (leaf.at.join(".") || "body") ? [] : [`${id} ${leaf.at.join(".")}: ${refused}`]
        }),
      )
    expect(unbounded).toEqual([])
  })
})
