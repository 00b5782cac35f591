import { onPlanning } from "../../../access/policies/planning.ts"
import { onRepository } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, type Operation, ok, operation, pathNumber } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../../code/deletions/answer.ts"
import { createLabel, deleteLabel, editLabel } from "./definitions.ts"
import { presentLabel } from "./present.ts"
import { CreateLabelOption, EditLabelOption, Label, labelQuery } from "./records.ts"
import { findLabel, findLabelByName, findLabels, ofRepository } from "./store.ts"

const shared = { tag: "issue", scope: ["issue"] } as const

/** A repository's own labels; those that its organisation shares are listed under the organisation. */
export const repositoryLabelOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueListLabels",
    route: "GET /repos/{owner}/{repo}/labels",
    summary: "List a repository's labels",
    description: "Those of its own.",
    access: onRepository,
    paged: true,
    query: labelQuery,
    answers: { 200: Type.Array(Label) },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, services, owner, repository, query: { sort = "alphabetically" }, page }) => {
      const { rows, total } = await findLabels(db, ofRepository(repository.id), sort, page)
      return listed(
        rows.map((label) => presentLabel(services.site, { owner, repository }, label)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "issueCreateLabel",
    route: "POST /repos/{owner}/{repo}/labels",
    summary: "Create a label of a repository",
    access: onPlanning,
    archived: "refused",
    body: CreateLabelOption,
    answers: { 201: Label },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, owner, repository, me, body }) => {
      const labelOwner = ofRepository(repository.id)
      const label = await services.database.write((tx) => createLabel(tx, labelOwner, me, body, services.now()))
      return created(presentLabel(services.site, { owner, repository }, label))
    },
  }),

  operation({
    ...shared,
    id: "issueGetLabel",
    route: "GET /repos/{owner}/{repo}/labels/{id}",
    textPath: ["id"],
    summary: "Get a label of a repository",
    description: "By its id, or by its name if that is no number.",
    access: onRepository,
    answers: { 200: Label },
    refuses: ["notFound"],
    handle: async ({ db, services, owner, repository, path }) => {
      const labelOwner = ofRepository(repository.id)
      const isId = /^\d+$/.test(path.id)
      const label = await (isId ? findLabel(db, labelOwner, pathNumber(path.id)) : findLabelByName(db, labelOwner, path.id))
      if (!label) throw refuse.notFound()
      return ok(presentLabel(services.site, { owner, repository }, label))
    },
  }),

  operation({
    ...shared,
    id: "issueEditLabel",
    route: "PATCH /repos/{owner}/{repo}/labels/{id}",
    summary: "Edit a label of a repository",
    description: "What is left out stays as it is.",
    access: onPlanning,
    archived: "refused",
    body: EditLabelOption,
    answers: { 200: Label },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, owner, repository, me, path, body }) => {
      const labelOwner = ofRepository(repository.id)
      const label = await services.database.write((tx) => editLabel(tx, labelOwner, me, path.id, body, services.now()))
      return ok(presentLabel(services.site, { owner, repository }, label))
    },
  }),

  operation({
    ...shared,
    id: "issueDeleteLabel",
    route: "DELETE /repos/{owner}/{repo}/labels/{id}",
    summary: "Delete a label of a repository",
    description: `It is taken off every issue. One that is not there is no mistake. ${SAYS_UNTIL_WHEN}`,
    access: onPlanning,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me, path }) => {
      await services.database.write((tx) => deleteLabel(tx, services, ofRepository(repository.id), me, path.id))
      return deleted(services, "label", path.id)
    },
  }),
]
