import type { Handle } from "../../../core/database/database.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { type Merging, requireOpen } from "../merging/checks.ts"
import { mergePull } from "../merging/merge.ts"
import { mergeAttempts } from "../merging/operations.ts"
import { editPull } from "../pulls/edit.ts"
import { findPull } from "../pulls/store.ts"
import { follow } from "./follow.ts"
import { type Placed, stackOf } from "./members.ts"
import type { MergedStack, MergeStackOption } from "./records.ts"

/**
 * Merges the open pull requests that one stands on, and then itself, from the lowest on. After each, what stood on it is put onto the base branch, as the job does that
 * follows every merge. Refuses as `mergePull` does what is against the lowest; what is against a later one ends it, and is told.
 */
export async function mergeStack(
  services: Services,
  db: Handle,
  found: Merging,
  { do: style, head_commit_id: headId = "", delete_branch_after_merge: deleteBranch }: Static<typeof MergeStackOption>,
): Promise<MergedStack> {
  requireOpen(found)
  if (headId !== "" && headId !== found.pull.head_id) throw refuse.conflict("head out of date")
  const options = { style, message: { title: "", body: "" }, headId: "", force: false, deleteBranch, automatic: false }
  const merged: Merging[] = []
  const done = () => merged.map(({ issue }) => issue.number)
  for (const pullId of lineTo(await stackOf(db, found.repository, found.pull), found.pull.id)) {
    const next = await reload(services, found, pullId)
    try {
      for (const attempt of mergeAttempts.of(services)) await attempt(services, found.me, next.issue)
      await mergePull(services, await onBase(services, next, merged.at(-1)), options)
    } catch (error) {
      if (!(error instanceof Refusal) || merged.length === 0) throw error
      return { merged: done(), stopped_at: next.issue.number, message: error.message }
    }
    merged.push(next)
    await follow(services, pullId)
  }
  return { merged: done(), stopped_at: null, message: "" }
}

/** The open ones from the lowest to this one. */
function lineTo(stack: readonly Placed[], pullId: number): readonly number[] {
  const line: number[] = []
  for (let at: number | undefined = pullId; at !== undefined; ) {
    const placed = stack.find(({ member }) => member.id === at)
    if (!placed || placed.member.is_closed === 0) line.unshift(at)
    at = placed?.belowId
  }
  return line
}

/** The same with the base of the one that was merged before it, where it is still to go into the branch of that one. */
async function onBase(services: Services, next: Merging, before: Merging | undefined): Promise<Merging> {
  if (!before || before.pull.is_offered === 1 || next.pull.base_branch !== before.pull.head_branch) return next
  return { ...next, ...(await editPull(services, next, { base: before.pull.base_branch })) }
}

async function reload({ database }: Services, found: Merging, pullId: number): Promise<Merging> {
  const pull = await findPull.first(database.read, { id: pullId })
  const issue = pull && (await findIssueById.first(database.read, { id: pull.issue_id }))
  if (!pull || !issue) throw refuse.notFound()
  return { ...found, pull, issue }
}
