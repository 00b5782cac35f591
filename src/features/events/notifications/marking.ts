import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import { isSiteAdministrator, type SignedIn, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { setSubscribed } from "../../planning/subscriptions/rules.ts"
import { findThread, setStatus } from "./store.ts"
import { findNewestIds, findUnreadOf, type Status, type Thread, type ThreadFilter, UNIT_OF } from "./threads-store.ts"

/** Threads marked in one transaction: other writers can proceed between two of them. */
const AT_ONCE = 1_000

/**
 * Sets the status of the selected threads, in steps; notifications that arrive meanwhile stay unread. Returns the newest of the changed
 * threads, at most `shown`.
 */
export async function markThreads(
  { database, now: clock }: Pick<Services, "database" | "now">,
  actor: SignedIn,
  { filter, status, shown }: { readonly filter: ThreadFilter; readonly status: Status; readonly shown: number },
): Promise<readonly number[]> {
  const now = clock()
  const others: ThreadFilter = {
    ...filter,
    statuses: filter.statuses.filter((before) => before !== status),
    before: Math.min(filter.before ?? now + 1, now + 1),
  }
  const changed: number[] = []
  for (;;) {
    const step = await database.write(async (tx) => {
      const ids = (await findNewestIds(tx, actor, others, AT_ONCE)).map(({ id }) => id)
      if (ids.length > 0) await setStatus(tx, { ids, status, now })
      return ids
    })
    if (changed.length < shown) changed.push(...step.slice(0, shown - changed.length))
    if (step.length < AT_ONCE) return changed
  }
}

/**
 * The thread with that id, for its owner; site administrators may read anyone's. Refuses `notFound` where it doesn't exist
 * or its subject may no longer be seen, `forbidden` for other callers.
 */
export async function locateThread(db: Handle, actor: SignedIn, id: number, purpose: "read" | "change"): Promise<Thread> {
  const thread = id === 0 ? undefined : await findThread.first(db, { id })
  if (!thread) throw refuse.notFound()
  if (thread.user_id !== actor.user.id) {
    if (purpose === "change" || !isSiteAdministrator(actor))
      throw refuse.forbidden(t`only user itself and admin are allowed to read/change this thread ${thread.id}`)
    return thread
  }
  const found = await locateRepositoryById(db, actor, thread.repository_id)
  const unit = UNIT_OF[thread.subject]
  if (unit !== "" && unitMode(found.permission, found.repository, unit) < Mode.read) throw refuse.notFound()
  return thread
}

/** Sets the status of a thread. Refuses like `locateThread`; only its owner may change it. */
export async function markThread(
  services: Pick<Services, "database" | "now">,
  actor: SignedIn,
  id: number,
  status: Status,
): Promise<Thread> {
  return services.database.write(async (tx) => {
    const thread = await locateThread(tx, actor, id, "change")
    const updated_at = services.now()
    await setStatus(tx, { ids: [thread.id], status, now: updated_at })
    return { ...thread, status, updated_at }
  })
}

/** Unsubscribes the thread's owner from what it is about, and marks it as read. Refuses like `markThread`, and `notFound` for what is no issue. */
export async function unsubscribeThread(services: Pick<Services, "database" | "now">, actor: SignedIn, id: number): Promise<Issue> {
  return services.database.write(async (tx) => {
    const thread = await locateThread(tx, actor, id, "change")
    const issue = thread.issue_id === null ? undefined : await findIssueById.first(tx, { id: thread.issue_id })
    if (!issue) throw refuse.notFound()
    const now = services.now()
    await setSubscribed(tx, issue, actor.user, actor.user, false, now)
    if (thread.status === "unread") await setStatus(tx, { ids: [thread.id], status: "read", now })
    return issue
  })
}

/** Marks the user's thread about an issue or pull request as read, if it is unread. */
export async function readThreadOf(
  { database, now }: Pick<Services, "database" | "now">,
  user: Pick<User, "id">,
  issue: Pick<Issue, "id">,
): Promise<void> {
  const unread = await findUnreadOf.first(database.read, { userId: user.id, issueId: issue.id })
  if (unread) await database.write((tx) => setStatus(tx, { ids: [unread.id], status: "read", now: now() }))
}
