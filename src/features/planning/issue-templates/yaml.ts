import { onDemand } from "../../../core/onDemand.ts"

/** YAML that somebody wrote is not what it should be; the message is for that person. */
export class Unfit extends Error {}

/** Members of a mapping. */
export type Members = Readonly<Record<string, unknown>>

/** Aliases of one text that are followed: some make a short text into a very long one. */
const MOST_ALIASES = 20

/** Reads a mapping. Throws `Unfit` for anything else, and for what is no YAML. */
export function readMapping(text: string): Members {
  let read: unknown
  try {
    read = onDemand("yaml").parse(text, { maxAliasCount: MOST_ALIASES, logLevel: "error" })
  } catch (error) {
    // Its own errors, and those of texts that are nested too deep to be read.
    throw new Unfit(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "can't be read")
  }
  if (!isMapping(read)) throw new Unfit("it is no mapping")
  return read
}

export const isMapping = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value)

/** A text; nothing where it is not given. Throws `Unfit` where it is something else. */
export function textOf(of: Members, name: string): string {
  const value = of[name]
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  throw new Unfit(`'${name}' should be a text`)
}

/** Texts in a list, or in one text with commas between them. */
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
  if (!isMapping(value)) throw new Unfit(`'${name}' should be a mapping`)
  return value
}

/** A list; an empty one where it is not given. */
export function listOf(of: Members, name: string): readonly unknown[] {
  const value = of[name] ?? []
  if (!Array.isArray(value)) throw new Unfit(`'${name}' should be a list`)
  return value
}
