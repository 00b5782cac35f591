import { onIssue, onIssueAsWriter } from "../../../access/policies/issues.ts"
import { findKnown } from "../../../access/policies/people.ts"
import { type OnRepository, onRepositorySignedIn } from "../../../access/policies/repositories.ts"
import { managesTimes } from "../../../access/policies/tracking.ts"
import { personVisible } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentUser } from "../../people/users/present.ts"
import { User } from "../../people/users/records.ts"
import { assign, type RefuseAssignee, requireAssignable, usersNamed } from "./assign.ts"
import { assignableAmong, findCandidateAssignees } from "./assignable.ts"
import { lockIssue } from "./lock.ts"
import { presentIssue } from "./present.ts"
import { Issue, IssueAssigneesOption } from "./records.ts"

const shared = { tag: "issue", scope: ["issue"] } as const
const ofRepository = { tag: "repository", scope: ["repository"] } as const

const notAssignable: RefuseAssignee = (user, repository) =>
  user.kind === "person"
    ? refuse.forbidden(t`${user.name} has no access to ${repository}`)
    : refuse.badRequest(t`${user.name} is an organization`)

/** Refuses `notFound` unless issues of the repository can be assigned to the user of that name. */
async function requireCandidate(db: Handle, actor: Actor, found: OnRepository, name: string): Promise<void> {
  const user = await findKnown(db, actor, name, managesTimes(found) ? found.owner : undefined)
  if (!user || !(await assignableAmong(db, found, [user])).has(user.id)) throw refuse.notFound()
}

export const assigneeOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueAddAssignees",
    route: "POST /repos/{owner}/{repo}/issues/{index}/assignees",
    summary: "Add assignees to an issue",
    description: "Those who have it already are passed over.",
    access: onIssueAsWriter,
    archived: "refused",
    body: IssueAssigneesOption,
    answers: { 201: Issue },
    refuses: ["badRequest", "forbidden", "invalid"],
    handle: async ({ services, db, actor, issue, repository, owner, me, body }) => {
      const changed = await services.database.write(async (tx) => {
        const locked = await lockIssue(tx, issue)
        const users = await usersNamed(tx, { actor, owner }, body.assignees ?? [])
        await requireAssignable(tx, { repository, owner }, me, users, notAssignable)
        await assign(tx, { issue: locked, repository, owner, actor: me, users, mode: "add", now: services.now() })
        return lockIssue(tx, issue)
      })
      return created(await presentIssue(db, services.site, actor, changed, { repository, owner }))
    },
  }),

  operation({
    ...shared,
    id: "issueRemoveAssignees",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/assignees",
    summary: "Remove assignees from an issue",
    description: "Those who don't have it are passed over.",
    access: onIssueAsWriter,
    archived: "refused",
    body: IssueAssigneesOption,
    answers: { 200: Issue },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, db, actor, issue, repository, owner, me, body }) => {
      const changed = await services.database.write(async (tx) => {
        const locked = await lockIssue(tx, issue)
        const users = await usersNamed(tx, { actor, owner }, body.assignees ?? [])
        await assign(tx, { issue: locked, repository, owner, actor: me, users, mode: "remove", now: services.now() })
        return lockIssue(tx, issue)
      })
      return ok(await presentIssue(db, services.site, actor, changed, { repository, owner }))
    },
  }),

  operation({
    ...shared,
    id: "issueCheckAssignee",
    route: "GET /repos/{owner}/{repo}/issues/{index}/assignees/{assignee}",
    summary: "Check whether a user can be assigned to an issue",
    access: onIssue,
    answers: { 204: null },
    handle: async ({ db, actor, path, ...found }) => {
      await requireCandidate(db, actor, found, path.assignee)
      return noContent()
    },
  }),

  operation({
    ...ofRepository,
    id: "repoGetAssignees",
    route: "GET /repos/{owner}/{repo}/assignees",
    summary: "List the users who can be assigned to issues of a repository",
    description:
      "Those who may write to it or reach its issues through a team, by name, and the person who owns it last. Only those who manage the " +
      "issues are shown hidden people.",
    access: onRepositorySignedIn,
    answers: { 200: Type.Array(User) },
    handle: async ({ services, db, actor, ...found }) => {
      const all = await findCandidateAssignees(db, found)
      const users = managesTimes(found) ? all : all.filter((user) => personVisible(actor, user))
      return ok(users.map((user) => presentUser(services.site, user, actor)))
    },
  }),

  operation({
    ...ofRepository,
    id: "repoCheckAssignee",
    route: "GET /repos/{owner}/{repo}/assignees/{assignee}",
    summary: "Check whether a user can be assigned to issues of a repository",
    access: onRepositorySignedIn,
    answers: { 204: null },
    handle: async ({ db, actor, path, ...found }) => {
      await requireCandidate(db, actor, found, path.assignee)
      return noContent()
    },
  }),
]
