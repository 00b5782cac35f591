import { created, listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentIssues } from "../issues/present.ts"
import { Issue } from "../issues/records.ts"
import { findColumnIssues } from "../projects/card-store.ts"
import { requireColumnOf } from "../projects/lock.ts"
import { MoveProjectIssueOption } from "../projects/records.ts"
import { inEveryScope, readingIn, writingColumnsIn, writingIn } from "../projects/scopes.ts"
import { addCard, moveCard, removeCard } from "./rules.ts"

/** The issues and pull requests in columns. */
export const projectCardOperations: readonly Operation[] = inEveryScope((scope) => {
  const project = `${scope.prefix}/projects/{id}` as const
  const issues = `${project}/columns/{column_id}/issues` as const
  const of = `of one of ${scope.whose} projects`
  return [
    operation({
      ...readingIn(scope),
      id: `${scope.id}ListProjectColumnIssues`,
      route: `GET ${issues}`,
      summary: `List the issues in a column ${of}`,
      description: "Issues and pull requests, open and closed, in the order of the board; those that the caller may see.",
      paged: true,
      answers: { 200: Type.Array(Issue) },
      refuses: ["notFound"],
      handle: async ({ services, db, actor, home, path, page }) => {
        const column = await requireColumnOf(db, home, { projectId: path.id, columnId: path.column_id })
        const { rows, total } = await findColumnIssues(db, actor, column, page)
        const { repository, owner } = home
        const known = repository ? { owned: [{ repository, owner }] } : {}
        return listed(await presentIssues(db, services.site, actor, rows, known), total)
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}AddIssueToProjectColumn`,
      route: `POST ${issues}/{issue_id}`,
      summary: `Add an issue to a column ${of}`,
      description: "Behind the others, whether it is in the project already or not. The id is that of the issue, not its number.",
      answers: { 201: null },
      refuses: ["notFound", "forbidden", "archived"],
      handle: async ({ services, actor, home, me, path }) => {
        const at = { projectId: path.id, columnId: path.column_id, issueId: path.issue_id }
        await services.database.write((tx) => addCard(tx, { home, actor, me }, at, services.now()))
        return created(undefined)
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}RemoveIssueFromProjectColumn`,
      route: `DELETE ${issues}/{issue_id}`,
      summary: `Remove an issue from a column ${of}`,
      description: "And so out of the project.",
      answers: { 204: null },
      refuses: ["notFound", "forbidden", "archived"],
      handle: async ({ services, actor, home, me, path }) => {
        const at = { projectId: path.id, columnId: path.column_id, issueId: path.issue_id }
        await services.database.write((tx) => removeCard(tx, { home, actor, me }, at, services.now()))
        return noContent()
      },
    }),

    operation({
      ...writingIn(scope),
      id: `${scope.id}MoveProjectIssue`,
      route: `POST ${project}/issues/{issue_id}/move`,
      summary: `Move an issue ${of}`,
      description: "To a column, and there to a place: others don’t make room for it. Without sorting behind the last.",
      body: MoveProjectIssueOption,
      answers: { 204: null },
      refuses: ["notFound", "forbidden", "invalid", "archived"],
      handle: async ({ services, actor, home, me, path, body }) => {
        const at = { projectId: path.id, issueId: path.issue_id }
        await services.database.write((tx) => moveCard(tx, { home, actor, me }, at, body, services.now()))
        return noContent()
      },
    }),
  ]
})
