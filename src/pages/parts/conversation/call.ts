import type { OnIssue } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import type { Draft, Reader } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"

/** What a page with a conversation was asked for with. */
export interface ConversationCall extends OnIssue {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
  readonly page: ListPage
  readonly reader: Reader
  /** A form on the page that was refused. */
  readonly draft?: Draft | undefined
}
