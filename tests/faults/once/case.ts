import type { MergeWorld, TestRepository } from "../../../src/features/review/merging/testing.ts"
import type { Caller } from "../../support/hearth.ts"

/** The setup of a case: a new repository of alice's, which bob may write to and carol may read, with a webhook for all events. */
export interface Scene {
  readonly world: MergeWorld
  readonly repo: TestRepository
  /** An unused name. */
  readonly unique: (stem: string) => string
  /** A call that must succeed, and returns the answer's body. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of all kinds, which the cases pick ids from
  readonly must: (caller: Caller, route: string, body?: unknown) => Promise<any>
}

/** The call that is made several times concurrently. */
export interface Call {
  readonly by: Caller
  readonly route: string
  readonly body?: unknown
}

/** Something that must happen once, for any number of concurrent callers. */
export interface Case {
  readonly name: string
  readonly prepare: (scene: Scene) => Promise<Call>
  /** The answer to one of the callers. */
  readonly first: number
  /** The answer to each of the others once the first is done: the same, if the call is idempotent. */
  readonly others: number
  /** Further answers to others that began before the first was done. The case says why they differ; where `others` is a success, none is a refusal. */
  readonly overlapping?: readonly number[]
  /** The kinds of events that each caller publishes, because each changes something. */
  readonly each?: readonly string[]
  /** The change in the number of rows, by table; all others are unchanged. */
  readonly leaves: Readonly<Record<string, number>>
}
