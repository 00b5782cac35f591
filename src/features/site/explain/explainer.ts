import type { Step } from "../../../access/explain/steps.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Method } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"

/** What the caller may, and why: asked here, answered by what knows all records and the order in which requests are judged. */

export interface Question {
  readonly method: Method
  /** An address of this site without its host: of the API, a page, a file, or of git. */
  readonly path: string
  /** The name of somebody else. */
  readonly as?: string | undefined
}

export interface Explained {
  readonly allowed: boolean
  /** What the request would be answered before its query and body are read; where it is allowed, what it is answered when it succeeds. */
  readonly status: number
  readonly steps: readonly Step[]
}

export interface Asked {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
}

/** Refuses `forbidden` who may not ask about others, and `invalid` a name of nobody they may know of. */
export type Explain = (asked: Asked, question: Question) => Promise<Explained>

export const explainers = extensionPoint<Explain>("explainers")

/** As `Explain`. */
export async function explain(asked: Asked, question: Question): Promise<Explained> {
  const [first] = explainers.of(asked.services)
  if (!first) throw new TypeError("nothing explains")
  return first(asked, question)
}
