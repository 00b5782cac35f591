/** The deepest nesting of JSON and YAML that is read from others: nothing that this service knows nests a tenth as deep. */
export const MAX_DEPTH = 100

/** Well-formed JSON, but nested too deeply for functions that call themselves for each level. */
export class TooDeep extends SyntaxError {
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

/** Throws {@link TooDeep} for a value that is nested more than `depth` levels deep, or contains itself. */
export function requireShallow(value: unknown, depth = MAX_DEPTH): void {
  if (typeof value !== "object" || value === null) return
  if (depth === 0) throw new TooDeep()
  for (const member of Object.values(value)) requireShallow(member, depth - 1)
}
