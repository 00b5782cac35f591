import {
  onIssue,
  onIssueAsAdministrator,
  onIssueAsAuthor,
  onIssueAsWriter,
  onIssuesAsReader,
  onIssuesAsReporter,
} from "../../../access/policies/issues.ts"
import { onRepository } from "../../../access/policies/repositories.ts"
import { lineOf } from "../../../core/database/lock.ts"
import { accepted, created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../../code/deletions/answer.ts"
import { dueAt } from "../milestones/rules.ts"
import { gateAt } from "../newcomers/gate.ts"
import { HeldRequest } from "../newcomers/records.ts"
import { lockConversation, unlockConversation } from "./conversation.ts"
import { createIssue, isBare } from "./create.ts"
import { setDeadline } from "./deadline.ts"
import { deleteIssue } from "./delete.ts"
import { editIssue } from "./edit.ts"
import { lockIssue } from "./lock.ts"
import { mayPin, movePin, pinIssue, unpinIssue } from "./pins.ts"
import { presentIssue, presentIssues } from "./present.ts"
import {
  AT,
  atQuery,
  CreateIssueOption,
  EditDeadlineOption,
  EditIssueOption,
  Issue,
  IssueDeadline,
  LockIssueOption,
  NewIssuePinsAllowed,
} from "./records.ts"
import { findPinned } from "./store.ts"

const shared = { tag: "issue", scope: ["issue"] } as const
const changes = { ...shared, archived: "refused" } as const

export const issueOperations: readonly Operation[] = [
  operation({
    ...changes,
    id: "issueCreateIssue",
    route: "POST /repos/{owner}/{repo}/issues",
    summary: "Create an issue",
    description:
      "Labels, milestone and assignees count only from those who may write to issues, projects from those who may write to them; " +
      "from others they are passed over. An exclusive label drives out others of its scope. Where newcomers are held, theirs is answered with 202, and " +
      "created when it is approved.",
    access: onIssuesAsReporter,
    body: CreateIssueOption,
    answers: { 201: Issue, 202: HeldRequest },
    refuses: ["badRequest", "forbidden", "invalid", "preconditionFailed", "tooMany"],
    handle: async ({ services, db, body, ...found }) => {
      const gate = gateAt(services.config, found) && (await import("./newcomers.ts"))
      const held = await gate?.holdIssue(services, db, found, body)
      if (held) return accepted(held)
      return created(
        await services.database.write(
          async (tx) => {
            const issue = await createIssue(tx, services, found, body)
            await gate?.requireFewOpened(tx, services, found)
            // Presented inside the transaction, whose connection has the new rows in its cache.
            return presentIssue(tx, services.site, found.actor, issue, found, { areBare: isBare(body) })
          },
          lineOf("repositories", found.repository.id),
        ),
      )
    },
  }),

  operation({
    ...shared,
    id: "issueGetIssue",
    route: "GET /repos/{owner}/{repo}/issues/{index}",
    summary: "Get an issue or pull request",
    description: AT,
    access: onIssue,
    query: atQuery,
    answers: { 200: Issue },
    refuses: ["invalid"],
    handle: async ({ services, db, actor, query: { at }, ...found }) => {
      if (at === undefined) return ok(await presentIssue(db, services.site, actor, found.issue, found))
      return ok(await (await import("./as-of.ts")).presentIssueAt(services, db, actor, found, at))
    },
  }),

  operation({
    ...changes,
    id: "issueEditIssue",
    route: "PATCH /repos/{owner}/{repo}/issues/{index}",
    summary: "Edit an issue or pull request",
    description:
      "All or nothing. With content_version the edit is refused where the body has been written since. Assignees and milestone " +
      "count only from those who may write to issues, projects from those who may write to them; from others they are passed over.",
    access: onIssueAsAuthor,
    body: EditIssueOption,
    answers: { 201: Issue },
    refuses: ["badRequest", "forbidden", "conflict", "preconditionFailed", "invalid"],
    handle: async ({ services, db, body, ...found }) => {
      const issue = await services.database.write((tx) => editIssue(tx, services, found, body))
      return created(await presentIssue(db, services.site, found.actor, issue, found))
    },
  }),

  operation({
    ...changes,
    id: "issueDelete",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}",
    summary: "Delete an issue",
    description: `Its number is not given again. ${SAYS_UNTIL_WHEN}`,
    access: onIssueAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden"],
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => deleteIssue(tx, services, issue, me))
      return deleted(services, issue.is_pull === 1 ? "pull" : "issue", issue.id)
    },
  }),

  operation({
    ...changes,
    id: "issueEditIssueDeadline",
    route: "POST /repos/{owner}/{repo}/issues/{index}/deadline",
    summary: "Set the due date of an issue",
    description: "Only the date counts. null takes it away, which is answered with the first moment of 1970.",
    access: onIssueAsWriter,
    body: EditDeadlineOption,
    answers: { 201: IssueDeadline },
    refuses: ["forbidden"],
    handle: async ({ services, issue, me, body }) => {
      const due = body.due_date === null ? 0 : dueAt(body.due_date)
      await services.database.write(async (tx) => setDeadline(tx, await lockIssue(tx, issue), due, me, services.now()))
      return created({ due_date: rfc3339(due) })
    },
  }),

  operation({
    ...changes,
    id: "issueLockIssue",
    route: "PUT /repos/{owner}/{repo}/issues/{index}/lock",
    summary: "Lock an issue",
    description: "Only those who may write comment on it from then on.",
    access: onIssueAsAdministrator,
    body: LockIssueOption,
    answers: { 204: null },
    refuses: ["forbidden"],
    handle: async ({ services, issue, me, body }) => {
      await services.database.write((tx) => lockConversation(tx, issue, body.lock_reason ?? "", me, services.now()))
      return noContent()
    },
  }),

  operation({
    ...changes,
    id: "issueUnlockIssue",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/lock",
    summary: "Unlock an issue",
    access: onIssueAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden"],
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => unlockConversation(tx, issue, me, services.now()))
      return noContent()
    },
  }),

  operation({
    ...changes,
    id: "pinIssue",
    route: "POST /repos/{owner}/{repo}/issues/{index}/pin",
    summary: "Pin an issue",
    access: onIssueAsAdministrator,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden"],
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => pinIssue(tx, issue, me, services.now()))
      return noContent()
    },
  }),

  operation({
    ...changes,
    id: "unpinIssue",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/pin",
    summary: "Unpin an issue",
    description: "One that is not pinned stays as it is.",
    access: onIssueAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden"],
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => unpinIssue(tx, issue, me, services.now()))
      return noContent()
    },
  }),

  operation({
    ...changes,
    id: "moveIssuePin",
    route: "PATCH /repos/{owner}/{repo}/issues/{index}/pin/{position}",
    summary: "Move a pinned issue",
    description: "To a place counted from 1; the others make room.",
    access: onIssueAsAdministrator,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden"],
    handle: async ({ services, me, issue, path }) => {
      await services.database.write((tx) => movePin(tx, issue, path.position, me))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoListPinnedIssues",
    route: "GET /repos/{owner}/{repo}/issues/pinned",
    summary: "List the pinned issues of a repository",
    access: onIssuesAsReader,
    answers: { 200: Type.Array(Issue) },
    refuses: ["forbidden"],
    handle: async ({ services, db, actor, ...found }) => {
      const pinned = await findPinned(db, { repositoryId: found.repository.id, isPull: 0 })
      return ok(await presentIssues(db, services.site, actor, pinned, { owned: [found] }))
    },
  }),

  operation({
    ...shared,
    scope: ["repository"],
    id: "repoNewPinAllowed",
    route: "GET /repos/{owner}/{repo}/new_pin_allowed",
    summary: "Check whether one more issue or pull request can be pinned",
    access: onRepository,
    answers: { 200: NewIssuePinsAllowed },
    handle: async ({ db, repository }) =>
      ok({ issues: await mayPin(db, repository.id, 0), pull_requests: await mayPin(db, repository.id, 1) }),
  }),
]
