/** The deepest nesting of JSON and YAML that is read from others: nothing that this service knows nests a tenth as deep. */
export const MAX_DEPTH = 100

/** Well-formed JSON that is not read all the same, with the reason as its message. */
export class Unacceptable extends SyntaxError {}

/** It is nested too deeply for functions that call themselves for each level. */
export class TooDeep extends Unacceptable {
  override readonly name = "TooDeep"

  constructor() {
    super(`it is nested more than ${MAX_DEPTH} levels deep`)
  }
}

/**
 * Parses JSON that others have written. Throws a SyntaxError for anything else, and {@link TooDeep} beyond {@link MAX_DEPTH}. `JSON.parse` itself
 * takes any depth.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // Each level takes two characters at least, so most texts need not be looked through.
  if (text.length > 2 * MAX_DEPTH) requireShallow(value)
  return value
}

/** Parses JSON that a client has sent: as `parseJson`, and {@link Unacceptable} where it has the character that no column can hold. */
export function parseSent(text: string): unknown {
  const value = parseJson(text)
  // JSON has it only behind an escape.
  if (text.includes("\\u0000") && hasNul(value)) throw new Unacceptable("it must not contain the character 0 (NUL)")
  return value
}

/** Whether a text in a value, or a name, has the NUL character. */
export const hasNul = (value: unknown): boolean =>
  typeof value === "string"
    ? value.includes("\0")
    : typeof value === "object" && value !== null && Object.entries(value).some(([name, member]) => name.includes("\0") || hasNul(member))

/** Throws {@link TooDeep} for a value that is nested more than `depth` levels deep, or contains itself. */
export function requireShallow(value: unknown, depth = MAX_DEPTH): void {
  if (typeof value !== "object" || value === null) return
  if (depth === 0) throw new TooDeep()
  for (const member of Object.values(value)) requireShallow(member, depth - 1)
}
