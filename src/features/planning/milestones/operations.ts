import { onPlanning } from "../../../access/policies/planning.ts"
import { onRepository } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, type Operation, ok, operation } from "../../../core/operation.ts"
import { knownWord, STATE_SYNONYMS } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../../code/deletions/answer.ts"
import { presentMilestone } from "./present.ts"
import { CreateMilestoneOption, EditMilestoneOption, Milestone } from "./records.ts"
import { createMilestone, deleteMilestone, editMilestone } from "./rules.ts"
import { findMilestone, findMilestones } from "./store.ts"

const shared = { tag: "issue", scope: ["issue"] } as const
const BY_ID_OR_TITLE = "By its id, or by its title where there is no such id."

async function requireMilestone(db: Handle, repositoryId: number, idOrTitle: string) {
  const milestone = await findMilestone(db, repositoryId, idOrTitle)
  if (!milestone) throw refuse.notFound()
  return milestone
}

export const milestoneOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueGetMilestonesList",
    route: "GET /repos/{owner}/{repo}/milestones",
    summary: "List a repository's milestones",
    description: "Those without a due date first, then by due date.",
    access: onRepository,
    paged: true,
    query: {
      state: Type.Optional(knownWord(["open", "closed", "all"], { default: "open", synonyms: STATE_SYNONYMS })),
      name: Type.Optional(Type.String({ description: "part of the title, in any letter case" })),
    },
    answers: { 200: Type.Array(Milestone) },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, repository, query: { state = "open", name: title = "" }, page }) => {
      const { rows, total } = await findMilestones(db, repository.id, { state, title }, page)
      return listed(rows.map(presentMilestone), total)
    },
  }),

  operation({
    ...shared,
    id: "issueCreateMilestone",
    route: "POST /repos/{owner}/{repo}/milestones",
    summary: "Create a milestone",
    access: onPlanning,
    archived: "refused",
    body: CreateMilestoneOption,
    answers: { 201: Milestone },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, body }) =>
      created(presentMilestone(await services.database.write((tx) => createMilestone(tx, repository.id, me, body, services.now())))),
  }),

  operation({
    ...shared,
    id: "issueGetMilestone",
    route: "GET /repos/{owner}/{repo}/milestones/{id}",
    textPath: ["id"],
    summary: "Get a milestone",
    description: BY_ID_OR_TITLE,
    access: onRepository,
    answers: { 200: Milestone },
    refuses: ["notFound"],
    handle: async ({ db, repository, path }) => ok(presentMilestone(await requireMilestone(db, repository.id, path.id))),
  }),

  operation({
    ...shared,
    id: "issueEditMilestone",
    route: "PATCH /repos/{owner}/{repo}/milestones/{id}",
    textPath: ["id"],
    summary: "Edit a milestone",
    description: `${BY_ID_OR_TITLE} What is left out stays as it is.`,
    access: onPlanning,
    archived: "refused",
    body: EditMilestoneOption,
    answers: { 200: Milestone },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, path, body }) => {
      const edited = await services.database.write((tx) => editMilestone(tx, repository.id, me, path.id, body, services.now()))
      return ok(presentMilestone(edited))
    },
  }),

  operation({
    ...shared,
    id: "issueDeleteMilestone",
    route: "DELETE /repos/{owner}/{repo}/milestones/{id}",
    textPath: ["id"],
    summary: "Delete a milestone",
    description: `${BY_ID_OR_TITLE} Its issues have none from then on. ${SAYS_UNTIL_WHEN}`,
    access: onPlanning,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me, path }) => {
      const id = await services.database.write((tx) => deleteMilestone(tx, services, repository.id, me, path.id))
      return deleted(services, "milestone", id)
    },
  }),
]
