import { type Owned, permissionOn, permissionsOf, type Repository, unitEnabled } from "../../../access/permission.ts"
import { type Issue, type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import { mayTrackByStopwatch } from "../../../access/policies/tracking.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRows } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { moveAttachments } from "../../code/attachments/store.ts"
import { usersById } from "../../code/repositories/store.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { removeDependency } from "../dependencies/rules.ts"
import { findAllDependencies } from "../dependencies/store.ts"
import { assign } from "../issues/assign.ts"
import { assignableAmong } from "../issues/assignable.ts"
import { addLabels, removeLabels } from "../issues/labels.ts"
import { lockIssue } from "../issues/lock.ts"
import { findAssignees } from "../issues/people-store.ts"
import { leaveProjects } from "../issues/projects.ts"
import { takeNumber } from "../issues/store.ts"
import { recountOpen } from "../issues/touch-store.ts"
import { moveIssue, moveLabelEntries, moveMilestoneEntries, moveReferences } from "../issues/transfer-store.ts"
import { labelsAfter } from "../labels/scopes.ts"
import { findIssueLabels, findUsableLabelsByName } from "../labels/store.ts"
import { recountMilestones } from "../milestones/rules.ts"
import { findProjectIds, moveCards } from "../projects/card-store.ts"
import { stopStopwatch } from "../tracking/stopwatches.ts"
import { findStopwatchUsers } from "../tracking/store.ts"
import { insertMovedIssue } from "./store.ts"

/** The transfer of an issue to another repository. Its row stays, and with it all that refers to it by its id. */

interface Move {
  readonly issue: Issue
  /** Where it was. */
  readonly from: Repository
  readonly to: Owned
}

/**
 * Transfers an issue to another repository, where it gets the next number, and returns its row. Comments, reactions, subscriptions, files, times and the
 * timeline go along; labels and the milestone where there are some of the same name; assignees who can be assigned there; boards of an owner
 * whom both have. Its former number leads to it from then on.
 * Refuses as `invalid` pull requests, the same repository, and one that is archived, tracks its issues elsewhere, or whose issues the caller may not
 * write to; `forbidden` to those who may not write to the issue, or whom the new owner has blocked; `notFound` where it is gone or was transferred
 * meanwhile.
 */
export async function transferIssue(tx: Transaction, services: Services, found: OnIssue & Me, target: Owned): Promise<Issue> {
  const { me, actor } = found
  const now = services.now()
  const [from, to] = await lockBoth(tx, found.repository.id, target.repository.id)
  const issue = await lockIssue(tx, found.issue)
  const home = { repository: from, owner: found.owner }
  if (issue.is_pull === 1) throw refuse.invalid("repository", "pull requests stay where their branches are")
  if (!writesKind({ ...home, permission: await permissionOn(tx, actor, home) }, issue))
    throw refuse.forbidden("write permission is required")
  const place = { repository: to, owner: target.owner }
  if (!unitEnabled(to, "repo.issues") || !writesKind({ ...place, permission: await permissionOn(tx, actor, place) }, issue))
    throw refuse.invalid("repository", "must have issues that you may write to")
  if (me.id !== place.owner.id) await requireUnblocked(tx, me, [place.owner])

  publish(tx, { kind: "issue.leaving", issue, number: issue.number, isPull: false, actor: me, at: now })
  await leaveBoards(tx, { issue, from, to: place }, me, now)
  await endStopwatches(tx, { issue, from, to: place }, now)
  // What is told of the former place is told before there is a new one.
  await services.events.deliver(tx)
  const moved = await moveRow(tx, { issue, from, to: place }, now)
  await moveLabels(tx, { issue, from, to: place })
  await moveRest(tx, { issue: moved, from, to: place })
  await leaveDependencies(tx, moved, to, me, now)
  await recountOpen(tx, from.id)
  await recountOpen(tx, to.id)
  await recountMilestones(tx, [issue.milestone_id, moved.milestone_id], now)
  publish(tx, { kind: "issue.transferred", issue: moved, ...place, actor: me, from, number: issue.number, at: now })
  const assignees = await findAssignees(tx, { ids: [issue.id] })
  const fit = await assignableAmong(tx, place, assignees)
  const users = assignees.filter(({ id }) => !fit.has(id))
  await assign(tx, { issue: moved, ...place, actor: me, users, mode: "remove", now })
  return moved
}

/** Both repositories, locked in the order of their ids. */
async function lockBoth(tx: Transaction, fromId: number, toId: number): Promise<readonly [Repository, Repository]> {
  if (fromId === toId) throw refuse.invalid("repository", "is where the issue is already")
  const rows = await lockRows(tx, "repositories", [fromId, toId])
  const from = rows.find(({ id }) => id === fromId)
  const to = rows.find(({ id }) => id === toId)
  if (!from) throw refuse.notFound()
  if (from.is_archived === 1) throw refuse.archived()
  if (!to) throw refuse.invalid("repository", "is not there any more")
  if (to.is_archived === 1) throw refuse.invalid("repository", "is archived")
  return [from, to]
}

/** Takes the issue off the boards that the new repository does not share. */
async function leaveBoards(tx: Transaction, { issue, from, to }: Move, me: Me["me"], now: Seconds): Promise<void> {
  const ids = (await findProjectIds(tx, { issueId: issue.id })).map(({ project_id }) => project_id)
  if (ids.length === 0) return
  const projects = await lockRows(tx, "projects", ids)
  const shared = projects.filter(({ owner_id }) => owner_id !== null && owner_id === from.owner_id && owner_id === to.repository.owner_id)
  const kept = new Set(to.repository.projects_mode === "repo" ? [] : shared.map(({ id }) => id))
  const left = ids.filter((id) => !kept.has(id))
  await leaveProjects(tx, left, issue, me, now)
}

/** Books the time of those who can't go on measuring it in the new place. */
async function endStopwatches(tx: Transaction, { issue, to }: Move, now: Seconds): Promise<void> {
  const ids = (await findStopwatchUsers(tx, { issueId: issue.id })).map(({ user_id }) => user_id)
  if (ids.length === 0) return
  const users = [...(await usersById(tx, ids)).values()]
  const permissions = await permissionsOf(tx, to, users)
  for (const user of users) {
    const permission = permissions.get(user.id)
    if (!permission || !mayTrackByStopwatch({ ...to, permission }, issue)) await stopStopwatch(tx, issue, user, now)
  }
}

/** Gives the issue its new number, and remembers the former one. What names something of the former repository is not kept. */
async function moveRow(tx: Transaction, { issue, from, to: { repository } }: Move, now: Seconds): Promise<Issue> {
  const number = (await takeNumber.first(tx, { repositoryId: repository.id }))?.last_number
  if (number === undefined) throw new TypeError("a counter gives a number")
  await insertMovedIssue(tx, { repositoryId: from.id, number: issue.number, issueId: issue.id, now })
  return moveIssue(tx, { repositoryId: repository.id, number, now, id: issue.id })
}

/** Gives the issue the labels of the same names that the new repository has, and the timeline too. What was said of other labels is not kept. */
async function moveLabels(tx: Transaction, { issue, to }: Move): Promise<void> {
  const owners = { repositoryId: to.repository.id, ownerId: to.owner.id }
  const present = await findIssueLabels(tx, { issueId: issue.id })
  if (present.length > 0) {
    const names = [...new Set(present.map(({ name }) => name))]
    const known = await findUsableLabelsByName(tx, { ...owners, names })
    const same = present.flatMap(({ id, name }) => known.find((each) => each.id === id) ?? known.find((each) => each.name === name) ?? [])
    await removeLabels(tx, issue.id, present)
    await addLabels(tx, issue.id, labelsAfter([], [...new Set(same)], "add"))
  }
  await moveLabelEntries(tx, { issueId: issue.id, ...owners })
}

/** What names the repository besides the issue. */
async function moveRest(tx: Transaction, { issue, to: { repository } }: Move): Promise<void> {
  const move = { repositoryId: repository.id, issueId: issue.id }
  await moveMilestoneEntries(tx, move)
  await moveReferences(tx, move)
  await moveAttachments(tx, move)
  await moveCards(tx, move)
}

/** It waits for nothing where issues don't wait for one another. */
async function leaveDependencies(tx: Transaction, issue: Issue, to: Repository, me: Me["me"], now: Seconds): Promise<void> {
  if (to.enable_issue_dependencies === 1) return
  const awaited = await findAllDependencies(tx, issue.id)
  for (const dependency of awaited) await removeDependency(tx, { dependent: issue, dependency }, me, now)
}
