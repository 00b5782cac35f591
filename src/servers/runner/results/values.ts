import { refuse } from "../../../core/errors.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** Values as protobuf's JSON writes them. */

/** A text or number that may be missing: bare, or in the record of a wrapper. */
export const Wrapped = Type.Optional(
  Type.Union([Type.Null(), Type.String(), Type.Number(), Type.Object({ value: Type.Union([Type.String(), Type.Number()]) })]),
)

/** The text of it. */
export function textIn(given: Static<typeof Wrapped> | undefined): string | undefined {
  if (given === undefined || given === null) return undefined
  return String(typeof given === "object" ? given.value : given)
}

/** A 64-bit count: digits, since numbers of JSON can't hold it. */
export const Count = Type.Union([Type.String(), Type.Number()])

/** The number of it. Refuses `invalid` what is none. */
export function digitsOf(given: Static<typeof Count>): number {
  const text = String(given)
  if (!/^\d{1,15}$/.test(text)) throw refuse.invalid("size", "must be a number of bytes")
  return Number(text)
}

/** The seconds of a time in RFC 3339. Refuses `invalid` what is none. */
export function readTime(given: string | null | undefined): number | undefined {
  if (given === undefined || given === null || given === "") return undefined
  const ms = Date.parse(given)
  if (Number.isNaN(ms)) throw refuse.invalid("expires_at", "must be a time in RFC 3339")
  return Math.floor(ms / 1000)
}
