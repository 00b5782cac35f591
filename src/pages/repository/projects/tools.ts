import { addressOf } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Draft } from "../../../core/page.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import type { Column, Project } from "../../../features/planning/projects/store.ts"
import { formButton, formView, type Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { homeName } from "../../parts/issues/list-view.ts"
import type { ProjectForms } from "./forms.ts"

/** The forms of projects as pages show them. */

/** What the forms of one who may write need. */
export interface Writing {
  readonly forms: ProjectForms
  readonly path: Readonly<Record<string, string>>
  readonly draft: Draft | undefined
}

const folded = (title: Content, isOpen: boolean, content: Content): Html =>
  html`
    <details class="edit" ${flagged("open", isOpen)}>
      <summary class="button small">${title}</summary>
      <div class="stack">${content}</div>
    </details>
  `

const TEMPLATES: readonly Option[] = [
  ["none", t("No columns")],
  ["basic_kanban", t("To do, in progress, done")],
  ["bug_triage", t("Bug triage")],
]

export const newProject = ({ forms: { create }, path, draft }: Writing): Html =>
  html`
    <details class="menu" ${flagged("open", draft?.form === create.id)}>
      <summary class="button primary">${icon("plus")}New project</summary>
      ${formView(create, {
        path,
        draft,
        submit: t("Create project"),
        fields: [
          { kind: "line", name: "title", label: t("Title"), required: true, maxlength: 255 },
          { kind: "text", name: "description", label: t("Description"), rows: 3 },
          { kind: "menu", name: "template_type", label: t("Columns"), value: "basic_kanban", options: TEMPLATES },
        ],
      })}
    </details>
  `

/** The forms about the project as a whole. */
export function projectTools({ forms, path, draft }: Writing, project: Project): Html {
  const isOpen = [forms.edit, forms.remove].some(({ id }) => id === draft?.form)
  return html`
    ${
      project.is_closed === 0 &&
      folded(
        t("New column"),
        draft?.form === forms.addColumn.id,
        formView(forms.addColumn, {
          path,
          draft,
          look: "small",
          submit: t("Add column"),
          fields: [{ kind: "line", name: "title", label: t("Title"), required: true, maxlength: 100 }],
        }),
      )
    }
    ${folded(
      t("Edit the project"),
      isOpen,
      html`
        ${formView(forms.edit, {
          path,
          record: project,
          draft,
          look: "small",
          submit: t("Save"),
          fields: [
            { kind: "line", name: "title", label: t("Title"), required: true, maxlength: 255 },
            { kind: "text", name: "description", label: t("Description"), rows: 3 },
          ],
        })}
        ${formView(forms.remove, {
          path,
          draft,
          look: "danger",
          submit: t("Delete project"),
          confirm: "delete",
          fields: [{ kind: "content", content: html`<p>Its columns are deleted. The issues stay.</p>` }],
        })}
      `,
    )}
    ${formButton(forms.setState, path, project.is_closed === 1 ? t("Reopen") : t("Close"), {
      state: project.is_closed === 1 ? "open" : "closed",
    })}
  `
}

/** The address that moves a card, for scripts. */
export const moveAddress = ({ forms, path }: Writing, issueId: number): string =>
  addressOf(forms.moveCard, { ...path, issue_id: String(issueId) })

/** The form that adds a card; `problem` says why it was refused. */
export const addCardForm = (
  at: string,
  columns: readonly Column[],
  withRepository: boolean,
  refused?: { readonly typed: string; readonly problem: Content },
): Html =>
  folded(
    t("Add a card"),
    refused !== undefined,
    html`
      <form class="form" method="post" action="${at}/cards">
        ${refused?.problem}
        <div class="field">
          <label for="card-reference">Issue or pull request</label>
          <input
            id="card-reference"
            name="reference"
            value="${refused?.typed ?? ""}"
            placeholder="${withRepository ? t("repository#12") : "#12"}"
            required
            maxlength="300"
          >
        </div>
        <div class="field">
          <label for="card-column">Column</label>
          <select id="card-column" name="column">
            ${columns.map(({ id, title }) => html`<option value="${id}">${title}</option>`)}
          </select>
        </div>
        <div class="bar"><button class="small">Add</button></div>
      </form>
    `,
  )

/** The forms about one column. */
export function columnTools({ forms, path, draft }: Writing, column: Column, order: readonly number[]): Html {
  const own = { ...path, column_id: String(column.id) }
  const at = order.indexOf(column.id)
  const refused = draft?.typed["column"]?.[0] === String(column.id) ? draft : undefined
  const swap = (to: number, words: Text): Content => {
    const other = order[to]
    if (other === undefined) return undefined
    const wanted = order.with(at, other).with(to, column.id)
    return formView(forms.orderColumns, {
      path,
      name: "inline",
      look: "small",
      submit: html`${words}<span class="hidden-text">: ${column.title}</span>`,
      fields: wanted.map((id) => ({ kind: "hidden", name: "column_ids", value: String(id) })),
    })
  }
  return html`
    <details class="edit end">
      <summary class="button small quiet">${icon("gear", t("Change {title}", { title: column.title }))}</summary>
      <div class="stack">
        ${formView(forms.editColumn, {
          path: own,
          record: { title: column.title },
          draft: refused,
          key: column.id,
          look: "small",
          submit: t("Save"),
          fields: [
            { kind: "hidden", name: "column", value: String(column.id) },
            { kind: "line", name: "title", label: t("Title"), required: true, maxlength: 100 },
            { kind: "box", name: "colored", label: t("Color"), value: column.color !== "" },
            {
              kind: "content",
              content: html`
                <div class="field">
                  <label for="color-${column.id}">Color</label>
                  <input id="color-${column.id}" name="color" type="color" value="${column.color || "#888888"}">
                </div>
              `,
            },
          ],
        })}
        <div class="bar">
          ${swap(at - 1, t("Move left"))}${swap(at + 1, t("Move right"))}
          ${
            column.is_default === 0 && [
              formButton(forms.setDefault, own, t("Make default")),
              formButton(forms.deleteColumn, own, html`${icon("trash")}Delete`),
            ]
          }
        </div>
      </div>
    </details>
  `
}

/** Where a card can go; `top` is the place before the first card of its column. */
export function cardTools(
  { forms, path }: Writing,
  view: IssueView,
  {
    column,
    columns,
    top,
    sorting,
  }: { readonly column: Column; readonly columns: readonly Column[]; readonly top: number; readonly sorting: number },
): Html {
  const { issue } = view
  const own = { ...path, issue_id: String(issue.id) }
  const from = { from: String(column.id), was: String(sorting) }
  return html`
    <details class="edit card-tools">
      <summary class="button small quiet">${icon("arrow-switch", t("Move {title}", { title: issue.title }))}</summary>
      <div class="bar">
        ${formView(forms.moveCard, {
          path: own,
          key: issue.id,
          look: "small",
          submit: t("Move"),
          fields: [
            {
              kind: "menu",
              name: "column_id",
              label: t("Move to"),
              value: String(column.id),
              options: columns.map(({ id, title }): Option => [String(id), title]),
            },
            ...Object.entries(from).map(([name, value]) => ({ kind: "hidden", name, value }) as const),
          ],
        })}
        ${formButton(forms.moveCard, own, t("Move to top"), { ...from, column_id: String(column.id), sorting: String(top) })}
        ${formButton(forms.removeCard, { ...own, column_id: String(column.id) }, t("Remove from project"), {
          reference: `${homeName(view)}#${issue.number}`,
        })}
      </div>
    </details>
  `
}
