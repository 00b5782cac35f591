import { permissionOn } from "../../../access/permission.ts"
import { type OnProjects, type ProjectHome, writesProjectsIn, writesProjectsOf } from "../../../access/policies/projects.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Page as ListPage, Request } from "../../../core/operation.ts"
import type { Draft, Reader, Shown } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { planFilter } from "../../../features/planning/issues/filter-conditions.ts"
import { parseFilter } from "../../../features/planning/issues/filter-words.ts"
import { inState, ofKind } from "../../../features/planning/issues/list-store.ts"
import { type IssueView, viewIssues } from "../../../features/planning/issues/present.ts"
import { findIssuesByIds } from "../../../features/planning/issues/store.ts"
import { findBoard } from "../../../features/planning/projects/card-store.ts"
import { requireProject } from "../../../features/planning/projects/lock.ts"
import { type Column, findColumns } from "../../../features/planning/projects/store.ts"
import { path, withQuery } from "../../../web/address.ts"
import { avatar, choices, dot, empty, filterForm, label, notice, personWithAvatar, state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { dayOf, number, plural } from "../../../web/time.ts"
import { homeName, issuePath, stateOf, tasksIn, titleOf } from "../../parts/issues/list-view.ts"
import { FORMS } from "./forms.ts"
import { addCardForm, cardTools, columnTools, moveAddress, projectTools, type Writing } from "./tools.ts"

/** A project as a board or a table. */

/** The most cards of a column that a board shows. */
const MOST_CARDS = 50

export interface ProjectsCall extends Request, OnProjects {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly page: ListPage
  readonly reader: Reader
  readonly path: Readonly<Record<string, string>>
  readonly draft?: Draft | undefined
}

/** Puts a body into the frame of what the projects belong to. */
export type Frame = (title: Text, body: Html, more?: Pick<Shown, "width" | "modules">) => Promise<Shown> | Shown

/** The forms of those who may write to the projects; undefined for others. */
export async function writingOf(call: ProjectsCall): Promise<Writing | undefined> {
  const { db, actor, home, path: names, draft } = call
  if (actor.kind !== "user") return undefined
  const { repository, owner } = home
  const found = { path: names, draft }
  if (repository) {
    const writes =
      repository.is_archived === 0 &&
      writesProjectsIn({ ...home, repository, permission: await permissionOn(db, actor, { ...home, repository }) })
    return writes ? { ...found, forms: FORMS.repository } : undefined
  }
  if (owner.kind === "organization") return (await writesProjectsOf(db, actor, owner)) ? { ...found, forms: FORMS.organization } : undefined
  return owner.id === actor.user.id ? { ...found, forms: FORMS.person } : undefined
}

interface Asked {
  readonly q?: string
  readonly view?: string
}

export const projectPath = ({ owner, repository }: ProjectHome, id: number | string): string =>
  path(owner.name, repository ? repository.name : "-", "projects", id)

/** What was typed into the form for a card, and why it was refused. */
export interface Refused {
  readonly typed: string
  readonly problem: Content
}

export async function boardPage(
  call: ProjectsCall & { readonly path: { readonly id: string } },
  query: Asked,
  frame: Frame,
  refused?: Refused,
): Promise<Shown> {
  const { services, db, actor, home, reader } = call
  const project = await requireProject(db, home, /^\d{1,15}$/.test(call.path.id) ? Number(call.path.id) : 0)
  const plan = planFilter(actor, parseFilter(query.q ?? ""))
  const columns = await filledColumns(call, project.id, plan)
  const view = query.view === "table" ? "table" : "board"
  const writing = await writingOf(call)
  const isOpen = project.is_closed === 0
  const show: Show = { now: services.now(), withRepository: home.repository === null, writing: isOpen ? writing : undefined }
  const at = projectPath(home, project.id)
  return frame(
    project.title,
    html`
      <div class="bar">
        <h1 id="project-title" dir="auto" data-live>${project.title}</h1>
        <span id="project-state" data-live>${!isOpen && state("closed", "archive", t("Closed"), true)}</span>
        ${choices(t("View"), [
          { href: withQuery(reader.url, { view: undefined }), text: t("Board"), icon: "project", current: view === "board" },
          { href: withQuery(reader.url, { view: "table" }), text: t("Table"), icon: "table", current: view === "table" },
        ])}
      </div>
      ${
        writing &&
        html`
          <div class="bar project-tools">
            ${
              isOpen &&
              columns.length > 0 &&
              addCardForm(
                at,
                columns.map(({ column }) => column),
                show.withRepository,
                refused,
              )
            }
            ${projectTools(writing, project)}
          </div>
        `
      }
      <div id="project-description" data-live>
        ${project.description !== "" && html`<p class="break" dir="auto">${project.description}</p>`}
      </div>
      ${filterForm(at, query.q ?? "", t("Filter cards: label:bug assignee:@me words"), {
        view: view === "table" ? view : undefined,
      })}
      ${plan.hints.length > 0 && notice("warn", html`<ul class="plain">${plan.hints.map((hint) => html`<li>${hint}</li>`)}</ul>`)}
      <div id="project" data-live="list">${columns.length === 0 ? noColumns : { table, board }[view](columns, show)}</div>
      ${show.writing && html`<p class="hidden-text" role="status" id="board-said"></p>`}
    `,
    { modules: writing ? ["board", "live"] : ["live"] },
  )
}

const noColumns = html`
  <div id="no-columns">${empty("project", t("No columns yet"), t("Add a column to put issues and pull requests into."))}</div>
`

/** The columns with those of their cards that the filter lets through and the caller may see. */
async function filledColumns(
  { db, actor, home }: ProjectsCall,
  projectId: number,
  { conditions, kind, state }: ReturnType<typeof planFilter>,
): Promise<readonly Filled[]> {
  const columns = await findColumns(db, { projectId })
  const all = [
    ...conditions,
    ...(kind === undefined ? [] : [ofKind(kind === "pulls" ? 1 : 0)]),
    ...(state === "open" || state === "closed" ? [inState(state === "closed" ? 1 : 0)] : []),
  ]
  const cards = await findBoard(db, actor, projectId, all, MOST_CARDS)
  const issues = cards.length === 0 ? [] : await findIssuesByIds(db, { ids: cards.map(({ issue_id }) => issue_id) })
  const { repository, owner } = home
  const own = repository && issues.every(({ repository_id }) => repository_id === repository.id) ? { owned: [{ repository, owner }] } : {}
  const records = new Map((await viewIssues(db, actor, issues, own)).map((view) => [view.issue.id, view]))
  return columns.map((column) => {
    const inside = cards.filter(({ column_id }) => column_id === column.id)
    return {
      column,
      total: inside[0]?.total ?? 0,
      issues: inside.flatMap(({ issue_id }) => records.get(issue_id) ?? []),
      sortings: new Map(inside.map(({ issue_id, sorting }) => [issue_id, sorting])),
    }
  })
}

interface Filled {
  readonly column: Column
  readonly total: number
  readonly issues: readonly IssueView[]
  /** The places of the cards, by the issues' ids. */
  readonly sortings: ReadonlyMap<number, number>
}

interface Show {
  readonly now: number
  readonly withRepository: boolean
  /** For those who may write. */
  readonly writing: Writing | undefined
}

const board = (columns: readonly Filled[], show: Show): Html => {
  const all = columns.map(({ column }) => column)
  return html`
    <div class="board" id="columns" tabindex="0" role="group" aria-label="Columns" data-live="list">
      ${columns.map((filled) => columnView(filled, all, show))}
    </div>
  `
}

const columnView = (filled: Filled, all: readonly Column[], show: Show): Html => {
  const { column, total, issues } = filled
  return html`
    <section class="card" id="column-${column.id}" data-column="${column.id}" data-live="parts">
      <div class="head" id="column-${column.id}-head" data-live>
        <h2>${column.color !== "" && dot(column.color)} <bdi>${column.title}</bdi></h2>
        <span class="count">${number(total)}</span>
        ${column.is_default === 1 && html`<span class="muted small">default</span>`}
        ${
          show.writing &&
          columnTools(
            show.writing,
            column,
            all.map(({ id }) => id),
          )
        }
      </div>
      <ul class="cards" id="column-${column.id}-cards" data-live="list">
        ${issues.map((issue) => cardItem(issue, filled, all, show))}
        ${issues.length === 0 && html`<li class="muted small" id="column-${column.id}-none">Nothing here</li>`}
        ${
          total > issues.length &&
          html`
            <li class="muted small" id="column-${column.id}-more">
              and ${plural(total - issues.length, "more", "more")}: use the filter to narrow them down
            </li>
          `
        }
      </ul>
    </section>
  `
}

function cardItem(view: IssueView, { column, sortings }: Filled, columns: readonly Column[], show: Show): Html {
  const { writing } = show
  const { issue } = view
  const sorting = sortings.get(issue.id) ?? 0
  const top = Math.min(...sortings.values()) - 1
  return html`
    <li
      id="card-${issue.id}"
      ${writing && html`draggable="true" data-sorting="${sorting}" data-move="${moveAddress(writing, issue.id)}"`}
    >
      ${card(view, show)}${writing && cardTools(writing, view, { column, columns, top, sorting })}
    </li>
  `
}

function card(view: IssueView, { now, withRepository }: Show): Html {
  const { issue, milestone } = view
  const { tone, icon: name, text } = stateOf(view)
  const tasks = tasksIn(view.text)
  return html`
    <p class="title">
      <span class="${tone}">${icon(name, text)}</span>${" "}
      <a href="${issuePath(view)}" dir="auto">${titleOf(issue.title)}</a>
    </p>
    <p class="meta">
      <span>${withRepository && homeName(view)}#${issue.number}</span>
      ${milestone && html`<span>${icon("milestone")} <bdi>${milestone.title}</bdi></span>`}
      ${dueOf(issue, now)}
      ${tasks && html`<span>${icon("tasklist")} ${tasks.done}/${tasks.total}<span class="hidden-text"> tasks</span></span>`}
      ${
        issue.comments_count > 0 &&
        html`
          <span>
            ${icon("comment", plural(issue.comments_count, "comment"))}${" "}
            <span aria-hidden="true">${issue.comments_count}</span>
          </span>
        `
      }
      ${view.assignees.map(
        (user) =>
          html`<a class="end" href="${path(user.name)}" title="${user.name}" aria-label="Assigned to ${user.name}">${avatar(user)}</a>`,
      )}
    </p>
    ${labelsOf(view)}
  `
}

const labelsOf = ({ labels }: IssueView): Content =>
  labels.length > 0 && html`<p class="bar">${labels.map(({ name, color, description }) => label(name, color, { title: description }))}</p>`

const dueOf = ({ due_at, is_closed }: IssueView["issue"], now: number): Content =>
  due_at > 0 && html`<span class="${is_closed === 0 && due_at < now ? "closed" : ""}">${icon("calendar")} ${dayOf(due_at)}</span>`

const table = (columns: readonly Filled[], show: Show): Html =>
  html`
    <div class="scrolls card" id="cards" data-live="parts">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Title</th>
            <th scope="col">Column</th>
            <th scope="col">Labels</th>
            <th scope="col">Milestone</th>
            <th scope="col">Assignees</th>
            <th scope="col">Due</th>
          </tr>
        </thead>
        <tbody id="cards-rows" data-live="list">
          ${columns.flatMap(({ column, issues }) => issues.map((issue) => tableRow(issue, column, show)))}
        </tbody>
      </table>
    </div>
  `

function tableRow(view: IssueView, column: Column, { now, withRepository }: Show): Html {
  const { issue } = view
  const { tone, icon: name, text } = stateOf(view)
  return html`
    <tr id="card-${issue.id}">
      <td class="break">
        <span class="${tone}">${icon(name, text)}</span>${" "}
        <a href="${issuePath(view)}" dir="auto">${titleOf(issue.title)}</a>${" "}
        <span class="muted">${withRepository && homeName(view)}#${issue.number}</span>
      </td>
      <td>${column.color !== "" && dot(column.color)} <bdi>${column.title}</bdi></td>
      <td>${labelsOf(view)}</td>
      <td><bdi>${view.milestone?.title}</bdi></td>
      <td>
        ${view.assignees.map((user) => html`<span class="nowrap">${personWithAvatar(user)}</span> `)}
      </td>
      <td class="nowrap">${dueOf(issue, now)}</td>
    </tr>
  `
}
