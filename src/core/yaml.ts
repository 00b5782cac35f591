import { onDemand } from "./program/on-demand.ts"
import { hasNul, requireShallow } from "./text/json.ts"

/** A user's YAML is not what it should be; the message is for its author. */
export class UnreadableYamlError extends Error {}

/** Members of a mapping. */
export type Members = Readonly<Record<string, unknown>>

/** The most aliases resolved in one text, because a few can expand a short text into a very long one. */
export const MOST_ALIASES = 20

/** Reads a mapping. Throws `UnreadableYamlError` for anything else, and for invalid YAML. */
export function readMapping(text: string): Members {
  let read: unknown
  try {
    read = onDemand("yaml").parse(text, { maxAliasCount: MOST_ALIASES, logLevel: "error" })
    requireStorable(read)
  } catch (error) {
    // Syntax errors, and errors for texts that are nested too deeply.
    throw new UnreadableYamlError(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "can't be read")
  }
  if (!isMapping(read)) throw new UnreadableYamlError("it is no mapping")
  return read
}

/** Throws an error for what is nested too deeply, or has a character that can't be stored. */
export function requireStorable(read: unknown): void {
  // An alias inside of what it names makes a value that contains itself.
  requireShallow(read)
  if (hasNul(read)) throw new UnreadableYamlError("it has a NUL character")
}

export const isMapping = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value)

/** A string; empty where it is not given. Throws `UnreadableYamlError` for other types. */
export function textOf(of: Members, name: string): string {
  const value = of[name]
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  throw new UnreadableYamlError(`'${name}' should be a text`)
}

/** Strings in a list, or in one string separated by commas. */
export function textsOf(of: Members, name: string): readonly string[] {
  const value = of[name]
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.map((_, index) => textOf(Object.fromEntries(value.entries()), String(index)))
  return textOf(of, name)
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
}

/** A mapping; an empty one where it is not given. */
export function mappingOf(of: Members, name: string): Members {
  const value = of[name] ?? {}
  if (!isMapping(value)) throw new UnreadableYamlError(`'${name}' should be a mapping`)
  return value
}

/** A list; an empty one where it is not given. */
export function listOf(of: Members, name: string): readonly unknown[] {
  const value = of[name] ?? []
  if (!Array.isArray(value)) throw new UnreadableYamlError(`'${name}' should be a list`)
  return value
}

/** The mapping in a text of JSON; an empty one for anything else. */
export function membersOf(json: string): Members {
  const value: unknown = JSON.parse(json)
  return isMapping(value) ? value : {}
}
