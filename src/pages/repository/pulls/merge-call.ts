import type { OnPull } from "../../../access/policies/pulls.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Draft } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"

/** What the box about merging is drawn for. */
export interface MergeCall extends OnPull {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
  /** A form of the box that was refused. */
  readonly draft?: Draft | undefined
}
