import { setTimeout as pause } from "node:timers/promises"
import type { Repository } from "../../../access/permission.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type ObjectId } from "../../../git/index.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import { type Turn, takeTurn } from "../../code/pushes/turns.ts"
import { MERGE_STYLES } from "../../code/repositories/records.ts"
import { lockForIssues } from "../../planning/issues/lock.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { findPull, type Pull } from "../pulls/store.ts"
import { type Built, build } from "./build.ts"
import { type Merging, requireMerger, requireOpen, requireReady } from "./checks.ts"
import { deleteMergedBranch } from "./delete-branch.ts"
import { claimPull, recordMerge } from "./merged.ts"
import { messageFor } from "./message.ts"
import type { MergeStyle } from "./records.ts"
import { scheduleMerge } from "./schedule.ts"
import type { MessageParts } from "./template.ts"
import type { Trial } from "./trial.ts"

export interface MergeOptions {
  readonly style: MergeStyle
  /** The whole message, or its parts; an empty part gets its default. */
  readonly message: MessageParts | string
  /** The commit that the caller expects as the head; "" for any. */
  readonly headId: string
  /** Override the branch's rule where the caller may. */
  readonly force: boolean
  /** Whether the head branch is deleted afterwards; undefined for the repository's default. */
  readonly deleteBranch: boolean | undefined
  /** The merge was scheduled. */
  readonly automatic: boolean
}

/** How often a merge is attempted because the base has moved, and after how many attempts it takes a turn at the base. */
const TRIES = 10
const FREE_TRIES = 2
/** The pause grows by this much with each attempt, so that concurrent merges into one branch finish. */
const PAUSE_MS = 10

/**
 * Merges a pull request: makes the commits, moves the base branch as any push does, and thereby marks the pull request as merged. All of that is
 * completed even if this process dies once the branch has moved. Then deletes the head branch, where requested and possible.
 * Refuses what `requireOpen`, `requireMerger` and `requireReady` refuse; `methodNotAllowed` a style that the repository doesn't allow, and a pull
 * request that is being merged already; `conflict` another head than the given one, a merge conflict, a push that the rules reject, and a base that
 * keeps moving.
 */
export async function mergePull(services: Services, found: Merging, options: MergeOptions): Promise<void> {
  const merged = await mergeInTurn(services, found, options)
  const { default_delete_branch_after_merge } = found.repository
  if (options.deleteBranch ?? default_delete_branch_after_merge === 1) await deleteMergedBranch(services, merged)
}

/** Tries until the base hasn't moved meanwhile; after the first attempts others wait with moving it. Gives the pull request as it was merged. */
async function mergeInTurn(services: Services, found: Merging, options: MergeOptions): Promise<Merging> {
  const { repository, pull } = found
  let current = found
  let turn: Turn | undefined
  try {
    for (let tries = 1; tries <= TRIES; tries++) {
      if (tries > FREE_TRIES) turn ??= await takeTurn(services, repository.id, pull.base_branch)
      if (await mergeOnce(services, current, { ...options, turn })) return current
      await pause(tries * PAUSE_MS)
      current = await reload(services, current)
    }
  } finally {
    await turn?.release()
  }
  throw refuse.conflict("merge push out of date")
}

/** Schedules the merge for when all checks pass. Refuses like `mergePull`, and `conflict` where it is scheduled already. */
export async function mergeLater(services: Services, found: Merging, { style, message, force, deleteBranch }: MergeOptions): Promise<void> {
  requireOpen(found)
  const protection = await requireMerger(services.database.read, found)
  await requireReady(services, found, { protection, style, force, later: true })
  const whole = typeof message === "string" ? message : await messageFor(services, found, style, message)
  const deletes = deleteBranch ?? found.repository.default_delete_branch_after_merge === 1
  await services.database.write((tx) => scheduleMerge(tx, services, found, { style, message: whole, deleteBranch: deletes }))
}

