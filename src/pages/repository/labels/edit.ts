import { onPlanning } from "../../../access/policies/planning.ts"
import { refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { numberIn, type Page, page } from "../../../core/page.ts"
import { repositoryLabelOperations } from "../../../features/planning/labels/repository-operations.ts"
import { findLabel, ofRepository } from "../../../features/planning/labels/store.ts"
import { label } from "../../../web/components.ts"
import { type Field, formView } from "../../../web/form.ts"
import { beforeDeletion, undoDeletion, unlessKept } from "../../parts/deleted.ts"
import { repositoryPage } from "../frame.ts"

/** Labels of a repository are made, changed and deleted. */

const fields: readonly Field[] = [
  {
    kind: "line",
    name: "name",
    label: t("Name"),
    required: true,
    maxlength: 255,
    hint: t("Use a slash for a scope: priority/high has the scope priority."),
  },
  {
    kind: "line",
    name: "color",
    label: t("Color"),
    required: true,
    maxlength: 7,
    hint: t("Six hexadecimal digits, such as d73a4a"),
    value: "808080",
  },
  { kind: "line", name: "description", label: t("Description"), maxlength: 255 },
  { kind: "box", name: "exclusive", label: t("Exclusive"), hint: t("An issue can have only one label of the same scope.") },
]
const archived: Field = { kind: "box", name: "is_archived", label: t("Archived"), hint: t("Archived labels can no longer be added.") }
const members = ["name", "color", "description", "exclusive"]

const toList = ({ path: { owner, repo } }: { readonly path: { readonly owner: string; readonly repo: string } }) =>
  `/${owner}/${repo}/labels`

const maker: Page = page({
  id: "label.new",
  address: "GET /{owner}/{repo}/labels/new",
  access: onPlanning,
  answer: (call) =>
    repositoryPage(call, {
      tab: "issues",
      title: t("New label"),
      unlisted: true,
      body: html`
        <h1>New label</h1>
        ${formView(make, { path: call.path, draft: call.draft, submit: t("Create label"), fields })}
      `,
    }),
})

const make = form({
  id: "label.make",
  address: "POST /{owner}/{repo}/labels/new",
  does: named(repositoryLabelOperations, "issueCreateLabel"),
  on: maker,
  takes: members,
  once: true,
  done: t("Label created."),
  to: toList,
})

const editor: Page = page({
  id: "label.editor",
  address: "GET /{owner}/{repo}/labels/{id}/edit",
  access: onPlanning,
  answer: async (call) => {
    const { db, repository, path, draft } = call
    const found = await findLabel(db, ofRepository(repository.id), numberIn(path, "id"))
    if (!found) throw refuse.notFound()
    const record = { ...found, exclusive: found.exclusive === 1, is_archived: found.is_archived === 1 }
    return repositoryPage(call, {
      tab: "issues",
      title: t("Label {name}", { name: found.name }),
      unlisted: true,
      body: html`
        <h1>Label ${label(found.name, found.color)}</h1>
        ${formView(edit, { path, record, draft, submit: t("Save"), fields: [...fields, archived] })}
        <h2>Delete</h2>
        <p>It is removed from all issues and pull requests.</p>
        ${beforeDeletion(call)}
        ${formView(remove, { path, draft, submit: t("Delete label"), look: "danger" })}
      `,
    })
  },
})

const edit = form({
  id: "label.edit",
  address: "POST /{owner}/{repo}/labels/{id}/edit",
  does: named(repositoryLabelOperations, "issueEditLabel"),
  on: editor,
  reads: named(repositoryLabelOperations, "issueGetLabel"),
  guards: ["name", "description"],
  takes: [...members, "is_archived"],
  done: t("Saved."),
  to: toList,
})

const remove = form({
  id: "label.delete",
  address: "POST /{owner}/{repo}/labels/{id}/delete",
  does: named(repositoryLabelOperations, "issueDeleteLabel"),
  on: editor,
  done: unlessKept(t("Label deleted.")),
  undo: undoDeletion("label"),
  to: toList,
})

export const labelEditPages: readonly Page[] = [maker, make, editor, edit, remove]
