import type { Handle } from "../../../../core/database/database.ts"
import { isBranchName } from "../../../../git/index.ts"
import { offeredTo } from "../../../code/pushes/offers.ts"
import { optionSwitch, optionText } from "../../../code/pushes/options.ts"
import { findBranchNames } from "../../../code/pushes/store.ts"
import { topicsOf } from "../topics.ts"

/** What a push to `refs/for/BASE`, or `refs/for/BASE/TOPIC`, asks for. */

/** The push options that count for an offer: `topic`, `title`, `description`, `force-push` and `close-dropped`. */
export interface OfferOptions {
  readonly topic: string | undefined
  readonly title: string | undefined
  readonly description: string | undefined
  /** Whether what was offered before may be replaced by commits that don't contain it. */
  readonly isForced: boolean
  /** Whether changes that a series no longer has are closed. */
  readonly closesDropped: boolean
}

export function readOfferOptions(options: readonly string[]): OfferOptions {
  const text = (name: string) => {
    const given = optionText(options, name)
    return given === undefined ? undefined : decoded(given)
  }
  const title = text("title")
  return {
    topic: text("topic") || undefined,
    title: (title && oneLine(title)) || undefined,
    description: cleanText(text("description")),
    isForced: optionSwitch(options, "force-push") === true,
    closesDropped: optionSwitch(options, "close-dropped") === true,
  }
}

const BASE64 = /^\{base64\}((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?)$/

/** Git refuses options of several lines: `{base64}…` carries them. */
function decoded(text: string): string {
  const [, encoded] = BASE64.exec(text) ?? []
  return encoded === undefined ? text : Buffer.from(encoded, "base64").toString("utf8")
}

/** A text without control characters, as a title is shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
export const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim()

/** A text of several lines; a database can't store a NUL. */
export const cleanText = <T extends string | undefined>(text: T): T | string => text?.replaceAll("\0", "") ?? text

/** Where an offer goes. */
export interface Target {
  readonly base: string
  /** With the name of its author before it, as it is stored: `ann/topic`. Without one a series is offered. */
  readonly topic: string | undefined
}

/** The longest topic, in characters. */
const LONGEST_TOPIC = 200

/**
 * Finds the base branch in the name of a reference; what follows it is the topic. The whole may be a branch, then the option has the topic; else the
 * shortest beginning that is one counts. Gives words for the pusher where there is no branch.
 */
export async function readTarget(
  db: Handle,
  { repositoryId, login }: { readonly repositoryId: number; readonly login: string },
  ref: string,
  options: OfferOptions,
): Promise<Target | string> {
  const name = offeredTo(ref)
  const parts = name.split("/")
  const beginnings = parts.map((_, at) => parts.slice(0, at + 1).join("/"))
  const known = new Set((await findBranchNames(db, { repositoryId, names: beginnings })).map((row) => row.name))
  const base = known.has(name) ? name : beginnings.find((beginning) => known.has(beginning))
  if (base === undefined) return `there is no branch ${name} to offer commits to`
  const topic = base === name ? options.topic : name.slice(base.length + 1)
  if (topic === undefined) return { base, topic }
  const own = topicsOf(login)
  const full = topic.startsWith(own) ? topic : own + topic
  if (topic.length > LONGEST_TOPIC || !isBranchName(full)) return "the topic must be what a branch could be called, and not too long"
  return { base, topic: full }
}
