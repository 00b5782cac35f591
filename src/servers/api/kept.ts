import { LRUCache } from "lru-cache"
import { type Actor, isPublicOnly } from "../../core/actor.ts"
import type { State } from "../../core/database/database.ts"
import type { Operation } from "../../core/operation.ts"
import type { Rendered } from "./answer.ts"

/** All that is kept, in bytes; what is longer alone is not kept. */
const MOST_BYTES = 8 * 1024 * 1024
const LONGEST = 256 * 1024

interface Kept {
  readonly state: State
  readonly rendered: Rendered
}

/**
 * Answers that need not be made again: the same caller asking the same while the database is in the same state gets the same. Programs ask
 * again and again for what has not changed. One write, in this process or another, makes all of it void; so nothing is ever served that a new
 * look would not give.
 */
export interface KeptAnswers {
  /** The answer of that key if it was made in this state of the database. */
  readonly get: (key: string, state: State) => Rendered | undefined
  /** `state` is the one from before the answer was begun. */
  readonly keep: (key: string, state: State, rendered: Rendered) => void
}

export function keptAnswers(): KeptAnswers {
  const cache = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    maxEntrySize: LONGEST,
    sizeCalculation: ({ rendered }, key) => key.length + (rendered.body?.length ?? 0) + 200,
  })
  return {
    get: (key, state) => {
      const kept = cache.get(key)
      return kept?.state === state ? kept.rendered : undefined
    },
    keep: (key, state, rendered) => {
      if (rendered.status !== 200) return
      // As bytes: for long answers, turning the text into bytes anew each time costs more than all else of sending it.
      const { body } = rendered
      cache.set(key, { state, rendered: typeof body === "string" ? { ...rendered, body: Buffer.from(body) } : rendered })
    },
  }
}

/** Everything that an answer depends on beside the database: who asks, how they signed in, and what for. */
export function keyOf(operation: Operation, actor: Actor, url: string): string {
  if (actor.kind === "anonymous") return `${operation.id} - ${url}`
  const { credential } = actor
  const how = credential.kind === "token" ? `token ${credential.tokenId} ${isPublicOnly(actor)}` : "password"
  return `${operation.id} ${actor.user.id} ${how} ${actor.basic} ${url}`
}
