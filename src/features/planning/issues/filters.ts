import type { ReadableKinds } from "../../../access/policies/issues.ts"
import { locateUser, userVisible } from "../../../access/policies/people.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { pathNumber } from "../../../core/operation.ts"
import { dateTime, knownWord, STATE_SYNONYMS, secondsOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { findMilestonesNamed } from "../milestones/store.ts"
import { type Condition, inState, updatedBefore, updatedSince, worded } from "./list-store.ts"

/** The filters of lists of issues, and how they are read. */

const TYPE_SYNONYMS = {
  issues: ["issue"],
  pulls: ["pull", "pr", "prs", "pullrequest", "pullrequests", "pull_request", "pull_requests"],
} as const

/** The parameters of both lists. */
export const sharedFilters = {
  state: Type.Optional(knownWord(["open", "closed", "all"], { default: "open", synonyms: STATE_SYNONYMS })),
  type: Type.Optional(knownWord(["issues", "pulls"], { description: "both unless told otherwise", synonyms: TYPE_SYNONYMS })),
  q: Type.Optional(Type.String({ description: "words that a title, body or comment holds, or a number" })),
  labels: Type.Optional(Type.String({ description: "names of labels, with commas between them" })),
  milestones: Type.Optional(Type.String({ description: "titles of milestones, with commas between them" })),
  since: Type.Optional(dateTime({ description: "changed at that time or later" })),
  before: Type.Optional(dateTime({ description: "changed at that time or earlier" })),
} as const

export interface SharedFilters {
  readonly state?: string
  readonly type?: string
  readonly q?: string
  readonly since?: string
  readonly before?: string
}

/** The time in seconds; some clients send a time before 1970 for "none". */
const given = (moment: string | undefined): readonly number[] => [secondsOf(moment) ?? 0].filter((seconds) => seconds > 0)

/** State, words and times as conditions, in all repositories or in one. */
export function sharedConditions({ state, q = "", since, before }: SharedFilters, repositoryId?: number): readonly Condition[] {
  const words = worded(q, repositoryId)
  return [
    ...(state === "all" ? [] : [inState(state === "closed" ? 1 : 0)]),
    ...(words ? [words] : []),
    ...given(since).map(updatedSince),
    ...given(before).map(updatedBefore),
  ]
}

/** The requested kinds, limited to those that may be read. */
export function wantedKinds(type: string | undefined, readable: ReadableKinds): ReadableKinds {
  if (type === "issues") return { issues: readable.issues, pulls: false }
  if (type === "pulls") return { issues: false, pulls: readable.pulls }
  return readable
}

/** The most names in a comma-separated list: each may be a condition of its own. */
const MOST_NAMES = 100

/** The trimmed parts of the comma-separated list in this field, without empty ones. Refuses `invalid` for too many. */
export function namesIn(field: string, text: string | undefined): readonly string[] {
  const names = (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  if (names.length > MOST_NAMES) throw refuse.invalid(field, t`must have at most ${MOST_NAMES} entries`)
  return names
}

/** The milestones of a repository that are named by title, or else by id. Several may have the same title. An unknown name finds nothing. */
export async function milestonesNamed(db: Handle, repositoryId: number, names: readonly string[]): Promise<readonly number[]> {
  const ids = names.map(pathNumber).filter((id) => id > 0)
  const rows = await findMilestonesNamed(db, { repositoryId, titles: names, ids })
  return names.flatMap((name) => {
    const titled = rows.filter(({ title }) => title === name)
    return (titled.length > 0 ? titled : rows.filter(({ id }) => id === pathNumber(name))).map(({ id }) => id)
  })
}

/** The account that a filter names, also by an old name; undefined where the caller may not see it. */
export async function filterUser(db: Handle, actor: Actor, name: string): Promise<User | undefined> {
  try {
    const user = await locateUser(db, actor, name, "name")
    return (await userVisible(db, actor, user)) ? user : undefined
  } catch (error) {
    if (error instanceof Renamed) return filterUser(db, actor, error.replace["name"] ?? "")
    if (error instanceof Refusal && error.kind === "notFound") return undefined
    throw error
  }
}

/** The account that a filter names; refuses `notFound` where there is none that the caller may see. */
export async function requireFilterUser(db: Handle, actor: Actor, name: string): Promise<User> {
  const user = await filterUser(db, actor, name)
  if (!user) throw refuse.notFound()
  return user
}
