import { onOrganization, onOrganizationAsOwner, onOrganizationSignedIn } from "../../../access/policies/organizations.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../../code/deletions/answer.ts"
import { createLabel, deleteLabel, editLabel } from "./definitions.ts"
import { presentLabel } from "./present.ts"
import { CreateLabelOption, EditLabelOption, Label, labelQuery } from "./records.ts"
import { findLabel, findLabels, ofOrganization } from "./store.ts"

const shared = { tag: "organization", scope: ["organization"] } as const

/** Labels that an organisation shares with all its repositories. */
export const organizationLabelOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListLabels",
    route: "GET /orgs/{org}/labels",
    summary: "List an organization's labels",
    access: onOrganization,
    paged: true,
    query: labelQuery,
    answers: { 200: Type.Array(Label) },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, services, organization: owner, query: { sort = "alphabetically" }, page }) => {
      const { rows, total } = await findLabels(db, ofOrganization(owner.id), sort, page)
      return listed(
        rows.map((label) => presentLabel(services.site, { owner }, label)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "orgCreateLabel",
    route: "POST /orgs/{org}/labels",
    summary: "Create a label of an organization",
    access: onOrganizationAsOwner,
    body: CreateLabelOption,
    answers: { 201: Label },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, organization: owner, me, body }) => {
      const label = await services.database.write((tx) => createLabel(tx, ofOrganization(owner.id), me, body, services.now()))
      return created(presentLabel(services.site, { owner }, label))
    },
  }),

  operation({
    ...shared,
    id: "orgGetLabel",
    route: "GET /orgs/{org}/labels/{id}",
    summary: "Get a label of an organization",
    access: onOrganizationSignedIn,
    answers: { 200: Label },
    refuses: ["notFound"],
    handle: async ({ db, services, organization: owner, path }) => {
      const label = await findLabel(db, ofOrganization(owner.id), path.id)
      if (!label) throw refuse.notFound()
      return ok(presentLabel(services.site, { owner }, label))
    },
  }),

  operation({
    ...shared,
    id: "orgEditLabel",
    route: "PATCH /orgs/{org}/labels/{id}",
    summary: "Edit a label of an organization",
    description: "What is left out stays as it is.",
    access: onOrganizationAsOwner,
    body: EditLabelOption,
    answers: { 200: Label },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, organization: owner, me, path, body }) => {
      const labelOwner = ofOrganization(owner.id)
      const label = await services.database.write((tx) => editLabel(tx, labelOwner, me, path.id, body, services.now()))
      return ok(presentLabel(services.site, { owner }, label))
    },
  }),

  operation({
    ...shared,
    id: "orgDeleteLabel",
    route: "DELETE /orgs/{org}/labels/{id}",
    summary: "Delete a label of an organization",
    description: `It is taken off every issue of all its repositories. One that is not there is no mistake. ${SAYS_UNTIL_WHEN}`,
    access: onOrganizationAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, organization, me, path }) => {
      await services.database.write((tx) => deleteLabel(tx, services, ofOrganization(organization.id), me, path.id))
      return deleted(services, "label", path.id)
    },
  }),
]
