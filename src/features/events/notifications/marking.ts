import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import { isSiteAdministrator, type SignedIn } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { findThread, setStatus } from "./store.ts"
import { type Asked, findNewestIds, STATUSES, type Status, type Thread } from "./threads.ts"

/** So many threads are marked in one transaction: everybody else's writing goes on between two of them. */
const AT_ONCE = 1_000

/**
 * Gives the threads that are asked for another status, in steps; what happens meanwhile stays unread. Gives the newest of the threads that
 * changed, `shown` at most.
 */
export async function markThreads(
  { database, now: clock }: Pick<Services, "database" | "now">,
  actor: SignedIn,
  { asked, status, shown }: { readonly asked: Asked; readonly status: Status; readonly shown: number },
): Promise<readonly number[]> {
  const now = clock()
  const others: Asked = {
    ...asked,
    statuses: asked.statuses.filter((before) => before !== status),
    before: Math.min(asked.before ?? now, now),
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
 * The thread of that id, for the person whose it is; site administrators may look at anybody's. Refuses `notFound` where it is missing
 * or its subject may not be seen any more, `forbidden` for everybody else.
 */
export async function locateThread(db: Handle, actor: SignedIn, id: number, purpose: "read" | "change"): Promise<Thread> {
  const thread = id === 0 ? undefined : await findThread.first(db, { id })
  if (!thread) throw refuse.notFound()
  if (thread.user_id !== actor.user.id) {
    if (purpose === "change" || !isSiteAdministrator(actor))
      throw refuse.forbidden(`only user itself and admin are allowed to read/change this thread ${thread.id}`)
    return thread
  }
  const found = await locateRepositoryById(db, actor, thread.repository_id)
  if (thread.subject !== "repository") {
    const unit = thread.subject === "pull" ? "repo.pulls" : "repo.issues"
    if (unitMode(found.permission, found.repository, unit) < Mode.read) throw refuse.notFound()
  }
  return thread
}

/** Gives a thread another status. Refuses like `locateThread`; what isn't one's own is changed by nobody. */
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

const findUnreadOf = query("notifications.findUnreadOf", (db, p: Params<{ userId: number; issueId: number }>) =>
  db
    .selectFrom("notifications")
    .select("id")
    .where("user_id", "=", p.userId)
    .where("issue_id", "=", p.issueId)
    .where("status", "=", "unread"),
)

/** Marks the person's thread about an issue or pull request as read, where it is unread. */
export async function readThreadOf(tx: Transaction, userId: number, issueId: number, now: Seconds): Promise<void> {
  const unread = await findUnreadOf.first(tx, { userId, issueId })
  if (unread) await setStatus(tx, { ids: [unread.id], status: "read", now })
}

/** The status of that name, in any letter case. */
export const statusNamed = (name: string): Status | undefined => STATUSES.find((status) => status === name.trim().toLowerCase())
