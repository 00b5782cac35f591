import { permissionOn } from "../../../access/permission.ts"
import {
  type OnProjects,
  onRepositoryProjects,
  onRepositoryProjectsAsWriter,
  onUserProjects,
  onUserProjectsSignedIn,
  writesProjectsIn,
  writesProjectsOf,
} from "../../../access/policies/projects.ts"
import { type OnRepository, onRepository } from "../../../access/policies/repositories.ts"
import { asMe } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import type { Page as ListPage, Request } from "../../../core/operation.ts"
import { type Draft, type Followed, type Moved, moved, numberIn, type Page, page, type Reader, type Shown } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { addCard } from "../../../features/planning/boards/rules.ts"
import { locateNamed } from "../../../features/planning/dependencies/rules.ts"
import { planFilter } from "../../../features/planning/issues/filter-conditions.ts"
import { parseFilter } from "../../../features/planning/issues/filter-words.ts"
import { inState, ofKind } from "../../../features/planning/issues/list-store.ts"
import { presentIssues } from "../../../features/planning/issues/present.ts"
import type { Issue } from "../../../features/planning/issues/records.ts"
import { findIssuesByIds } from "../../../features/planning/issues/store.ts"
import { findBoard, issuesOnCards } from "../../../features/planning/projects/card-store.ts"
import { requireProject } from "../../../features/planning/projects/lock.ts"
import { presentProjectOf, presentProjectsOf } from "../../../features/planning/projects/present.ts"
import type { Project } from "../../../features/planning/projects/records.ts"
import { type Column, findColumns, findProjects } from "../../../features/planning/projects/store.ts"
import { localPath, path, withQuery } from "../../../web/address.ts"
import { avatar, choices, dot, empty, filterForm, label, notice, pager, personWithAvatar, state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { dayOf, plural, timeOf } from "../../../web/time.ts"
import { accountPage } from "../../parts/account/frame.ts"
import { stateOf, tasksIn, titleOf } from "../../parts/issues/list-view.ts"
import { repositoryPage } from "../frame.ts"
import {
  addCardForm,
  boardSketches,
  cardTools,
  columnTools,
  FORMS,
  listSketches,
  moveAddress,
  newProject,
  type Place,
  projectTools,
} from "./forms.ts"

/** Projects: those of a repository or an owner, and each as a board or a table. */

/** The most cards of a column that a board shows. */
const MOST_CARDS = 50

interface Call extends Request, OnProjects {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly page: ListPage
  readonly reader: Reader
  readonly path: Readonly<Record<string, string>>
  readonly draft?: Draft | undefined
}

/** Puts a body into the frame of what the projects belong to. */
type Frame = (title: string, body: Html, more?: Pick<Shown, "width" | "modules">) => Promise<Shown> | Shown

const listFields = { state: Type.Optional(oneOf(["open", "closed", "all"])) } as const
const boardFields = { q: Type.Optional(Type.String()), view: Type.Optional(oneOf(["board", "table"])) } as const
type State = "open" | "closed" | "all"

const ofRepository =
  (call: OnRepository & Request): Frame =>
  (title, body, more) =>
    repositoryPage(call, { tab: "projects", title, body, ...more })

const ofOwner =
  ({ home: { owner } }: OnProjects): Frame =>
  (title, body, more) => ({
    kind: "shown",
    title: `${title} · ${owner.name}`,
    ...more,
    body: html`
      <p class="crumbs">
        <a class="strong" href="${path(owner.name)}"><bdi>${owner.name}</bdi></a><span class="sep">/</span>
        <a href="${path(owner.name, "-", "projects")}">Projects</a>
      </p>
      ${body}
    `,
  })

/** The forms of whoever may write to the projects; undefined for others. */
async function placeOf(call: Call): Promise<Place | undefined> {
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

async function listPage(
  call: Call,
  wanted: State | undefined,
  { heading, frame }: { readonly heading: Html; readonly frame: Frame },
): Promise<Shown> {
  const { services, db, actor, home, page: rows, reader } = call
  const state = wanted ?? "open"
  const found = await findProjects(db, home, state, rows)
  const records = await presentProjectsOf(db, services.site, actor, home, found.rows)
  const place = await placeOf(call)
  const states = (["open", "closed", "all"] as const).map((each) => ({
    href: withQuery(reader.url, { state: each === "open" ? undefined : each }),
    text: { open: "Open", closed: "Closed", all: "All" }[each],
    current: each === state,
  }))
  return frame(
    "Projects",
    html`
      <div class="bar">${heading}${choices("State", states)}</div>
      ${place && newProject(place)}
      ${
        records.length > 0
          ? html`<ul class="rows">${records.map(projectRow)}</ul>`
          : empty(
              "project",
              state === "open" ? "No open projects" : "No projects",
              "A project organizes issues and pull requests in columns.",
            )
      }
      ${pager(reader.url, rows, found.total)}
    `,
  )
}

const projectRow = ({
  title,
  description,
  html_url,
  num_open_issues,
  num_closed_issues,
  num_issues,
  updated_at,
  is_closed,
}: Project): Html =>
  html`
    <li>
      ${icon("project")}
      <div class="main">
        <h2 class="title">
          <a href="${localPath(html_url)}" dir="auto">${title}</a>${" "}
          ${is_closed && html`<span class="chip">Closed</span>`}
        </h2>
        ${description !== "" && html`<p class="muted break" dir="auto">${description}</p>`}
        <p class="meta">
          <span>${num_open_issues.toLocaleString("en")} open</span>
          <span>${num_closed_issues.toLocaleString("en")} closed</span><span>Updated ${timeOf(updated_at)}</span>
        </p>
        ${
          num_issues > 0 &&
          html`
            <progress
              value="${num_closed_issues}"
              max="${num_issues}"
              aria-label="${num_closed_issues} of ${num_issues} closed"
            >
            </progress>
          `
        }
      </div>
    </li>
  `

async function boardPage(
  call: Call & { readonly path: { readonly id: string } },
  query: { readonly q?: string; readonly view?: string },
  frame: Frame,
  refused?: { readonly typed: string; readonly problem: Content },
): Promise<Shown> {
  const { services, db, actor, home, reader } = call
  const row = await requireProject(db, home, /^\d{1,15}$/.test(call.path.id) ? Number(call.path.id) : 0)
  const project = await presentProjectOf(db, services.site, actor, home, row)
  const columns = await findColumns(db, { projectId: row.id })
  const plan = planFilter(actor, parseFilter(query.q ?? ""))
  const conditions = [
    ...plan.conditions,
    ...(plan.kind === undefined ? [] : [ofKind(plan.kind === "pulls" ? 1 : 0)]),
    ...(plan.state === "open" || plan.state === "closed" ? [inState(plan.state === "closed" ? 1 : 0)] : []),
  ]
  const cards = await findBoard(db, actor, row.id, conditions, MOST_CARDS)
  const issues = cards.length === 0 ? [] : await findIssuesByIds(db, { ids: cards.map(({ issue_id }) => issue_id) })
  const { repository, owner } = home
  const own = repository && issues.every(({ repository_id }) => repository_id === repository.id) ? { owned: [{ repository, owner }] } : {}
  const records = new Map((await presentIssues(db, services.site, actor, issues, own)).map((issue) => [issue.id, issue]))
  const filled = columns.map((column): Filled => {
    const inside = cards.filter(({ column_id }) => column_id === column.id)
    return {
      column,
      total: inside[0]?.total ?? 0,
      issues: inside.flatMap(({ issue_id }) => records.get(issue_id) ?? []),
      sortings: new Map(inside.map(({ issue_id, sorting }) => [issue_id, sorting])),
    }
  })
  const view = query.view === "table" ? "table" : "board"
  const now = services.now()
  const place = await placeOf(call)
  const show: Show = { now, withRepository: repository === null, place: project.is_closed ? undefined : place }
  const at = localPath(project.html_url)
  return frame(
    project.title,
    html`
      <div class="bar">
        <h1 id="project-title" dir="auto" data-live>${project.title}</h1>
        <span id="project-state" data-live>${project.is_closed && state("closed", "archive", "Closed", true)}</span>
        ${choices("View", [
          { href: withQuery(reader.url, { view: undefined }), text: "Board", icon: "project", current: view === "board" },
          { href: withQuery(reader.url, { view: "table" }), text: "Table", icon: "table", current: view === "table" },
        ])}
      </div>
      ${
        place &&
        html`
          <div class="bar project-tools">
            ${!project.is_closed && columns.length > 0 && addCardForm(at, columns, repository === null, refused)}
            ${projectTools(place, project)}
          </div>
        `
      }
      <div id="project-description" data-live>
        ${project.description !== "" && html`<p class="break" dir="auto">${project.description}</p>`}
      </div>
      ${filterForm(at, query.q ?? "", "Filter cards: label:bug assignee:@me words", {
        view: view === "table" ? view : undefined,
      })}
      ${plan.hints.length > 0 && notice("warn", html`<ul class="plain">${plan.hints.map((hint) => html`<li>${hint}</li>`)}</ul>`)}
      <div id="project" data-live="list">
        ${
          columns.length === 0
            ? html`<div id="no-columns">${empty("project", "No columns yet", "Add a column to put issues and pull requests into.")}</div>`
            : view === "table"
              ? table(filled, show)
              : board(filled, show)
        }
      </div>
      ${show.place && html`<p class="hidden-text" role="status" id="board-said"></p>`}
    `,
    { width: "wide", modules: place ? ["board", "live"] : ["live"] },
  )
}

interface Filled {
  readonly column: Column
  readonly total: number
  readonly issues: readonly Issue[]
  /** The places of the cards, by the issues' ids. */
  readonly sortings: ReadonlyMap<number, number>
}

interface Show {
  readonly now: number
  readonly withRepository: boolean
  /** For those who may write. */
  readonly place: Place | undefined
}

const board = (columns: readonly Filled[], show: Show): Html => {
  const all = columns.map(({ column }) => column)
  const order = all.map(({ id }) => id)
  return html`
    <div class="board" id="columns" tabindex="0" role="group" aria-label="Columns" data-live="list">
      ${columns.map(
        ({ column, total, issues, sortings }) =>
          html`
            <section class="card" id="column-${column.id}" data-column="${column.id}" data-live="parts">
              <div class="head" id="column-${column.id}-head" data-live>
                <h2>${column.color !== "" && dot(column.color)} <bdi>${column.title}</bdi></h2>
                <span class="count">${total.toLocaleString("en")}</span>
                ${column.is_default === 1 && html`<span class="muted small">default</span>`}
                ${show.place && columnTools(show.place, column, order)}
              </div>
              <ul class="cards" id="column-${column.id}-cards" data-live="list">
                ${issues.map(
                  (issue) =>
                    html`
                      <li
                        id="card-${issue.id}"
                        ${
                          show.place &&
                          html`
                          draggable="true" data-sorting="${sortings.get(issue.id) ?? 0}" data-move="${moveAddress(show.place, issue.id)}"
                        `
                        }
                      >
                        ${card(issue, show)}
                        ${
                          show.place &&
                          cardTools(show.place, issue, {
                            column,
                            columns: all,
                            top: Math.min(...sortings.values()) - 1,
                            sorting: sortings.get(issue.id) ?? 0,
                          })
                        }
                      </li>
                    `,
                )}
                ${issues.length === 0 && html`<li class="muted small" id="column-${column.id}-none">Nothing here</li>`}
                ${
                  total > issues.length &&
                  html`
                    <li class="muted small" id="column-${column.id}-more">
                      and ${plural(total - issues.length, "more", "more")}: narrow them down by the filter
                    </li>
                  `
                }
              </ul>
            </section>
          `,
      )}
    </div>
  `
}

function card(issue: Issue, { now, withRepository }: Show): Html {
  const { tone, icon: name, text } = stateOf(issue)
  const tasks = tasksIn(issue.body)
  return html`
    <p class="title">
      <span class="${tone}">${icon(name, text)}</span>${" "}
      <a href="${localPath(issue.html_url)}" dir="auto">${titleOf(issue.title)}</a>
    </p>
    <p class="meta">
      <span>${withRepository && issue.repository.full_name}#${issue.number}</span>
      ${issue.milestone && html`<span>${icon("milestone")} <bdi>${issue.milestone.title}</bdi></span>`}
      ${dueOf(issue, now)}
      ${tasks && html`<span>${icon("tasklist")} ${tasks.done}/${tasks.total}<span class="hidden-text"> tasks</span></span>`}
      ${issue.comments > 0 && html`<span>${icon("comment")} ${issue.comments}<span class="hidden-text"> comments</span></span>`}
      ${issue.assignees.map(
        (user) =>
          html`<a class="end" href="${path(user.login)}" title="${user.login}" aria-label="Assigned to ${user.login}">${avatar(user)}</a>`,
      )}
    </p>
    ${labelsOf(issue)}
  `
}

const labelsOf = ({ labels }: Issue): Content =>
  labels.length > 0 && html`<p class="bar">${labels.map(({ name, color, description }) => label(name, color, { title: description }))}</p>`

function dueOf({ due_date, state: word }: Issue, now: number): Content {
  if (due_date === null) return undefined
  const at = Date.parse(due_date) / 1000
  return html`<span class="${word === "open" && at < now ? "closed" : ""}">${icon("calendar")} ${dayOf(at)}</span>`
}

const table = (columns: readonly Filled[], { now, withRepository }: Show): Html =>
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
          ${columns.flatMap(({ column, issues }) =>
            issues.map((issue) => {
              const { tone, icon: name, text } = stateOf(issue)
              return html`
                <tr id="card-${issue.id}">
                  <td class="break">
                    <span class="${tone}">${icon(name, text)}</span>${" "}
                    <a href="${localPath(issue.html_url)}" dir="auto">${titleOf(issue.title)}</a>${" "}
                    <span class="muted">${withRepository && issue.repository.full_name}#${issue.number}</span>
                  </td>
                  <td>${column.color !== "" && dot(column.color)} <bdi>${column.title}</bdi></td>
                  <td>${labelsOf(issue)}</td>
                  <td><bdi>${issue.milestone?.title}</bdi></td>
                  <td>
                    ${issue.assignees.map((user) => html`<span class="nowrap">${personWithAvatar(user)}</span> `)}
                  </td>
                  <td class="nowrap">${dueOf(issue, now)}</td>
                </tr>
              `
            }),
          )}
        </tbody>
      </table>
    </div>
  `

/** The most cards that are followed: more than a board shows. */
const MOST_FOLLOWED = 1_000

/** What a board follows: itself, what is on its cards wherever that is, and in a repository labels and milestones. */
async function followed({
  db,
  home,
  path: { id },
}: Request & OnProjects & { readonly path: { readonly id: string } }): Promise<readonly Followed[]> {
  const { id: projectId } = await requireProject(db, home, numberIn({ id }, "id"))
  const issues = await issuesOnCards(db, projectId, MOST_FOLLOWED)
  const { repository } = home
  return [
    { projectId },
    { issueIds: new Set(issues.map(({ issue_id }) => issue_id)) },
    ...(repository ? [{ repositoryId: repository.id, kinds: ["label.", "milestone."] }] : []),
  ]
}

const repositoryList: Page = page({
  id: "project.list",
  address: "GET /{owner}/{repo}/projects",
  access: onRepository,
  query: listFields,
  answer: async (call) => {
    // A repository may leave its projects to its owner.
    if (call.repository.has_projects === 1 && call.repository.projects_mode === "owner")
      return moved(path(call.owner.name, "-", "projects"))
    return listPage({ ...call, ...(await onRepositoryProjects.open(call)) }, call.query.state, {
      heading: html`<h1>Projects</h1>`,
      frame: ofRepository(call),
    })
  },
})

const repositoryBoard: Page = page({
  id: "project.show",
  address: "GET /{owner}/{repo}/projects/{id}",
  access: onRepositoryProjects,
  query: boardFields,
  live: followed,
  answer: (call) => boardPage(call, call.query, ofRepository(call)),
})

const ownerList: Page = page({
  id: "ownerProject.list",
  address: "GET /{username}/-/projects",
  access: onUserProjects,
  query: listFields,
  answer: (call) =>
    listPage(call, call.query.state, {
      heading: html`<h2>Projects</h2>`,
      frame: (title, body) => accountPage(call, call.home.owner, { tab: "projects", title, body }),
    }),
})

const ownerBoard: Page = page({
  id: "ownerProject.show",
  address: "GET /{username}/-/projects/{id}",
  access: onUserProjects,
  query: boardFields,
  live: followed,
  answer: (call) => boardPage(call, call.query, ofOwner(call)),
})

const cardFields = { reference: Type.Optional(Type.String()), column: Type.Optional(Type.Integer()) } as const

/** Adds the issue or pull request that was typed as a card. */
async function addTyped(
  call: Call,
  { reference = "", column = 0 }: { readonly reference?: string; readonly column?: number },
): Promise<Moved> {
  const { services, db, home, actor } = call
  const me = asMe(actor)
  const { id = "" } = call.path
  const [, owner = home.owner.name, repo = home.repository?.name ?? "", index = ""] =
    /^(?:(?:([^/#\s]+)\/)?([^/#\s]+))?#(\d{1,15})$/.exec(/^\d+$/.test(reference.trim()) ? `#${reference.trim()}` : reference.trim()) ?? []
  if (index === "" || repo === "") throw refuse.invalid("reference", `must be ${home.repository ? "#12" : "repository#12"}`)
  const { issue } = await locateNamed(db, actor, { owner, repo, index: Number(index) })
  const at = { projectId: /^\d{1,15}$/.test(id) ? Number(id) : 0, columnId: column, issueId: issue.id }
  await services.database.write((tx) => addCard(tx, { home, ...me }, at, services.now()))
  const base = home.repository ? path(home.owner.name, home.repository.name, "projects") : path(home.owner.name, "-", "projects")
  return moved(`${base}/${id}`, { flash: "Card added." })
}

const addCardPages: readonly Page[] = [
  page({
    id: "project.addCard",
    address: "POST /{owner}/{repo}/projects/{id}/cards",
    access: onRepositoryProjectsAsWriter,
    query: cardFields,
    again: async (call, refusal) => {
      const found = await onRepositoryProjects.open(call)
      return boardPage({ ...call, ...found }, {}, ofRepository({ ...call, ...found }), {
        typed: call.query.reference ?? "",
        problem: problem(refusal),
      })
    },
    answer: (call) => {
      if (call.home.repository?.is_archived === 1) throw refuse.archived()
      return addTyped(call, call.query)
    },
  }),
  page({
    id: "ownerProject.addCard",
    address: "POST /{username}/-/projects/{id}/cards",
    access: onUserProjectsSignedIn,
    query: cardFields,
    again: (call, refusal) => boardPage(call, {}, ofOwner(call), { typed: call.query.reference ?? "", problem: problem(refusal) }),
    answer: async (call) => {
      const { db, actor, home, me } = call
      const writes = home.owner.kind === "organization" ? await writesProjectsOf(db, actor, home.owner) : home.owner.id === me.id
      if (!writes) throw refuse.forbidden("only those who may write to the projects may add cards")
      return addTyped(call, call.query)
    },
  }),
]

const { repository: inRepository, organization, person } = FORMS

export const projectPages: readonly Page[] = [
  repositoryList,
  repositoryBoard,
  ownerList,
  ownerBoard,
  ...addCardPages,
  ...listSketches(inRepository).map(({ on }) => on(repositoryList)),
  ...boardSketches(inRepository).map(({ on }) => on(repositoryBoard)),
  ...[organization, person].flatMap((forms) => [
    ...listSketches(forms).map(({ on }) => on(ownerList)),
    ...boardSketches(forms).map(({ on }) => on(ownerBoard)),
  ]),
]
