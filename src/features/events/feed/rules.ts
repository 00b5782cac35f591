import type { Unit } from "../../../access/modes.ts"
import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { untilFewer } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { ActivityKind } from "./kinds.ts"
import { forgetOld, insertActivities } from "./store.ts"

/** The unit that a watcher must be able to read to get an entry of this kind; other kinds go to every watcher. */
const UNIT_OF: Partial<Record<ActivityKind, Unit>> = {
  commit_repo: "repo.code",
  push_tag: "repo.code",
  delete_tag: "repo.code",
  delete_branch: "repo.code",
  publish_release: "repo.code",
  create_issue: "repo.issues",
  comment_issue: "repo.issues",
  close_issue: "repo.issues",
  reopen_issue: "repo.issues",
  create_pull_request: "repo.pulls",
  comment_pull: "repo.pulls",
  merge_pull_request: "repo.pulls",
  close_pull_request: "repo.pulls",
  reopen_pull_request: "repo.pulls",
  auto_merge_pull_request: "repo.pulls",
  approve_pull_request: "repo.pulls",
  reject_pull_request: "repo.pulls",
  pull_review_dismissed: "repo.pulls",
  pull_request_ready_for_review: "repo.pulls",
}

/** The unit that one must be able to read to see an entry of this kind; "" where access to the repository is enough. */
export const unitOf = (kind: ActivityKind): string => UNIT_OF[kind] ?? ""

export interface NewActivity {
  readonly kind: ActivityKind
  readonly actor: User
  readonly repository: Repository
  readonly owner: User
  readonly content?: string
  /** A full reference: refs/heads/main. */
  readonly refName?: string
  readonly commentId?: number
  readonly now: number
}

/**
 * Writes an event into the feeds of the actor, of the owning organisation, and of every watcher who may read the unit that the event belongs
 * to. Permissions are checked again when the feed is read.
 */
export async function recordActivity(tx: Transaction, event: NewActivity): Promise<void> {
  const { kind, actor, repository } = event
  await insertActivities(tx, {
    kind,
    unit: unitOf(kind),
    actorId: actor.id,
    repositoryId: repository.id,
    commentId: event.commentId ?? 0,
    refName: event.refName ?? "",
    content: event.content ?? "",
    now: event.now,
  })
}

const YEAR = 365 * 86_400
/** Rows that are removed in one transaction: few enough that other writers don't wait long. */
const BATCH = 1_000

/** Removes activities older than a year from all feeds. Runs only on demand. */
export const forgetOldActivities: Task = {
  name: "delete_old_actions",
  run: async ({ database, now }, signal) => {
    const before = now() - YEAR
    const removed = await untilFewer(BATCH, signal, () => database.write((tx) => forgetOld.changes(tx, { before, limit: BATCH })))
    return `${removed} removed`
  },
}
