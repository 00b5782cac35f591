import {
  type OnProjects,
  onRepositoryProjects,
  onRepositoryProjectsAsWriter,
  onUserProjects,
  onUserProjectsSignedIn,
  type ProjectHome,
  writesProjectsOf,
} from "../../../access/policies/projects.ts"
import { type OnRepository, onRepository, requireUnarchived } from "../../../access/policies/repositories.ts"
import { asMe } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { t, titled } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { type Followed, type Moved, moved, numberIn, type Page, page, type Shown } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { addCard } from "../../../features/planning/boards/rules.ts"
import { locateNamed } from "../../../features/planning/dependencies/rules.ts"
import { issuesOnCards } from "../../../features/planning/projects/card-store.ts"
import { requireProject } from "../../../features/planning/projects/lock.ts"
import { type ProjectView, viewProjects } from "../../../features/planning/projects/present.ts"
import { findProjects } from "../../../features/planning/projects/store.ts"
import { path, withQuery } from "../../../web/address.ts"
import { choices, empty, pager } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { number, time } from "../../../web/time.ts"
import { accountPage } from "../../parts/account/frame.ts"
import { repositoryPage } from "../frame.ts"
import { boardPage, type Frame, type ProjectsCall, projectPath, writingOf } from "./board.ts"
import { boardSketches, FORMS, listSketches } from "./forms.ts"
import { newProject } from "./tools.ts"

/** Projects: those of a repository or an owner, and each as a board or a table. */

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
    title: titled(title, owner.name),
    ...more,
    body: html`
      <p class="crumbs">
        <a class="strong" href="${path(owner.name)}"><bdi>${owner.name}</bdi></a><span class="sep">/</span>
        <a href="${path(owner.name, "-", "projects")}">Projects</a>
      </p>
      ${body}
    `,
  })

async function listPage(
  call: ProjectsCall,
  wanted: State | undefined,
  { heading, frame }: { readonly heading: Html; readonly frame: Frame },
): Promise<Shown> {
  const { db, actor, home, page: rows, reader } = call
  const state = wanted ?? "open"
  const found = await findProjects(db, home, state, rows)
  const projects = await viewProjects(
    db,
    actor,
    found.rows.map((project) => ({ project, at: home })),
  )
  const writing = await writingOf(call)
  const states = (["open", "closed", "all"] as const).map((each) => ({
    href: withQuery(reader.url, { state: each === "open" ? undefined : each }),
    text: { open: t("Open"), closed: t("Closed"), all: t("All") }[each],
    current: each === state,
  }))
  return frame(
    t("Projects"),
    html`
      <div class="bar">${heading}${choices(t("State"), states)}${writing && newProject(writing)}</div>
      ${
        projects.length > 0
          ? html`<ul class="rows">${projects.map((view) => projectRow(home, view))}</ul>`
          : empty(
              "project",
              state === "open" ? t("No open projects") : t("No projects"),
              t("A project organizes issues and pull requests in columns."),
            )
      }
      ${pager(reader.url, rows, found.total)}
    `,
  )
}

const projectRow = (home: ProjectHome, { project: { id, title, description, is_closed, updated_at }, open, closed }: ProjectView): Html =>
  html`
    <li>
      ${icon("project")}
      <div class="main">
        <h2 class="title">
          <a href="${projectPath(home, id)}" dir="auto">${title}</a>${" "}
          ${is_closed === 1 && html`<span class="chip">Closed</span>`}
        </h2>
        ${description !== "" && html`<p class="muted break" dir="auto">${description}</p>`}
        <p class="meta">
          <span>${number(open)} open</span>
          <span>${number(closed)} closed</span><span>Updated ${time(updated_at)}</span>
        </p>
        ${
          open + closed > 0 &&
          html`
            <progress
              value="${closed}"
              max="${open + closed}"
              aria-label="${closed} of ${open + closed} closed"
            >
            </progress>
          `
        }
      </div>
    </li>
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
  call: ProjectsCall,
  { reference = "", column = 0 }: { readonly reference?: string; readonly column?: number },
): Promise<Moved> {
  const { services, db, home, actor } = call
  const me = asMe(actor)
  const { id = "" } = call.path
  const [, owner = home.owner.name, repo = home.repository?.name ?? "", index = ""] =
    /^(?:(?:([^/#\s]+)\/)?([^/#\s]+))?#(\d{1,15})$/.exec(/^\d+$/.test(reference.trim()) ? `#${reference.trim()}` : reference.trim()) ?? []
  if (index === "" || repo === "") throw refuse.invalid("reference", t`must be ${home.repository ? "#12" : "repository#12"}`)
  const { issue } = await locateNamed(db, actor, { owner, repo, index: Number(index) })
  const at = { projectId: /^\d{1,15}$/.test(id) ? Number(id) : 0, columnId: column, issueId: issue.id }
  await services.database.write((tx) => addCard(tx, { home, ...me }, at, services.now()))
  return moved(projectPath(home, id), { flash: t("Card added.") })
}

const addCardPages: readonly Page[] = [
  page({
    id: "project.addCard",
    address: "POST /{owner}/{repo}/projects/{id}/cards",
    access: onRepositoryProjectsAsWriter,
    query: cardFields,
    again: (call, refusal) => boardPage(call, {}, ofRepository(call), { typed: call.query.reference ?? "", problem: problem(refusal) }),
    answer: (call) => {
      requireUnarchived(call)
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
