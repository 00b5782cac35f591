import { readFile } from "node:fs/promises"
import { assetPath } from "../../../core/program/assets.ts"
import type { Json } from "./schema.ts"

/** A call that a test has made, and what was answered. A list has its first entry only, a download and a form with a file have no more than names. */
export interface RecordedExample {
  readonly path?: Json
  readonly query?: Json
  readonly body?: unknown
  readonly status: number
  readonly answer?: unknown
}

/** What the tests have seen of the operations, by their ids; `npm run recorded` writes it. */
export interface Recorded {
  readonly examples: Readonly<Record<string, RecordedExample>>
  /** The kinds of the events that the example has caused. */
  readonly events: Readonly<Record<string, readonly string[]>>
  /** The texts of refusals by status, with … in place of names and numbers. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

export async function readRecorded(): Promise<Recorded> {
  const read = async (name: string) => JSON.parse(await readFile(assetPath("api", `${name}.json`), "utf8"))
  const [examples, events, refusals] = await Promise.all([read("examples"), read("events"), read("refusals")])
  return { examples, events, refusals }
}
