/**
 * What tests have seen of the operations, for the documents of the API: one file of `assets/api/` for each kind, with a line for each operation. Tests
 * hold what they see against it; `npm run recorded` writes it anew.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { afterAll } from "vitest"
import { operations } from "../../src/operations.ts"

export interface Recording {
  /** The form of what is recorded of the operation, for a comparison; while it is written anew, that of what was seen. */
  readonly of: (id: string, seen: unknown) => unknown
  /** Operations that have a line though they are not there. */
  readonly unknown: () => readonly string[]
}

export const isRecording = process.env["UPDATE_GOLDEN"] !== undefined

/** To be called at the top of a file: what was seen is written when its tests are over. A line whose `form` is still the same stays as it is. */
export function recording(name: "events" | "examples" | "refusals", form: (seen: unknown) => unknown = (seen) => seen): Recording {
  const file = join(import.meta.dirname, "../../assets/api", `${name}.json`)
  const known = new Set(operations.map(({ id }) => id))
  const lines = new Map<string, unknown>(Object.entries(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}))
  if (isRecording)
    afterAll(() => {
      const kept = [...lines].filter(([id, seen]) => known.has(id) && seen !== undefined).toSorted(([a], [b]) => (a < b ? -1 : 1))
      writeFileSync(file, `{\n${kept.map(([id, seen]) => `${JSON.stringify(id)}: ${JSON.stringify(seen)}`).join(",\n")}\n}\n`)
    })
  return {
    of: (id, seen) => {
      if (isRecording && !isDeepStrictEqual(form(lines.get(id)), form(seen))) lines.set(id, seen)
      return form(lines.get(id))
    },
    unknown: () => [...lines.keys()].filter((id) => !isRecording && !known.has(id)),
  }
}

/** The members and types of a value: what stays the same where names, numbers and moments change from run to run. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}
