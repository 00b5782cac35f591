import { Mode } from "../../../access/modes.ts"
import { type Issue, type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { dueAt } from "../milestones/rules.ts"
import { assign, invalidAssignee, requireAssignable, usersNamed } from "./assign.ts"
import { assigneeNames, normalizeTitle } from "./create.ts"
import { setDeadline } from "./deadline.ts"
import { lockForIssues, lockIssue } from "./lock.ts"
import { setMilestone } from "./milestone.ts"
import { setIssueProjects } from "./projects.ts"
import type { EditIssueOption } from "./records.ts"
import { crossReference } from "./references.ts"
import { type Ending, setState } from "./state.ts"
import { findIssueById, updateIssue } from "./store.ts"

/**
 * Changes the given members of an issue, all or nothing, and returns its row. `ending` says why it is closed. Assignees and milestone are ignored from users who may not write
 * to issues, and projects from those who may not write to them; the author may change the rest.
 * Refuses `conflict` where `content_version` is not the current one, before anything else; `badRequest` an unset due date without a date;
 * `preconditionFailed` an unknown state, and to close an issue that depends on an open one; as
 * `invalid` users that the issue can't be assigned to, unknown milestones and projects that it can't be added to; `forbidden` to users blocked by the owner, the author or an
 * assignee; `notFound` and `archived` where the repository or issue has changed meanwhile.
 */
export async function editIssue(
  tx: Transaction,
  services: Services,
  found: OnIssue & Me,
  options: EditIssueOption,
  ending?: Ending,
): Promise<Issue> {
  const { owner, me } = found
  const now = services.now()
  const repository = await lockForIssues(tx, found.repository.id)
  const issue = await lockIssue(tx, found.issue)
  if (options.content_version !== undefined && options.content_version !== issue.content_version)
    throw refuse.conflict("the issue is already changed")
  await writeTexts(tx, services, { ...found, repository, issue }, options, now)
  const due = wantedDeadline(options)
  if (due !== undefined) await setDeadline(tx, issue, due, me, now)
  if (writesKind(found, issue)) {
    if (options.assignees !== undefined || options.assignee !== undefined) {
      const users = await usersNamed(tx, found, assigneeNames(options))
      await requireAssignable(tx, { repository, owner }, me, users, invalidAssignee)
      await assign(tx, { issue, repository, owner, actor: me, users, mode: "replace", now })
    }
    if (options.milestone !== undefined) await setMilestone(tx, issue, options.milestone === 0 ? null : options.milestone, me, now)
  }
  if (options.projects) await setIssueProjects(tx, { ...found, issue, repository, projectIds: options.projects, now })
  // Without other changes the locked row is still current.
  const changed = isOnlyState(options) ? issue : await findIssueById.first(tx, { id: issue.id })
  if (!changed) throw refuse.notFound()
  if (options.state === undefined) return changed
  return setState(tx, services, { issue: changed, repository, owner, closed: isClosing(options.state), actor: me, now, ending })
}

/** Whether only the state is to be changed, as when a client closes an issue. */
const isOnlyState = ({ state, ...others }: EditIssueOption): boolean =>
  state !== undefined && Object.values(others).every((value) => value === undefined)

/** Title, body and branch. The body's version is incremented by every write of it, even of the same text. */
async function writeTexts(tx: Transaction, services: Services, found: OnIssue & Me, options: EditIssueOption, now: Seconds): Promise<void> {
  const { issue, repository, owner, me, permission } = found
  const title = options.title ? normalizeTitle(options.title) : issue.title
  const content = options.body ?? issue.content
  const ref = options.ref ?? issue.ref
  const rewritten = options.body !== undefined
  const retitled = title !== issue.title
  if ((rewritten || retitled) && permission.mode < Mode.admin) await requireUnblocked(tx, me, [owner, { id: issue.author_id }])
  if (!rewritten && !retitled && ref === issue.ref) return
  const content_version = issue.content_version + (rewritten ? 1 : 0)
  await updateIssue(tx, issue.id, { title, content, ref, content_version, updated_at: now })
  const changes = {
    ...(retitled && { title: { from: issue.title, to: title } }),
    ...(rewritten && { body: { from: issue.content } }),
  }
  if (rewritten || retitled) publish(tx, { kind: "issue.edited", issue, actor: me, changes, at: now })
  if (rewritten || retitled) {
    const text = { issue, repository, owner, author: me, text: `${title}\n${content}`, edited: true }
    await crossReference(tx, services.site.rootUrl, text, now)
  }
  if (ref !== issue.ref) publish(tx, { kind: "issue.branchChanged", issue, actor: me, from: issue.ref, to: ref, at: now })
}

function wantedDeadline({ due_date, unset_due_date }: EditIssueOption): Seconds | undefined {
  if (unset_due_date === true) return 0
  if (due_date !== undefined) return dueAt(due_date)
  if (unset_due_date === false) throw refuse.badRequest("The due_date cannot be empty")
  return undefined
}

function isClosing(state: string): boolean {
  if (state === "closed" || state === "open") return state === "closed"
  throw refuse.preconditionFailed(t`unknown state: ${state}`)
}
