import { onPlanning } from "../../../access/policies/planning.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { milestoneOperations } from "../../../features/planning/milestones/operations.ts"
import { findMilestone } from "../../../features/planning/milestones/store.ts"
import { repositoryPath } from "../../../web/address.ts"
import { type Field, formView } from "../../../web/form.ts"
import { beforeDeletion, undoDeletion, unlessKept } from "../../parts/deleted.ts"
import { repositoryPage } from "../frame.ts"

/** Milestones are made, changed, closed and deleted. */

const fieldsFor = (repository: string, due = ""): readonly Field[] => [
  { kind: "line", name: "title", label: t("Title"), required: true, maxlength: 255 },
  { kind: "line", name: "due", label: t("Due"), type: "date", value: due, hint: t("Leave empty for none.") },
  { kind: "markdown", name: "description", label: t("Description"), rows: 8, repository },
]

const toList = ({ path: { owner, repo } }: { readonly path: { readonly owner: string; readonly repo: string } }) =>
  `/${owner}/${repo}/milestones`
const toOne = ({ path: { owner, repo, id } }: { readonly path: { readonly owner: string; readonly repo: string; readonly id: string } }) =>
  `/${owner}/${repo}/milestone/${id}`

const reads = named(milestoneOperations, "issueGetMilestone")

const maker: Page = page({
  id: "milestone.new",
  address: "GET /{owner}/{repo}/milestones/new",
  access: onPlanning,
  answer: (call) =>
    repositoryPage(call, {
      tab: "issues",
      title: t("New milestone"),
      unlisted: true,
      modules: ["composer"],
      body: html`
        <h1>New milestone</h1>
        ${formView(make, { path: call.path, draft: call.draft, submit: t("Create milestone"), fields: fieldsFor(repositoryPath(call)) })}
      `,
    }),
})

const make = form({
  id: "milestone.make",
  address: "POST /{owner}/{repo}/milestones/new",
  does: named(milestoneOperations, "issueCreateMilestone"),
  on: maker,
  takes: ["title", "description"],
  also: ["due"],
  body: (body, { due: [day = ""] = [] }) => (day === "" ? body : { ...body, due_on: `${day}T00:00:00Z` }),
  once: true,
  done: t("Milestone created."),
  to: toList,
})

const editor: Page = page({
  id: "milestone.editor",
  address: "GET /{owner}/{repo}/milestone/{id}/edit",
  access: onPlanning,
  answer: async (call) => {
    const { db, repository, path, draft } = call
    const row = await findMilestone(db, repository.id, path.id)
    if (!row) throw refuse.notFound()
    const day = row.due_at === 0 ? "" : new Date(row.due_at * 1000).toISOString().slice(0, 10)
    return repositoryPage(call, {
      tab: "issues",
      title: t("Milestone {title}", { title: row.title }),
      unlisted: true,
      modules: ["composer"],
      body: html`
        <h1>Milestone <bdi>${row.title}</bdi></h1>
        ${formView(edit, {
          path,
          record: row,
          draft,
          submit: t("Save"),
          fields: fieldsFor(repositoryPath(call), day),
        })}
        <h2>State</h2>
        ${formView(setState, {
          path,
          draft,
          look: "plain",
          submit: row.is_closed === 0 ? t("Close milestone") : t("Reopen milestone"),
          fields: [{ kind: "hidden", name: "state", value: row.is_closed === 0 ? "closed" : "open" }],
        })}
        <h2>Delete</h2>
        <p>Its issues and pull requests stay, without a milestone.</p>
        ${beforeDeletion(call)}
        ${formView(remove, { path, draft, submit: t("Delete milestone"), look: "danger" })}
      `,
    })
  },
})

const edit = form({
  id: "milestone.edit",
  address: "POST /{owner}/{repo}/milestone/{id}/edit",
  does: named(milestoneOperations, "issueEditMilestone"),
  on: editor,
  reads,
  guards: ["title", "description"],
  takes: ["title", "description"],
  also: ["due"],
  body: (body, { due: [day = ""] = [] }) => ({ ...body, due_on: day === "" ? null : `${day}T00:00:00Z` }),
  done: t("Saved."),
  to: toOne,
})

const setState = form({
  id: "milestone.state",
  address: "POST /{owner}/{repo}/milestone/{id}/state",
  does: named(milestoneOperations, "issueEditMilestone"),
  on: editor,
  takes: ["state"],
  done: t("Saved."),
  reads,
  undo: { fields: ({ before }) => ({ state: String(memberOf(before, "state")) }) },
  to: toOne,
})

const remove = form({
  id: "milestone.delete",
  address: "POST /{owner}/{repo}/milestone/{id}/delete",
  does: named(milestoneOperations, "issueDeleteMilestone"),
  on: editor,
  done: unlessKept(t("Milestone deleted.")),
  undo: undoDeletion("milestone"),
  to: toList,
})

export const milestoneEditPages: readonly Page[] = [maker, make, editor, edit, setState, remove]