interface Attempt extends MergeOptions {
  readonly turn: Turn | undefined
}

/** One attempt. False where the base has moved meanwhile and nothing was merged. */
async function mergeOnce(services: Services, found: Merging, options: Attempt): Promise<boolean> {
  const { style, force, headId } = options
  requireOpen(found)
  const protection = await requireMerger(services.database.read, found)
  const trial = await requireReady(services, found, { protection, style, force, later: false })
  requireStyle(found.repository, style)
  if (headId !== "" && headId !== trial.head) throw refuse.conflict("head out of date")
  const message = typeof options.message === "string" ? options.message : await messageFor(services, found, style, options.message)
  const built = await build(services, found, trial, style, message)
  if (built.id === trial.base) await mergeNothing(services, found, built, options.automatic)
  else return push(services, found, trial, built, options)
  return true
}

/** Moves the base branch; false where it has moved meanwhile. Refuses `conflict` a push that a rule rejects. */
async function push(
  services: Services,
  found: Merging,
  { repository, base }: Trial,
  { id, written }: Built,
  { style, automatic, turn }: Attempt,
): Promise<boolean> {
  const { pull, actor } = found
  const addedBytes = await services.git.objects.written(repository, written)
  const change = { ref: branchRef(pull.base_branch), oldId: base, newId: id }
  try {
    await pushFromServer(services, actor, found, [change], {
      addedBytes,
      turn: turn?.holder,
      merge: { pullId: pull.id, issueId: found.issue.id, automatic, ...(style === "merge" && mergeBaseOf(pull, base)) },
      claim: (tx, entryId) => claimPull(tx, pull, { entryId, automatic }),
    })
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.kind === "conflict") return false
    if (error.kind === "forbidden") throw refuse.conflict(t`PushRejected with remote message: ${error.message}`)
    throw error
  }
}

/** The merge base of the head and this base, if known. */
const mergeBaseOf = ({ base_id, merge_base }: Pull, base: ObjectId): { readonly mergeBase?: string } =>
  base_id === base && merge_base !== "" ? { mergeBase: merge_base } : {}

/** The base already contains all that the head has: nothing is pushed, and the pull request is marked as merged. */
async function mergeNothing(services: Services, found: Merging, { id }: Built, automatic: boolean): Promise<void> {
  const { pull, owner, me } = found
  const now = services.now()
  await services.database.write(async (tx) => {
    const repository = await lockForIssues(tx, found.repository.id)
    await claimPull(tx, pull, { entryId: 0, automatic })
    const how = automatic ? "automatic" : "asked"
    await recordMerge(tx, services, { repository, owner, pullId: pull.id, commitId: id, merger: me, how, mergedAt: now, now })
  })
}

async function reload({ database }: Services, found: Merging): Promise<Merging> {
  const pull = await findPull.first(database.read, { id: found.pull.id })
  const issue = await findIssueById.first(database.read, { id: found.issue.id })
  if (!pull || !issue) throw refuse.notFound()
  return { ...found, pull, issue }
}

const SWITCH = {
  merge: "allow_merge_commits",
  rebase: "allow_rebase",
  "rebase-merge": "allow_rebase_explicit",
  squash: "allow_squash_merge",
  "fast-forward-only": "allow_fast_forward_only_merge",
} as const satisfies Readonly<Record<MergeStyle, keyof Repository>>

/** The styles that the repository allows, its default first. */
export const allowedStyles = (repository: Repository): readonly MergeStyle[] =>
  MERGE_STYLES.filter((style) => repository[SWITCH[style]] === 1).toSorted(
    (one, other) => Number(other === repository.default_merge_style) - Number(one === repository.default_merge_style),
  )

/** Refuses `methodNotAllowed` a style that is switched off in the repository. */
function requireStyle(repository: Repository, style: MergeStyle): void {
  if (repository[SWITCH[style]] === 0) throw refuse.methodNotAllowed(t`${style} is not allowed an allowed merge style for this repository`)
}
