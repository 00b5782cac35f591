/**
 * What a supervisor and its workers say to each other, over the channel that Node.js opens between them. The supervisor is the older program where a new version was installed under
 * it: either side leaves messages unread that it does not know, and no member is ever given another meaning.
 */

export type FromWorker =
  /** It serves; what it says to programs and people, it has said. */
  | { readonly kind: "ready" }
  /** It lives. `load` is how much of the time since its last beat its event loop was at work, from 0 to 1. */
  | { readonly kind: "beat"; readonly load: number }
  /** It wants the turn to write; and gives it back, and perhaps wants it again. */
  | { readonly kind: "turn.wanted" }
  | { readonly kind: "turn.back"; readonly isWanted: boolean }
  /** For the other workers. */
  | { readonly kind: "told"; readonly channel: string; readonly payload: string }
  /** What a dead worker held is free now. */
  | { readonly kind: "released"; readonly worker: string }
  /** It wants the metrics of all workers; and answers such a question. */
  | { readonly kind: "metrics.wanted"; readonly question: number }
  | { readonly kind: "metrics.given"; readonly question: number; readonly by: string; readonly metrics: unknown }

export type FromSupervisor =
  /** It has the turn to write, and perhaps another worker waits for it already; and another waits for it. */
  | { readonly kind: "turn"; readonly isAsked: boolean }
  | { readonly kind: "turn.asked" }
  | { readonly kind: "told"; readonly channel: string; readonly payload: string }
  /** How many workers share the limits of the machine. */
  | { readonly kind: "sharers"; readonly count: number }
  /** A worker has died: each other one releases what it held, as far as that is not done yet, and says so. */
  | { readonly kind: "died"; readonly worker: string }
  /** A worker, `by`, asks for metrics; and the answers of all to its own question. */
  | { readonly kind: "metrics.wanted"; readonly question: number; readonly by: string }
  | { readonly kind: "metrics.given"; readonly question: number; readonly all: readonly unknown[] }
  /** It answers what is under way, and ends. */
  | { readonly kind: "stop" }
  /** The same, while other workers go on: it gives its clients time to go over to them first. */
  | { readonly kind: "drain" }

/** What a worker knows from the start, as JSON in a variable of its environment. */
export interface Place {
  /** Its name, which no other process has, not even a later one. */
  readonly name: string
  /** When the server began, in milliseconds since 1970. */
  readonly since: number
  /** Whether it is the server's first process. */
  readonly isFirst: boolean
}

export const PLACE_VARIABLE = "SUPERVISED_BY_HEARTH"

/** How often a worker says that it lives, in milliseconds. */
export const BEAT_MS = 1_000
