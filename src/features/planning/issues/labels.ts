import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import { type Handle, isForeignKeyViolation, type Transaction } from "../../../core/database/database.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { type LabelMode, labelsAfter } from "../labels/scopes.ts"
import { findIssueLabels, findUsableLabelsById, findUsableLabelsByName, type Label } from "../labels/store.ts"
import { deleteIssueLabels, insertIssueLabels } from "./labels-store.ts"
import { lockIssue } from "./lock.ts"
import { touchIssue } from "./touch-store.ts"

/** Labels as a client names them: all by id or all by name. */
export type LabelNames = readonly number[] | readonly string[]

/**
 * The labels of these ids or names, by name: those of the repository and of the organisation that owns it. A name that several labels share
 * means all of them. Refuses as `invalid`, with its id or name, a label of neither.
 */
export async function usableLabels(db: Handle, repository: Repository, owner: User, named: LabelNames): Promise<readonly Label[]> {
  const owners = { repositoryId: repository.id, ownerId: owner.id }
  if (isIds(named)) {
    if (named.length === 0) return []
    const labels = await findUsableLabelsById(db, { ...owners, ids: named })
    requireAll(named, new Set(labels.map(({ id }) => id)))
    return labels
  }
  const labels = await findUsableLabelsByName(db, { ...owners, names: named })
  requireAll(named, new Set(labels.map(({ name }) => name)))
  return labels
}

const isIds = (named: LabelNames): named is readonly number[] => named.every((each) => typeof each === "number")

function requireAll<K>(named: readonly K[], found: ReadonlySet<K>): void {
  const missing = named.find((each) => !found.has(each))
  if (missing !== undefined) throw refuse.invalid("labels", t`there is no label ${String(missing)} in this repository`)
}

export interface LabelChange {
  readonly issue: Issue
  /** Of the issue's repository, as `usableLabels` gives them. */
  readonly labels: readonly Label[]
  readonly mode: LabelMode
  readonly actor: User
  readonly now: Seconds
}

/**
 * Changes the labels of an issue. An exclusive label replaces others of its scope. Nothing is written where nothing changes. Refuses
 * `conflict` where a label is deleted concurrently, `notFound` where the issue is gone.
 */
export async function setIssueLabels(tx: Transaction, { issue, labels, mode, actor, now }: LabelChange): Promise<void> {
  // Concurrent changes must not both find no label of the scope.
  await lockIssue(tx, issue)
  const present = await findIssueLabels(tx, { issueId: issue.id })
  const wanted = labelsAfter(present, labels, mode)
  const removed = without(present, wanted)
  const added = without(wanted, present)
  if (removed.length + added.length === 0) return
  await removeLabels(tx, issue.id, removed)
  await addLabels(tx, issue.id, added)
  await touchIssue(tx, issue, now)
  publish(tx, { kind: "issue.labelled", issue, actor, added, removed, cleared: mode === "clear", at: now })
}

function without(labels: readonly Label[], others: readonly Label[]): readonly Label[] {
  const ids = new Set(others.map(({ id }) => id))
  return labels.filter(({ id }) => !ids.has(id))
}

export async function removeLabels(tx: Transaction, issueId: number, labels: readonly Label[]): Promise<void> {
  if (labels.length === 0) return
  const ids = labels.map(({ id }) => id)
  await deleteIssueLabels(tx, { issueId, labelIds: ids })
}

export async function addLabels(tx: Transaction, issueId: number, labels: readonly Label[]): Promise<void> {
  const rows = labels.map(({ id }) => ({ issue_id: issueId, label_id: id }))
  try {
    for (const slice of slicesOf(rows)) await insertIssueLabels(tx, slice)
  } catch (error) {
    if (isForeignKeyViolation(error)) throw refuse.conflict("one of the labels has just been deleted")
    throw error
  }
}
