import type { OnDeletion } from "../../../access/policies/deletions.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isBranchName, objectId } from "../../../git/index.ts"
import { requireNoConflict } from "../../code/branches/rules.ts"
import { type DeletionRow, takeDeletion } from "../../code/deletions/store.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import { findReleaseById } from "../../code/releases/store.ts"
import { recountReleases } from "../../code/repositories/counters-store.ts"
import { findTag } from "../../code/tags/store.ts"
import { requireUnlocked, requireWelcome } from "../../planning/comments/rules.ts"
import { findCommentsByIds } from "../../planning/comments/store.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { recountComments, recountOpen } from "../../planning/issues/touch-store.ts"
import { findUsableLabelsById } from "../../planning/labels/store.ts"
import { recountMilestones } from "../../planning/milestones/rules.ts"
import { findMilestonesByIds } from "../../planning/milestones/store.ts"
import type { RestoredThing } from "./records.ts"
import { type Captured, findHomes, findLabelRow, foreignKeysOf, putLinksBack, putRowsBack, type Row } from "./rows-store.ts"

/*
 * What was deleted comes back with the ids that it had, in one transaction with its entry among the deletions: of two who restore the same, one finds it gone. What it referred to and is gone
 * by now is left out, and the answer says so; where it itself no longer fits, everything stays as it is.
 */

export type Found = OnDeletion & { readonly me: User }
type FoundIn = OnDeletion & OnRepository & Me

/** Takes the entry out. Refuses `notFound` where someone else has restored or purged it meanwhile. */
export async function take(tx: Transaction, id: number): Promise<DeletionRow & { readonly captured: Captured }> {
  const row = await takeDeletion.first(tx, { id })
  if (!row) throw refuse.notFound()
  const captured: Captured = row.content === "" ? { tables: [], links: [] } : JSON.parse(row.content)
  return { ...row, captured }
}

const inTheWay = (error: unknown): never => {
  throw isUniqueViolation(error) ? refuse.conflict("something else has its place by now") : error
}

const leftOutOf = (counts: ReadonlyMap<string, number>): RestoredThing["left_out"] => [...counts].map(([table, rows]) => ({ table, rows }))

export const rowsOf = ({ tables }: Captured, name: string): readonly Row[] => tables.find(([table]) => table === name)?.[1] ?? []

export const numbersOf = (rows: readonly Row[], column: string): readonly number[] =>
  rows.flatMap((row) => (typeof row[column] === "number" ? row[column] : []))

/**
 * Restores what was deleted in a repository. Refuses `archived`, `conflict` where it no longer fits (its issue is deleted or was moved, its place is taken, its commits are gone), `notFound` where someone was
 * faster, and what the rules of comments and branches refuse.
 */
export async function restoreIn(services: Services, found: FoundIn): Promise<RestoredThing> {
  const { deletion } = found
  const at = `${services.site.rootUrl}/${found.owner.name}/${found.repository.name}`
  switch (deletion.kind) {
    case "issue":
    case "pull":
      return services.database.write((tx) => restoreIssue(tx, services, found, at))
    case "comment":
      return services.database.write((tx) => restoreComment(tx, services, found, at))
    case "label":
      return services.database.write((tx) => restoreLabel(tx, services, found, found.repository.id, `${at}/labels`))
    case "milestone":
      return services.database.write((tx) => restoreMilestone(tx, services, found, at))
    case "release":
      return services.database.write((tx) => restoreRelease(tx, services, found, at))
    case "branch":
      return restoreBranch(services, found, at)
    case "repository":
      throw refuse.notFound()
  }
}

export const answered = (
  { deletion }: OnDeletion,
  html_url: string,
  counts: ReadonlyMap<string, number> = new Map(),
  changed: Partial<RestoredThing> = {},
): RestoredThing => ({
  kind: deletion.kind,
  subject_id: deletion.subject_id,
  number: deletion.number,
  name: deletion.name,
  html_url,
  left_out: leftOutOf(counts),
  ...changed,
})

async function restoreIssue(tx: Transaction, services: Services, found: FoundIn, at: string): Promise<RestoredThing> {
  const { deletion, me } = found
  const repository = await lockForIssues(tx, found.repository.id)
  const owner = (await findUserById.first(tx, { id: repository.owner_id })) ?? found.owner
  const { captured } = await take(tx, deletion.id)
  const labelIds = [...new Set(numbersOf(rowsOf(captured, "issue_labels"), "label_id"))]
  const usable =
    labelIds.length === 0 ? [] : await findUsableLabelsById(tx, { repositoryId: repository.id, ownerId: owner.id, ids: labelIds })
  const kept = new Set(usable.map(({ id }) => id))
  const fits = (table: string, row: Row) => table !== "issue_labels" || (typeof row["label_id"] === "number" && kept.has(row["label_id"]))
  const keys = await foreignKeysOf(services.database, tx)
  const counts = await putRowsBack(tx, keys, captured, fits).catch(inTheWay)
  const issue = await findIssueById.first(tx, { id: deletion.subject_id })
  if (!issue) throw refuse.conflict("its repository is gone")
  await putLinksBack(tx, captured, repository.id)
  await recountOpen(tx, repository.id)
  await recountComments(tx, issue.id, 0)
  await recountMilestones(tx, [issue.milestone_id], services.now())
  publish(tx, { kind: "issue.restored", issue, repository, owner, actor: me, at: services.now() })
  return answered(found, issueUrl(at, issue), counts)
}

