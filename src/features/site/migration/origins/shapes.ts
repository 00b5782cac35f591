import Type, { type Static } from "../../../../core/schema.ts"
import type { Person } from "./model.ts"

/** Members of answers, which other servers may leave out or send as null. */

export const NONE = Type.Null()
export const text = Type.Optional(Type.Union([Type.String(), NONE]))
export const number = Type.Optional(Type.Union([Type.Integer(), NONE]))
export const truth = Type.Optional(Type.Union([Type.Boolean(), NONE]))
/** How many reactions there are, in GitHub's words. */
export const counted = Type.Optional(Type.Union([Type.Object({ total_count: number }), NONE]))
export const person = Type.Object({ id: number, login: text, full_name: text, name: text })
export const author = Type.Optional(Type.Union([person, NONE]))

export const personOf = ({ id, login, full_name, name }: Static<typeof person>): Person => ({
  key: id && id > 0 ? String(id) : "",
  login: login ?? "",
  ...((full_name || name) && { name: full_name || name || "" }),
})
