import { memberOf } from "../../../core/check.ts"
import { addressOf, type Sketch, sketch } from "../../../core/forms/form.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { named } from "../../../core/operation.ts"
import type { Draft } from "../../../core/page.ts"
import { projectCardOperations } from "../../../features/planning/boards/operations.ts"
import type { Issue } from "../../../features/planning/issues/records.ts"
import { projectColumnOperations } from "../../../features/planning/projects/column-operations.ts"
import { projectOperations } from "../../../features/planning/projects/project-operations.ts"
import type { Project } from "../../../features/planning/projects/records.ts"
import type { Column } from "../../../features/planning/projects/store.ts"
import { formButton, formView, type Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"

/** What can be done with projects: with themselves, their columns and their cards. Each form exists for every kind of owner. */

type Names = Readonly<Record<string, string>>

interface Scope {
  /** In the ids of the forms. */
  readonly name: string
  /** The word in the operations' ids. */
  readonly operations: "repo" | "org" | "userCurrent"
  readonly address: "/{owner}/{repo}/projects" | "/{username}/-/projects" | "/{username}/-/my-projects"
  /** The values of the operation's path. */
  readonly path: (path: Names) => Names
  readonly home: (path: Names) => string
}

const homeOf = ({ username = "" }: Names): string => `/${username}/-/projects`

const SCOPES: readonly Scope[] = [
  {
    name: "project",
    operations: "repo",
    address: "/{owner}/{repo}/projects",
    path: (path) => path,
    home: ({ owner = "", repo = "" }) => `/${owner}/${repo}/projects`,
  },
  {
    name: "ownerProject",
    operations: "org",
    address: "/{username}/-/projects",
    path: ({ username = "", ...path }) => ({ ...path, org: username }),
    home: homeOf,
  },
  { name: "myProject", operations: "userCurrent", address: "/{username}/-/my-projects", path: (path) => path, home: homeOf },
]

const operations = [...projectOperations, ...projectColumnOperations, ...projectCardOperations]

function formsIn({ name, operations: word, address, path, home }: Scope) {
  const does = (rest: string) => named(operations, `${word}${rest}`)
  const board = `POST ${address}/{id}` as const
  const to = ({ path: { id = "", ...rest } }: { readonly path: Names }): string => `${home(rest)}/${id}`
  return {
    create: sketch({
      id: `${name}.create`,
      address: `POST ${address}`,
      does: does("CreateProject"),
      path,
      takes: ["title", "description", "template_type"],
      once: true,
      done: "Project created.",
      to: (done) => `${home(done.path)}/${idOf(done.record)}`,
    }),
    edit: sketch({
      id: `${name}.edit`,
      address: `${board}/edit`,
      does: does("EditProject"),
      path,
      reads: does("GetProject"),
      guards: ["title", "description"],
      takes: ["title", "description"],
      done: "Saved.",
      to,
    }),
    setState: sketch({
      id: `${name}.state`,
      address: `${board}/state`,
      does: does("EditProject"),
      path,
      takes: ["state"],
      done: "Saved.",
      reads: does("GetProject"),
      undo: { fields: ({ before }) => ({ state: memberOf(before, "is_closed") === true ? "closed" : "open" }) },
      to,
    }),
    remove: sketch({
      id: `${name}.delete`,
      address: `${board}/delete`,
      does: does("DeleteProject"),
      path,
      confirms: () => "delete",
      done: "Project deleted. Its issues stay.",
      to: (done) => home(done.path),
    }),
    addColumn: sketch({
      id: `${name}.addColumn`,
      address: `${board}/columns`,
      does: does("CreateProjectColumn"),
      path,
      takes: ["title", "color"],
      once: true,
      done: "Column added.",
      to,
    }),
    orderColumns: sketch({
      id: `${name}.orderColumns`,
      address: `${board}/columns/order`,
      does: does("MoveProjectColumns"),
      path,
      takes: ["column_ids"],
      done: "Moved.",
      to,
    }),
    editColumn: sketch({
      id: `${name}.editColumn`,
      address: `${board}/columns/{column_id}`,
      does: does("EditProjectColumn"),
      path,
      reads: does("GetProjectColumn"),
      guards: ["title"],
      takes: ["title", "color"],
      also: ["colored", "column"],
      // A field for colours always has one.
      body: (body, { colored }) => ({ ...body, color: colored?.[0] === "true" ? body["color"] : "" }),
      done: "Saved.",
      to,
    }),
    deleteColumn: sketch({
      id: `${name}.deleteColumn`,
      address: `${board}/columns/{column_id}/delete`,
      does: does("DeleteProjectColumn"),
      path,
      done: "Column deleted. Its cards moved to the default column.",
      to,
    }),
    setDefault: sketch({
      id: `${name}.defaultColumn`,
      address: `${board}/columns/{column_id}/default`,
      does: does("SetDefaultProjectColumn"),
      path,
      done: "Default column changed.",
      to,
    }),
    moveCard: sketch({
      id: `${name}.moveCard`,
      address: `${board}/cards/{issue_id}/move`,
      does: does("MoveProjectIssue"),
      path,
      takes: ["column_id", "sorting"],
      also: ["from", "was"],
      done: "Moved.",
      undo: {
        fields: ({ field }) =>
          field("from") === ""
            ? undefined
            : { column_id: field("from"), ...(field("was") !== "" && { sorting: field("was") }), from: field("column_id") },
      },
      to,
    }),
    removeCard: sketch({
      id: `${name}.removeCard`,
      address: `${board}/columns/{column_id}/cards/{issue_id}/remove`,
      does: does("RemoveIssueFromProjectColumn"),
      path,
      also: ["reference"],
      done: "Card removed.",
      undo: {
        by: { id: name === "project" ? "project.addCard" : "ownerProject.addCard" },
        path: ({ column_id: _, issue_id: __, ...board }) => board,
        fields: ({ path: { column_id = "" }, field }) =>
          field("reference") === "" ? undefined : { column: column_id, reference: field("reference") },
      },
      to,
    }),
  } as const
}

const idOf = (record: unknown): number =>
  typeof record === "object" && record !== null && "id" in record && typeof record.id === "number" ? record.id : 0

export type ProjectForms = ReturnType<typeof formsIn>

const [repository, organization, person] = SCOPES.map(formsIn)
if (!repository || !organization || !person) throw new TypeError("every scope has forms")
export const FORMS = { repository, organization, person } as const

/** Those on a list of projects, and those on a board. */
export const listSketches = ({ create }: ProjectForms): readonly Sketch[] => [create]
export const boardSketches = ({ create: _, ...others }: ProjectForms): readonly Sketch[] => Object.values(others)

// --- views --------------------------------------------------------------------------------------------------------------------------

export interface Place {
  readonly forms: ProjectForms
  readonly path: Names
  readonly draft: Draft | undefined
}

const folded = (title: Content, isOpen: boolean, content: Content): Html =>
  isOpen
    ? html`
      <details class="edit" open>
        <summary class="button small">${title}</summary>
        <div class="stack">${content}</div>
      </details>
    `
    : html`
      <details class="edit">
        <summary class="button small">${title}</summary>
        <div class="stack">${content}</div>
      </details>
    `

const TEMPLATES: readonly Option[] = [
  ["none", "No columns"],
  ["basic_kanban", "To do, in progress, done"],
  ["bug_triage", "Bug triage"],
]

export const newProject = ({ forms: { create }, path, draft }: Place): Html =>
  folded(
    "New project",
    draft?.form === create.id,
    formView(create, {
      path,
      draft,
      submit: "Create project",
      fields: [
        { kind: "line", name: "title", label: "Title", required: true, maxlength: 255 },
        { kind: "text", name: "description", label: "Description", rows: 3 },
        { kind: "menu", name: "template_type", label: "Columns", value: "basic_kanban", options: TEMPLATES },
      ],
    }),
  )

/** The forms about the project as a whole. */
export function projectTools({ forms, path, draft }: Place, project: Project): Html {
  const isOpen = [forms.edit, forms.remove].some(({ id }) => id === draft?.form)
  return html`
    ${
      !project.is_closed &&
      folded(
        "New column",
        draft?.form === forms.addColumn.id,
        formView(forms.addColumn, {
          path,
          draft,
          look: "small",
          submit: "Add column",
          fields: [{ kind: "line", name: "title", label: "Title", required: true, maxlength: 100 }],
        }),
      )
    }
    ${folded(
      "Edit the project",
      isOpen,
      html`
        ${formView(forms.edit, {
          path,
          record: project,
          draft,
          look: "small",
          submit: "Save",
          fields: [
            { kind: "line", name: "title", label: "Title", required: true, maxlength: 255 },
            { kind: "text", name: "description", label: "Description", rows: 3 },
          ],
        })}
        ${formView(forms.remove, {
          path,
          draft,
          look: "danger",
          submit: "Delete project",
          confirm: "delete",
          fields: [{ kind: "content", content: html`<p>Its columns are deleted. The issues stay.</p>` }],
        })}
      `,
    )}
    ${formButton(forms.setState, path, project.is_closed ? "Reopen" : "Close", { state: project.is_closed ? "open" : "closed" })}
  `
}

/** The address that moves a card, for scripts. */
export const moveAddress = ({ forms, path }: Place, issueId: number): string =>
  addressOf(forms.moveCard, { ...path, issue_id: String(issueId) })

/** The form that adds a card; `problem` says why it was refused. */
export const addCardForm = (
  at: string,
  columns: readonly Column[],
  withRepository: boolean,
  refused?: { readonly typed: string; readonly problem: Content },
): Html =>
  folded(
    "Add a card",
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
            placeholder="${withRepository ? "repository#12" : "#12"}"
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
export function columnTools({ forms, path, draft }: Place, column: Column, order: readonly number[]): Html {
  const own = { ...path, column_id: String(column.id) }
  const at = order.indexOf(column.id)
  const refused = draft?.typed["column"]?.[0] === String(column.id) ? draft : undefined
  const swap = (to: number, words: string): Content => {
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
      <summary class="button small quiet">${icon("gear", `Change ${column.title}`)}</summary>
      <div class="stack">
        ${formView(forms.editColumn, {
          path: own,
          record: { title: column.title },
          draft: refused,
          key: column.id,
          look: "small",
          submit: "Save",
          fields: [
            { kind: "hidden", name: "column", value: String(column.id) },
            { kind: "line", name: "title", label: "Title", required: true, maxlength: 100 },
            { kind: "box", name: "colored", label: "Colour", value: column.color !== "" },
            {
              kind: "content",
              content: html`
                <div class="field">
                  <label for="color-${column.id}">Colour</label>
                  <input id="color-${column.id}" name="color" type="color" value="${column.color || "#888888"}">
                </div>
              `,
            },
          ],
        })}
        <div class="bar">
          ${swap(at - 1, "Move left")}${swap(at + 1, "Move right")}
          ${
            column.is_default === 0 && [
              formButton(forms.setDefault, own, "Make default"),
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
  { forms, path }: Place,
  issue: Issue,
  {
    column,
    columns,
    top,
    sorting,
  }: { readonly column: Column; readonly columns: readonly Column[]; readonly top: number; readonly sorting: number },
): Html {
  const own = { ...path, issue_id: String(issue.id) }
  const from = { from: String(column.id), was: String(sorting) }
  return html`
    <details class="edit card-tools">
      <summary class="button small quiet">${icon("arrow-switch", `Move ${issue.title}`)}</summary>
      <div class="bar">
        ${formView(forms.moveCard, {
          path: own,
          key: issue.id,
          look: "small",
          submit: "Move",
          fields: [
            {
              kind: "menu",
              name: "column_id",
              label: "Move to",
              value: String(column.id),
              options: columns.map(({ id, title }): Option => [String(id), title]),
            },
            ...Object.entries(from).map(([name, value]) => ({ kind: "hidden", name, value }) as const),
          ],
        })}
        ${formButton(forms.moveCard, own, "Move to top", { ...from, column_id: String(column.id), sorting: String(top) })}
        ${formButton(forms.removeCard, { ...own, column_id: String(column.id) }, "Take off the board", {
          reference: `${issue.repository.full_name}#${issue.number}`,
        })}
      </div>
    </details>
  `
}
