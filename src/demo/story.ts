import { readFile } from "node:fs/promises"
import { assetPath } from "../core/program/assets.ts"

export const people = [
  { name: "mira", fullName: "Mira Holm" },
  { name: "tomas", fullName: "Tomás Reyes" },
  { name: "noor", fullName: "Noor Haddad" },
] as const

/** What one user does at one moment. */
export type Step = {
  /** Days since the story began, and the time in UTC, such as "3 08:45". */
  readonly at: string
  readonly by: string
} & (Call | Push)

/** A request to the API. */
export interface Call {
  /** Such as "POST /orgs", below /api/v1. */
  readonly do: string
  /** `"{{name}}"` is replaced by the id stored under the name, here as in the address. */
  readonly body?: object
  /** The name under which the id in the answer is stored. */
  readonly keep?: string
}

export interface Push {
  /** References as `git push` takes them. */
  readonly push: readonly string[]
}

const DAY = 86_400
/** How many days before today the story begins; it ends yesterday. */
const DAYS = 37
/** The midnight that the stored history begins after, 2000-01-01. */
const STORED_MIDNIGHT = 946_684_800

/** The midnight (UTC) that the story begins after, as of `now`. */
export const storyMidnight = (now: number): number => (Math.floor(now / DAY) - DAYS) * DAY

/** The moment of a step. */
export function momentOf({ at }: Pick<Step, "at">, midnight: number): number {
  const [, day, hour, minute] = /^(-?\d+) (\d\d):(\d\d)$/.exec(at) ?? []
  if (minute === undefined) throw new TypeError(`not a day and a time: ${at}`)
  return midnight + Number(day) * DAY + Number(hour) * 3600 + Number(minute) * 60
}

export async function readStory(): Promise<readonly Step[]> {
  const lines = (await readFile(assetPath("demo/story.jsonl"), "utf8")).trim().split("\n")
  return lines.map((line): Step => JSON.parse(line))
}

/** The history as `git fast-import` reads it, with its dates moved so that it begins after `midnight`. */
export async function readHistory(midnight: number): Promise<string> {
  const stream = await readFile(assetPath("demo/sprinkle.fast-import"), "utf8")
  return stream.replace(
    /^((?:author|committer|tagger) .*> )(\d+)(?= [+-]\d{4}$)/gm,
    (_line, person: string, seconds: string) => `${person}${Number(seconds) - STORED_MIDNIGHT + midnight}`,
  )
}

/** Shows the machine's time until it is set; from then on it stands still until it is set again. */
export interface StoryClock {
  /** In whole seconds since 1970. */
  readonly now: () => number
  /** Stops it at a moment; undefined returns to the machine's time. */
  readonly set: (moment: number | undefined) => void
}

export function storyClock(): StoryClock {
  let standing: number | undefined
  return {
    now: () => standing ?? Math.floor(Date.now() / 1000),
    set(moment) {
      standing = moment
    },
  }
}