async function restoreComment(tx: Transaction, services: Services, found: FoundIn, at: string): Promise<RestoredThing> {
  const { deletion, me } = found
  const repository = await lockForIssues(tx, found.repository.id)
  const seen = await findIssueById.first(tx, { id: deletion.issue_id })
  if (!seen) throw refuse.conflict("its issue is deleted: restore that first")
  if (seen.repository_id !== repository.id) throw refuse.conflict("its issue is in another repository by now")
  const issue = await lockIssue(tx, seen)
  const on = { ...found, repository, issue }
  if (!writesKind(on, issue)) {
    requireUnlocked(on)
    await requireWelcome(tx, on)
  }
  const { captured } = await take(tx, deletion.id)
  const keys = await foreignKeysOf(services.database, tx)
  const counts = await putRowsBack(tx, keys, captured).catch(inTheWay)
  const [comment] = await findCommentsByIds(tx, { ids: [deletion.subject_id] })
  if (!comment) throw refuse.conflict("what it belonged to is gone")
  await putLinksBack(tx, captured, repository.id)
  await recountComments(tx, issue.id, services.now())
  publish(tx, { kind: "comment.restored", issue, repository, owner: found.owner, comment, actor: me, at: services.now() })
  return answered(found, `${issueUrl(at, issue)}#issuecomment-${comment.id}`, counts, { number: issue.number })
}

/** Restores a label of a repository, or of an organisation where that is null, with the issues that had it and are still there. */
export async function restoreLabel(
  tx: Transaction,
  services: Services,
  found: Found,
  repositoryId: number | null,
  url: string,
): Promise<RestoredThing> {
  const { deletion, me } = found
  const repository = repositoryId === null ? undefined : await lockRow(tx, "repositories", repositoryId)
  if (repository?.is_archived === 1) throw refuse.archived()
  const { captured } = await take(tx, deletion.id)
  const issueIds = [...numbersOf(rowsOf(captured, "issue_labels"), "issue_id"), ...numbersOf(rowsOf(captured, "comments"), "issue_id")]
  const homes = await findHomes(tx, [...new Set(issueIds)])
  const isHome = (issueId: unknown): boolean => {
    const home = typeof issueId === "number" ? homes.get(issueId) : undefined
    return home !== undefined && (repositoryId === null ? home.ownerId === deletion.owner_id : home.repositoryId === repositoryId)
  }
  const fits = (table: string, row: Row) => (table !== "issue_labels" && table !== "comments") || isHome(row["issue_id"])
  const counts = await putRowsBack(tx, await foreignKeysOf(services.database, tx), captured, fits).catch(inTheWay)
  const label = await findLabelRow(tx, deletion.subject_id)
  if (!label) throw refuse.conflict("what it belonged to is gone")
  const ownerId = repositoryId === null ? deletion.owner_id : null
  publish(tx, { kind: "label.restored", label, repositoryId, ownerId, actor: me, at: services.now() })
  return answered(found, url, counts)
}

async function restoreMilestone(tx: Transaction, services: Services, found: FoundIn, at: string): Promise<RestoredThing> {
  const { deletion, me } = found
  const repository = await lockForIssues(tx, found.repository.id)
  const { captured } = await take(tx, deletion.id)
  const counts = await putRowsBack(tx, await foreignKeysOf(services.database, tx), captured).catch(inTheWay)
  await putLinksBack(tx, captured, repository.id)
  const [milestone] = await findMilestonesByIds(tx, { ids: [deletion.subject_id] })
  if (!milestone) throw refuse.conflict("what it belonged to is gone")
  await recountMilestones(tx, [milestone.id], services.now())
  publish(tx, { kind: "milestone.restored", repositoryId: repository.id, milestone, actor: me, at: services.now() })
  return answered(found, `${at}/milestone/${milestone.id}`, counts)
}

async function restoreRelease(tx: Transaction, services: Services, found: FoundIn, at: string): Promise<RestoredThing> {
  const { deletion, me, owner } = found
  const repository = await lockRow(tx, "repositories", found.repository.id)
  if (!repository) throw refuse.notFound()
  if (repository.is_archived === 1) throw refuse.archived()
  const { captured } = await take(tx, deletion.id)
  const counts = await putRowsBack(tx, await foreignKeysOf(services.database, tx), captured).catch(inTheWay)
  const release = await findReleaseById.first(tx, { id: deletion.subject_id })
  if (!release) throw refuse.conflict("what it belonged to is gone")
  if (release.is_draft === 0 && !(await findTag.first(tx, { repositoryId: repository.id, name: release.tag_name })))
    throw refuse.conflict(t`its tag ${release.tag_name} is gone: make it again first`)
  await recountReleases(tx, repository.id)
  publish(tx, { kind: "release.restored", repository, owner, release, actor: me, at: services.now() })
  return answered(found, `${at}/releases/tag/${release.tag_name.split("/").map(encodeURIComponent).join("/")}`, counts)
}

async function restoreBranch(services: Services, found: FoundIn, at: string): Promise<RestoredThing> {
  const { deletion, repository } = found
  const { name, commit_id } = deletion
  if (repository.is_mirror === 1) throw refuse.forbidden("Git Repository is a mirror.")
  if (!isBranchName(name)) throw refuse.conflict("its name is no branch name any more")
  await requireNoConflict({ services, on: found }, name)
  const newId = objectId(commit_id)
  const git = services.git.at(repository.storage, repository.object_format)
  if ((await services.git.objects.info(git, newId))?.type !== "commit") throw refuse.conflict("its commits are gone")
  await pushFromServer(services, found.actor, found, [{ ref: branchRef(name), oldId: null, newId }], { addedBytes: 0 })
  await services.database.write((tx) => takeDeletion(tx, { id: deletion.id }))
  return answered(found, `${at}/src/branch/${name.split("/").map(encodeURIComponent).join("/")}`)
}
