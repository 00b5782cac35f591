import Type, { type Static, type TObject, type TProperties, type TSchema } from "./schema.ts"

/** A named record of the API: the name under which the documents describe it. */
export const record = <P extends TProperties>(name: string, properties: P): TObject<P> => Type.Object(properties, { title: name })

/** A reference to a record by name, for records that hold records of their own kind. */
export const recordNamed = <T>(name: string) => Type.Unsafe<T>({ $ref: name })

/** A member that may be null on the wire. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** How a word of a query is read beyond its letters. */
interface WordOptions<Word extends string> {
  readonly description?: string
  readonly default?: Word
  /** What clients of other servers say for a word, in small letters. */
  readonly synonyms?: Readonly<Partial<Record<Word, readonly string[]>>>
}

/**
 * One of the given words. `formerly`, which every member of a body may have, is an older name of it: it is used if the newer one isn't
 * sent. `onlyWith`: a parameter of a query that counts only together with the one of that name.
 */
export const oneOf = <const W extends readonly string[]>(
  words: W,
  options: WordOptions<W[number]> & { readonly formerly?: string; readonly onlyWith?: string } = {},
) => Type.Unsafe<W[number]>({ type: "string", enum: [...words], ...options })

/**
 * One of the given words in a query. Others count as not sent: clients of this API send what they know of other servers, and the API's specification names no
 * words here.
 */
export const knownWord = <const W extends readonly string[]>(words: W, options: WordOptions<W[number]> = {}) =>
  Type.Unsafe<W[number]>({ type: "string", enum: [...words], lenient: true, ...options })

/** Other servers' words for a state that a list is filtered by. */
export const STATE_SYNONYMS = { open: ["opened"], closed: ["close"], all: ["any", "both"] } as const

/** A 64-bit id or count. JSON numbers hold 53 bits, which no table exceeds. */
export const int64 = (options: { readonly description?: string; readonly minimum?: number; readonly maximum?: number } = {}) =>
  Type.Integer({ format: "int64", ...options })

/** What its description says is accepted is told to who sends another text. */
interface TextOptions {
  readonly description?: string
  readonly maxLength?: number
}

/** A text of more than white space. */
export const nonBlank = (options: TextOptions = {}) =>
  Type.String({ minLength: 1, pattern: "\\S", description: "a text that is not blank", ...options })

/** The same for members that an edit leaves alone where they are empty, as some clients send all of them. */
export const nonBlankOrEmpty = (options: TextOptions = {}) =>
  Type.String({ pattern: "^$|\\S", description: "a text that is not blank; an empty one changes nothing", ...options })

/** A page's number or size in a query: one that is unreadable or out of range counts as not sent, as clients expect. */
export const pageParameter = (description: string) => Type.Optional(Type.Integer({ description, lenient: true }))

/** A query parameter that may be given several times; the values are joined by newlines. */
export const repeatedText = (options: { readonly description?: string } = {}) => Type.String({ ...options, repeated: true })

/** A value that is held against the schema of something else afterwards: nothing of it is refused or changed here. */
export const verbatim = (options: { readonly description?: string } = {}) => Type.Unsafe<unknown>({ ...options, verbatim: true })

/** The content of a file, in a body: only the bound of the whole body is its own. See bounds.ts. */
export const fileContent = (options: { readonly minLength?: number; readonly description?: string } = {}) =>
  Type.String({ ...options, fileContent: true })

/** An RFC 3339 timestamp. */
export const dateTime = (options: { readonly description?: string } = {}) => Type.String({ format: "date-time", ...options })

/** The same as `Static`, for use next to the schema's own name. */
export type Shape<S extends TSchema> = Static<S>

const EPOCH_TEXT = "1970-01-01T00:00:00Z"
let lastSecond = -1
let lastText = ""

/** A stored time as the API writes it. The entries of a list often share a second, so the last text is cached. */
export function rfc3339(seconds: number): string {
  if (seconds === 0) return EPOCH_TEXT
  if (seconds === lastSecond) return lastText
  lastText = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
  lastSecond = seconds
  return lastText
}

/** RFC 3339 with the offset of a place; `seconds` since 1970, `offset` in minutes east of UTC. */
export function localTime(seconds: number, offset: number): string {
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, -5)
  if (offset === 0) return `${local}Z`
  const minutes = Math.abs(offset)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** How a time that was never set is written where the field can't be null. */
export const NEVER = "0001-01-01T00:00:00Z"

/**
 * The seconds of an RFC 3339 timestamp that a client sent; undefined if it sent none, or the year 1, which some programs send for none. A leap
 * second counts as the second before it.
 */
export function secondsOf(moment: string | undefined): number | undefined {
  if (moment === undefined || moment.startsWith("0001-")) return undefined
  return Math.floor(Date.parse(moment.replace(/:60(?=[.zZ+-])/, ":59")) / 1000)
}
