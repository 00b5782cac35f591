import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { isMac, type Secrets } from "../../../core/secrets.ts"
import type { Site } from "../../../core/site.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { putIssueWatch } from "../../planning/subscriptions/store.ts"

/** Whose mail about which issue. */
export interface Subscription {
  readonly userId: number
  readonly issueId: number
}

/** Where the pages are that end a subscription; what follows is the signed word. */
export const UNSUBSCRIBE_PATH = "/user/unsubscribe"

const PURPOSE = "unsubscribe"

/** The address that ends somebody's mail about an issue, for whoever holds the mail: it is signed, and good for nothing else. */
export const unsubscribeUrl = (site: Site, secrets: Secrets, { userId, issueId }: Subscription): string =>
  `${site.rootUrl}${UNSUBSCRIBE_PATH}/${userId}.${issueId}.${secrets.mac(PURPOSE, `${userId}.${issueId}`)}`

/** What a signed word stands for, or undefined where it was not made by this site. */
export function readSubscription(secrets: Secrets, word: string): Subscription | undefined {
  const [, signed = "", user = "", issue = "", mac = ""] = /^((\d{1,16})\.(\d{1,16}))\.([\w-]+)$/.exec(word) ?? []
  if (signed === "" || !isMac(secrets, PURPOSE, signed, mac)) return undefined
  return { userId: Number(user), issueId: Number(issue) }
}

/** Ends a subscription, also one that hangs on watching the repository or on having written. Does nothing where person or issue is gone. */
export async function unsubscribe(tx: Transaction, { userId, issueId }: Subscription, now: Seconds): Promise<void> {
  const user = await findUserById.first(tx, { id: userId })
  const issue = await findIssueById.first(tx, { id: issueId })
  if (user && issue) await putIssueWatch(tx, { issueId, userId, isWatching: 0, now })
}
