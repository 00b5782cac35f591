import { sql } from "kysely"
import { Mode, type Unit } from "../../access/modes.ts"
import { permissionsOn, type Repository, unitEnabled, unitMode } from "../../access/permission.ts"
import type { User } from "../../core/actor.ts"
import type { Transaction } from "../../core/database/database.ts"
import { flag } from "../../core/database/tables.ts"

/** What the feed tells of, by the words of the API. */
export type ActivityKind =
  | "create_repo"
  | "rename_repo"
  | "star_repo"
  | "watch_repo"
  | "commit_repo"
  | "create_issue"
  | "create_pull_request"
  | "transfer_repo"
  | "push_tag"
  | "comment_issue"
  | "merge_pull_request"
  | "close_issue"
  | "reopen_issue"
  | "close_pull_request"
  | "reopen_pull_request"
  | "delete_tag"
  | "delete_branch"
  | "mirror_sync_push"
  | "mirror_sync_create"
  | "mirror_sync_delete"
  | "approve_pull_request"
  | "reject_pull_request"
  | "comment_pull"
  | "publish_release"
  | "pull_review_dismissed"
  | "pull_request_ready_for_review"
  | "auto_merge_pull_request"

/** The unit that a watcher must be able to read to be told of an event; the others are told to every watcher. */
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
}

/** Longer contents are cut by the writer; see `pushContent`. */
export const MAX_CONTENT = 65_535

export interface NewActivity {
  readonly kind: ActivityKind
  readonly actor: User
  readonly repository: Repository
  readonly owner: User
  readonly content?: string
  /** A whole reference: refs/heads/main. */
  readonly refName?: string
  readonly commentId?: number
  readonly now: number
}

/**
 * Writes what happened into the feeds of those it concerns: the actor, the owning organisation, and every watcher who may read the part of
 * the repository that it happened in. Whether they still may is asked again when the feed is read.
 */
export async function recordActivity(tx: Transaction, event: NewActivity): Promise<void> {
  const { kind, actor, repository, owner } = event
  const watchers = await tx
    .selectFrom("watches")
    .innerJoin("users", "users.id", "watches.user_id")
    .selectAll("users")
    .where("watches.repository_id", "=", repository.id)
    .where("watches.mode", "!=", "declined")
    .where("users.is_active", "=", 1)
    .where("users.prohibit_login", "=", 0)
    .where("users.id", "!=", actor.id)
    .execute()
  const unit = UNIT_OF[kind]
  // What is open to everybody need not be asked for each of a thousand watchers.
  const open = !unit || (repository.is_private === 0 && owner.visibility === "public" && unitEnabled(repository, unit))
  const receivers = new Set([actor.id])
  if (owner.kind === "organization") receivers.add(owner.id)
  for (const watcher of watchers) if (open || (await mayRead(tx, watcher, repository, owner, unit))) receivers.add(watcher.id)
  await tx
    .insertInto("activities")
    .values(
      [...receivers].map((receiver) => ({
        receiver_id: receiver,
        actor_id: actor.id,
        op_type: kind,
        repository_id: repository.id,
        comment_id: event.commentId ?? 0,
        ref_name: event.refName ?? "",
        is_private: flag(repository.is_private === 1 || owner.visibility === "private"),
        is_hidden: 0 as const,
        content: event.content ?? "",
        created_at: event.now,
      })),
    )
    .execute()
}

async function mayRead(tx: Transaction, user: User, repository: Repository, owner: User, unit: Unit): Promise<boolean> {
  const actor = { kind: "user", user, credential: { kind: "password" }, basic: false } as const
  const permission = (await permissionsOn(tx, actor, [{ repository, owner }])).get(repository.id)
  return permission !== undefined && unitMode(permission, repository, unit) >= Mode.read
}

/** A repository that turns private takes its past out of everybody's feed but that of those who may see it. */
export async function hideActivities(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.updateTable("activities").set({ is_private: 1 }).where("repository_id", "=", repositoryId).execute()
}

/** A repository that turns public shows its past again. */
export async function showActivities(tx: Transaction, repositoryId: number): Promise<void> {
  await sql`update activities set is_private = 0 where repository_id = ${repositoryId}`.execute(tx)
}
