import type { MergeWorld, TestRepository } from "../../../src/features/review/merging/testing.ts"
import type { Caller } from "../../support/hearth.ts"

/** What a case begins with: its own repository of alice's, which bob may write to and carol only reads, with a webhook for everything. */
export interface Scene {
  readonly world: MergeWorld
  readonly repo: TestRepository
  /** A name that nothing has yet. */
  readonly unique: (stem: string) => string
  /** A call that must succeed, and gives what it is answered. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of all kinds, which the cases pick ids from
  readonly must: (caller: Caller, route: string, body?: unknown) => Promise<any>
}

/** The call that is made several times at once. */
export interface Call {
  readonly by: Caller
  readonly route: string
  readonly body?: unknown
}

/** Something that must happen once, however many ask for it at the same moment. */
export interface Case {
  readonly name: string
  readonly prepare: (scene: Scene) => Promise<Call>
  /** What one of the callers is answered. */
  readonly first: number
  /** What each of the others may be answered: the same, where asking again changes nothing. */
  readonly others: readonly number[]
  /** How many rows of which tables there are more afterwards, or less; all others are as many as before. */
  readonly leaves: Readonly<Record<string, number>>
}
