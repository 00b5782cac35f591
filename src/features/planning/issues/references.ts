import { type Owned, permissionsOn } from "../../../access/permission.ts"
import { type Issue, type OnIssue, readsKind, writesKind } from "../../../access/policies/issues.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { blockersAmong } from "../../people/blocks/rules.ts"
import type { WrittenText } from "./mentions.ts"
import { type Reference, type ReferenceAction, readReferences } from "./reference-text.ts"
import { findForeign, findNumbered, findWritten, neuterEntries } from "./references-store.ts"
import { touchIssue } from "./touch-store.ts"

/** Cross-references: timeline entries on issues that a text refers to. */

/** A text with references: the body of an issue, with its title before it, or one of its comments. */
export interface ReferringText extends WrittenText {
  readonly comment?: { readonly id: number }
  /** Whether an existing text was edited. */
  readonly edited?: boolean
}

interface Target extends Owned {
  readonly issue: Issue
  readonly action: ReferenceAction
}

/**
 * Publishes a reference to each issue and pull request that a text refers to, once; after an edit, the entries of removed references are
 * marked as neutered. Skips issues that the author may not read, and those whose author or owner has blocked them. `rootUrl` is the
 * server's own URL.
 */
export async function crossReference(tx: Transaction, rootUrl: string, source: ReferringText, now: Seconds): Promise<void> {
  const references = readReferences(rootUrl, source.text)
  if (references.length === 0 && !source.edited) return
  const targets = await findTargets(tx, source, references)
  const written = source.edited ? await findWritten(tx, { issueId: source.issue.id, commentId: source.comment?.id ?? 0 }) : []
  const isRecorded = (target: Target) => written.some((entry) => entry.issue_id === target.issue.id && entry.ref_action === target.action)
  const gone = written.filter(
    (entry) => !targets.some((target) => entry.issue_id === target.issue.id && entry.ref_action === target.action),
  )
  if (gone.length > 0)
    await neuterEntries(
      tx,
      gone.map(({ id }) => id),
    )
  for (const target of targets) {
    if (isRecorded(target)) continue
    publish(tx, {
      kind: "issue.referenced",
      issue: target.issue,
      actor: source.author,
      by: kindOf(source),
      source: { repositoryId: source.repository.id, issueId: source.issue.id, commentId: source.comment?.id ?? null },
      action: target.action,
      at: now,
    })
    await touchIssue(tx, target.issue, now)
  }
}

const kindOf = ({ comment, issue }: ReferringText) => (comment ? "comment_ref" : issue.is_pull === 1 ? "pull_ref" : "issue_ref")

/** Ordered by id, so that two texts that refer to the same issues can't deadlock. */
async function findTargets(tx: Transaction, source: ReferringText, references: readonly Reference[]): Promise<readonly Target[]> {
  const found = await resolveReferences(tx, source, source.author, references)
  const targets = new Map<number, Target>()
  for (const each of found) {
    const { reference, issue, repository, owner } = each
    if (issue.id === source.issue.id) continue
    // Whether a pull request's own text may close issues of its repository is decided when it is merged.
    const decidedLater = source.comment === undefined && repository.id === source.repository.id && issue.is_pull === 0
    const acts = source.issue.is_pull === 1 && (decidedLater || mayAct(each, source.author))
    const action = acts ? reference.action : "none"
    const known = targets.get(issue.id)
    if (!known || action !== "none") targets.set(issue.id, { issue, repository, owner, action })
  }
  const all = await withoutBlockers(tx, source.author, [...targets.values()])
  return all.toSorted((a, b) => a.issue.id - b.issue.id)
}

/** Whether a user may close and reopen an issue by a reference. Pull requests can't be closed in this way. */
export const mayAct = (target: OnIssue, writer: Pick<User, "id">): boolean =>
  target.issue.is_pull === 0 && (target.issue.author_id === writer.id || writesKind(target, target.issue))

/** A reference with the issue that it resolves to. */
export interface Resolved extends OnIssue {
  readonly reference: Reference
}

/** Resolves references with the permissions of `reader`; missing and hidden issues are left out. At most seven queries. */
export async function resolveReferences(
  db: Handle,
  home: Owned,
  reader: User,
  references: readonly Reference[],
): Promise<readonly Resolved[]> {
  if (references.length === 0) return []
  const named = (owned: Owned, { owner, repository }: Reference) =>
    owner === undefined || (owned.owner.lower_name === owner.toLowerCase() && owned.repository.lower_name === repository?.toLowerCase())
  const own = references.filter((reference) => named(home, reference))
  const foreign = references.filter((reference) => !named(home, reference))
  const issues = [
    ...(own.length === 0
      ? []
      : await findNumbered(db, { repositoryId: home.repository.id, numbers: [...new Set(own.map(({ number }) => number))] })),
    ...(await findForeign(db, foreign)),
  ]
  if (issues.length === 0) return []
  const elsewhere = new Set(issues.map((issue) => issue.repository_id).filter((id) => id !== home.repository.id))
  const others = elsewhere.size === 0 ? [] : await withOwners(db, await findRepositoriesByIds(db, { ids: [...elsewhere] }))
  const owned = [home, ...others]
  const permissions = await permissionsOn(db, signedInAs(reader), owned)
  return references.flatMap((reference) => {
    const place = named(home, reference) ? home : others.find((other) => named(other, reference))
    const issue = place && issues.find((each) => each.repository_id === place.repository.id && each.number === reference.number)
    const permission = place && permissions.get(place.repository.id)
    if (!place || !issue || !permission) return []
    const found = { ...place, permission, issue, reference }
    return readsKind(found, issue) ? [found] : []
  })
}

async function withoutBlockers(tx: Transaction, writer: User, targets: readonly Target[]): Promise<readonly Target[]> {
  const blockers = await blockersAmong(
    tx,
    writer,
    targets.flatMap(({ issue, owner }) => [issue.author_id, owner.id]),
  )
  return targets.filter(({ issue, owner }) => !blockers.has(issue.author_id) && !blockers.has(owner.id))
}
