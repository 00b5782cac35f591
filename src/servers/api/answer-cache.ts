import { LRUCache } from "lru-cache"
import { type Actor, isPublicOnly } from "../../core/actor.ts"
import type { State } from "../../core/database/database.ts"
import type { Operation } from "../../core/operation.ts"
import type { Rendered } from "./answer.ts"

/** The limit of all answers together, in bytes, and of one; a longer one is not cached. */
const MOST_BYTES = 8 * 1024 * 1024
const LONGEST = 256 * 1024

interface CachedAnswer {
  readonly state: State
  readonly rendered: Rendered
}

/**
 * Caches answers: the same request of the same caller in the same state of the database gets the same answer. Clients poll often for what has not
 * changed. Any write, in this process or another, invalidates the whole cache, so it never serves stale answers.
 */
export interface AnswerCache {
  /** The answer of that key if it was made in this state of the database. */
  readonly get: (key: string, state: State) => Rendered | undefined
  /** `state` is the one from before the answer was computed. */
  readonly keep: (key: string, state: State, rendered: Rendered) => void
}

export function openAnswerCache(): AnswerCache {
  const cache = new LRUCache<string, CachedAnswer>({
    maxSize: MOST_BYTES,
    maxEntrySize: LONGEST,
    sizeCalculation: ({ rendered }, key) => key.length + (rendered.body?.length ?? 0) + 200,
  })
  return {
    get: (key, state) => {
      const cached = cache.get(key)
      return cached?.state === state ? cached.rendered : undefined
    },
    keep: (key, state, rendered) => {
      if (rendered.status !== 200) return
      // As bytes: for long answers, encoding the text anew each time costs more than all else of sending it.
      const { body } = rendered
      cache.set(key, { state, rendered: typeof body === "string" ? { ...rendered, body: Buffer.from(body) } : rendered })
    },
  }
}

/** Everything that an answer depends on beside the database: the caller, how they signed in, and the request. */
export function keyOf(operation: Operation, actor: Actor, url: string): string {
  if (actor.kind === "anonymous") return `${operation.id} - ${url}`
  const { credential } = actor
  const how =
    credential.kind === "token"
      ? `token ${credential.tokenId} ${credential.applicationId ?? ""} ${isPublicOnly(actor)}`
      : credential.kind === "job"
        ? `job ${credential.taskId}`
        : "password"
  return `${operation.id} ${actor.user.id} ${how} ${actor.basic} ${url}`
}
