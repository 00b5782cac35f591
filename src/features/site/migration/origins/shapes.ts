import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { type Static } from "../../../../core/schema.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import type { Milestone, Person } from "./model.ts"

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

const milestoneOf = {
  title: Type.String(),
  description: text,
  state: text,
  due_on: text,
  closed_at: text,
  created_at: text,
  updated_at: text,
}
export const milestone = Type.Object({ id: Type.Integer(), ...milestoneOf })
/** As it stands in archives, which call it by its address. */
export const addressedMilestone = Type.Object({ url: Type.String(), ...milestoneOf })

export function presentMilestone(record: Omit<Static<typeof milestone>, "id">, key: string, now: Seconds): Milestone {
  const createdAt = parseTime(record.created_at, now)
  return {
    key,
    title: record.title,
    description: record.description ?? "",
    isClosed: record.state === "closed",
    closedAt: parseTime(record.closed_at, createdAt),
    dueAt: parseTime(record.due_on, 0),
    createdAt,
    updatedAt: parseTime(record.updated_at, createdAt),
  }
}
