import { type Repository, unitEnabled } from "../../../access/permission.ts"
import { type Issue, writesKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { currentToken } from "../../../core/caller.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { cutToWidth } from "../../../core/text/width.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { dueAt } from "../milestones/rules.ts"
import { assign, invalidAssignee, requireAssignable, usersNamed } from "./assign.ts"
import { setIssueLabels, usableLabels } from "./labels.ts"
import { lockForIssues } from "./lock.ts"
import { recordMentions } from "./mentions.ts"
import { setMilestone } from "./milestone.ts"
import { setIssueProjects } from "./projects.ts"
import type { CreateIssueOption } from "./records.ts"
import { crossReference } from "./references.ts"
import { setState } from "./state.ts"
import { findIssueById, insertIssue, takeNumber } from "./store.ts"

/** The maximum display width of a title, in columns. */
const TITLE_WIDTH = 255

/** A title as it is stored. */
export const normalizeTitle = (title: string): string => cutToWidth(title.trim(), TITLE_WIDTH).trim()

/** The names in `assignee` and `assignees`, in the order of the latter; the single one comes first if it is not among them. */
export function assigneeNames({ assignee = "", assignees = [] }: Pick<CreateIssueOption, "assignee" | "assignees">): readonly string[] {
  const isAmong = assignees.some((name) => name.toLowerCase() === assignee.toLowerCase())
  return assignee === "" || isAmong ? assignees : [assignee, ...assignees]
}

/** Whether an issue is made without what is kept beside it. */
export const isBare = ({ labels, projects, ...people }: CreateIssueOption): boolean =>
  !labels?.length && !projects?.length && assigneeNames(people).length === 0

/**
 * Creates an issue with its number, labels, milestone, assignees, projects, references and mentions, updates the counters and publishes it.
 * Labels, milestone and assignees are ignored from users who may not write to issues, since clients send them from templates.
 * So are projects from users who may not write to them.
 * Refuses `notFound` and `archived` where the repository has changed meanwhile, `forbidden` to users blocked by the owner or an assignee,
 * and as `invalid` unknown labels and milestones, projects that it can't be added to, and users that it can't be assigned to.
 */
export async function createIssue(
  tx: Transaction,
  services: Services,
  found: OnRepository & Me,
  options: CreateIssueOption,
): Promise<Issue> {
  const { owner, me } = found
  const now = services.now()
  const title = normalizeTitle(options.title)
  const content = options.body ?? ""
  const [locked, inserted] = insertLocked(tx, {
    repositoryId: found.repository.id,
    isPull: 0,
    authorId: me.id,
    title,
    content,
    ref: options.ref ?? "",
    dueAt: options.due_date === undefined ? 0 : dueAt(options.due_date),
    madeWith: currentToken(),
    now,
  })
  const repository = await locked
  if (!unitEnabled(repository, "repo.issues")) throw refuse.notFound()
  if (me.id !== owner.id) await requireUnblocked(tx, me, [owner])
  const extras: Partial<CreateIssueOption> = writesKind(found, { is_pull: 0 }) ? options : {}
  const users = await usersNamed(tx, found, assigneeNames(extras))
  await requireAssignable(tx, { repository, owner }, me, users, invalidAssignee)
  const labels = extras.labels?.length ? await usableLabels(tx, repository, owner, extras.labels) : []
  const issue = await inserted
  if (!issue) throw new TypeError("an insert gives its row")

  const text = { issue, repository, owner, author: me, text: content }
  const mentioned = await recordMentions(tx, text)
  publish(tx, { kind: "issue.opened", issue, repository, owner, actor: me, mentioned, at: now })
  if (extras.milestone) await setMilestone(tx, issue, extras.milestone, me, now)
  if (labels.length > 0) await setIssueLabels(tx, { issue, labels, mode: "add", actor: me, now })
  await crossReference(tx, services.site.rootUrl, { ...text, text: `${title}\n${content}` }, now)
  await assign(tx, { issue, repository, owner, actor: me, users, mode: "add", now })
  if (options.projects) await setIssueProjects(tx, { ...found, issue, repository, projectIds: options.projects, now })
  const made = extras.milestone ? ((await findIssueById.first(tx, { id: issue.id })) ?? issue) : issue
  return options.closed ? setState(tx, services, { issue: made, repository, owner, closed: true, actor: me, now }) : made
}

/**
 * Locks the repository and adds the issue, with its number. PostgreSQL gets all of it at once, since others wait for the lock; where the issue is refused afterwards,
 * so is its row. The second promise may be left alone.
 */
function insertLocked(tx: Transaction, row: Parameters<typeof insertIssue>[1]): readonly [Promise<Repository>, Promise<Issue | undefined>] {
  const locked = lockForIssues(tx, row.repositoryId, "issue")
  const numbered = takeNumber(tx, { repositoryId: row.repositoryId })
  const inserted = insertIssue.first(tx, row)
  for (const each of [numbered, inserted]) each.catch(() => {})
  return [locked, inserted]
}
