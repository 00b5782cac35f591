import Type, { Check, type Static, type TSchema } from "./schema.ts"

/**
 * One setting: what it accepts, its default, and how its value is read from and written as text. Environment, file and options are
 * read by the same function, so that all of them accept the same words.
 */
export interface Setting<T> {
  readonly setting: true
  /** Completes the sentence "Give …". */
  readonly accepts: string
  readonly fallback: T
  readonly description: string
  /** True where the value must not be repeated in messages. */
  readonly secret: boolean
  /** The value that a text stands for, or undefined for a text that is not accepted. */
  read(text: string): T | undefined
  /** The value as it may be shown: secrets are hidden, all other values can be read back. */
  write(value: T): string
}

export const isSetting = (value: unknown): value is Setting<unknown> => typeof value === "object" && value !== null && "setting" in value

/** Shown in place of a secret that is set. */
export const HIDDEN = "***"

/** Any text; with `pattern`, only text that matches it, which `accepts` describes. */
export function text(fallback: string, description: string, { accepts = "a text", pattern = /^/ } = {}): Setting<string> {
  const read = (given: string) => (pattern.test(given) ? given : undefined)
  return { setting: true, accepts, fallback, description, secret: false, read, write: (value) => value }
}

/** A text that is never shown; "" when it is not set. */
export function secretText(description: string, { accepts = "a text", pattern = /^/ } = {}): Setting<string> {
  return { ...text("", description, { accepts, pattern }), secret: true, write: (value) => (value === "" ? "" : HIDDEN) }
}

/** The path of a file or folder. `loadConfig` resolves relative ones. */
export function path(fallback: string, description: string): Setting<string> {
  return text(fallback, description, { accepts: "a path", pattern: /^[^\0]+$/ })
}

/** A URL that may contain a password, which is hidden when it is shown. */
export function address(description: string, schemes: RegExp, accepts: string): Setting<string> {
  const setting = text("", description, { accepts, pattern: schemes })
  const write = (value: string) =>
    value.replace(/^(\w+:\/\/[^:@/]*):[^/]*@/, `$1:${HIDDEN}@`).replace(/([?&]password=)[^&]*/, `$1${HIDDEN}`)
  return { ...setting, secret: true, write }
}

/** A whole number in a range. */
export function integer(fallback: number, description: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Setting<number> {
  const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of at least ${min}`
  const read = (given: string) => within(/^-?\d{1,16}$/.test(given) ? Number(given) : Number.NaN, min, max)
  return { setting: true, accepts: `a whole number ${range}`, fallback, description, secret: false, read, write: String }
}

/** Yes or no. */
export function yesOrNo(fallback: boolean, description: string): Setting<boolean> {
  const read = (given: string) => (/^(true|yes|on|1)$/i.test(given) ? true : /^(false|no|off|0)$/i.test(given) ? false : undefined)
  return { setting: true, accepts: "true or false", fallback, description, secret: false, read, write: String }
}

/** A list of records: in a file an array of tables, elsewhere JSON. `hides` names the members that are never shown. */
export function records<S extends TSchema>(
  schema: S,
  description: string,
  { accepts, hides }: { readonly accepts: string; readonly hides: readonly string[] },
): Setting<readonly Static<S>[]> {
  const list = Type.Array(schema)
  const read = (given: string): readonly Static<S>[] | undefined => {
    try {
      const value: unknown = given === "" ? [] : JSON.parse(given)
      return Check(list, value) ? value : undefined
    } catch {
      return undefined
    }
  }
  const write = (value: readonly Static<S>[]) =>
    value.length === 0 ? "" : JSON.stringify(value, (name, member: unknown) => (hides.includes(name) && member !== "" ? HIDDEN : member))
  return { setting: true, accepts, fallback: [], description, secret: true, read, write }
}

/** One of the given words. */
export function choice<const W extends readonly string[]>(words: W, fallback: W[number], description: string): Setting<W[number]> {
  const read = (given: string): W[number] | undefined => words.find((word) => word === given)
  return { setting: true, accepts: `one of ${words.join(", ")}`, fallback, description, secret: false, read, write: (value) => value }
}

const SECONDS = { d: 86_400, h: 3_600, m: 60, s: 1 }
const BYTES = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 }

/** A length of time in whole seconds, at least `min`. */
export function duration(fallback: number, description: string, { min = 0 } = {}): Setting<number> {
  const accepts = `a length of time such as 30s, 10m, 8h or 1h30m, of at least ${inUnits(min, SECONDS, "s")}`
  const read = (given: string) => within(fromUnits(given, /(\d+)([dhms])/y, SECONDS), min)
  return { setting: true, accepts, fallback, description, secret: false, read, write: (value) => inUnits(value, SECONDS, "s") }
}

/** A size in bytes. */
export function size(fallback: number, description: string): Setting<number> {
  const read = (given: string) => within(fromUnits(given, /(\d+)([KMG]iB)/y, BYTES), 0)
  const write = (value: number) => inUnits(value, BYTES, "")
  return { setting: true, accepts: "a size such as 500000, 512KiB, 32MiB or 8GiB", fallback, description, secret: false, read, write }
}

const within = (value: number, min: number, max = Number.MAX_SAFE_INTEGER) => (value >= min && value <= max ? value : undefined)

type Units = Readonly<Record<string, number>>

/** Adds up the parts of a text such as "1h30m"; a bare number counts in the base unit. NaN for anything else. */
function fromUnits(given: string, part: RegExp, units: Units): number {
  if (/^\d+$/.test(given)) return Number(given)
  const parts = [...given.matchAll(new RegExp(part.source, "g"))]
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== given) return Number.NaN
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? Number.NaN), 0)
}

/** The value in the largest unit that divides it. */
function inUnits(value: number, units: Units, base: string): string {
  const [unit = base, factor = 1] = Object.entries(units).find(([, each]) => value > 0 && value % each === 0) ?? []
  return `${value / factor}${unit}`
}
