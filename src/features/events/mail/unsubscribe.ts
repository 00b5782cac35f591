import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { isMac, type Secrets } from "../../../core/secrets.ts"
import type { Site } from "../../../core/site.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { putIssueWatch } from "../../planning/subscriptions/store.ts"

/** The user and the issue of a mail. */
export interface Subscription {
  readonly userId: number
  readonly issueId: number
}

/** The path of the unsubscribe pages; the signed token follows. */
export const UNSUBSCRIBE_PATH = "/user/unsubscribe"

const PURPOSE = "unsubscribe"

/** The URL that ends a user's mails about an issue, for anyone who has the mail: it is signed, and valid for nothing else. */
export const unsubscribeUrl = (site: Site, secrets: Secrets, { userId, issueId }: Subscription): string =>
  `${site.rootUrl}${UNSUBSCRIBE_PATH}/${userId}.${issueId}.${secrets.mac(PURPOSE, `${userId}.${issueId}`)}`

/** The subscription of a signed token, or undefined where it was not issued by this site. */
export function readSubscription(secrets: Secrets, word: string): Subscription | undefined {
  const [, signed = "", user = "", issue = "", mac = ""] = /^((\d{1,16})\.(\d{1,16}))\.([\w-]+)$/.exec(word) ?? []
  if (signed === "" || !isMac(secrets, PURPOSE, signed, mac)) return undefined
  return { userId: Number(user), issueId: Number(issue) }
}

/** Ends a subscription, also one that comes from watching the repository or from commenting. Does nothing where the user or issue is gone. */
export async function unsubscribe(tx: Transaction, { userId, issueId }: Subscription, now: Seconds): Promise<void> {
  const user = await findUserById.first(tx, { id: userId })
  const issue = await findIssueById.first(tx, { id: issueId })
  if (user && issue) await putIssueWatch(tx, { issueId, userId, isWatching: 0, now })
}
