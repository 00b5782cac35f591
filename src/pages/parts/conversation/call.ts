import type { OnIssue } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Content } from "../../../core/html.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import type { Draft, Reader } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { repositoryPath } from "../../../web/address.ts"

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

/** The path of an issue's page, or of a pull request's. */
export const conversationPath = (call: OnIssue): string =>
  `${repositoryPath(call)}/${call.issue.is_pull === 1 ? "pulls" : "issues"}/${call.issue.number}`

/** What someone typed, and why it was refused. */
export interface TypedReply {
  readonly body: string
  readonly ending?: ChosenEnding
  readonly problem?: Content
  /** They go on writing. */
  readonly isFocused?: boolean
}

/** Why an issue is closed, as it was chosen. */
export interface ChosenEnding {
  readonly reason?: string
  readonly duplicate?: string
}

/** A text as the beginning of an answer to it. */
export const quoteOf = (text: string): string =>
  `${text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")}\n\n`
