import { onIssues, readableKinds } from "../../../access/policies/issues.ts"
import { plansIn } from "../../../access/policies/planning.ts"
import { type OnRepository, onRepository } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { planFilter } from "../../../features/planning/issues/filter-conditions.ts"
import { filterIn, findOffered } from "../../../features/planning/issues/filter-store.ts"
import { ofKind, ofMilestone } from "../../../features/planning/issues/list-store.ts"
import { viewIssues } from "../../../features/planning/issues/present.ts"
import { findEverywhere, findMilestone, findMilestones, type Milestone } from "../../../features/planning/milestones/store.ts"
import { path, repositoryPath, withQuery } from "../../../web/address.ts"
import { choices, empty, filterForm, pager } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { type FilterBar, filterBar, nothingFound } from "../../parts/issues/filter-bar.ts"
import { filterOf, listFields } from "../../parts/issues/list.ts"
import { issueRows } from "../../parts/issues/list-view.ts"
import { milestoneDue, milestoneProgress } from "../../parts/milestone-progress.ts"
import { renderTexts } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"

/** Milestones: of a repository, one with what is in it, and those of all repositories that concern the reader. */

const fields = {
  state: Type.Optional(oneOf(["open", "closed", "all"])),
  q: Type.Optional(Type.String()),
} as const

const STATES = { open: t("Open"), closed: t("Closed"), all: t("All") } as const
const stateChoices = (url: string, state: keyof typeof STATES): Html =>
  choices(
    t("State"),
    (["open", "closed", "all"] as const).map((each) => ({
      href: withQuery(url, { state: each === "open" ? undefined : each }),
      text: STATES[each],
      current: each === state,
    })),
  )

interface Row {
  readonly milestone: Milestone
  readonly at: string
  readonly title?: string
  readonly text?: Html
}

const milestoneRows = (rows: readonly Row[], now: number): Html =>
  html`
    <ul class="rows milestones">
      ${rows.map(
        ({ milestone, at, title, text }) =>
          html`
            <li>
              ${icon("milestone")}
              <div class="main">
                <h2 class="title">
                  <a href="${at}/milestone/${milestone.id}" dir="auto">
                    ${title !== undefined && html`<span class="muted">${title}</span> `}${milestone.title}
                  </a>
                </h2>
                <p class="meta">${milestoneDue(milestone, now)}${milestoneProgress(milestone)}</p>
                ${text}
              </div>
            </li>
          `,
      )}
    </ul>
  `

export const milestonePages: readonly Page[] = [
  page({
    id: "milestone.list",
    address: "GET /{owner}/{repo}/milestones",
    access: onIssues,
    query: fields,
    answer: async (call) => {
      const { services, db, repository, query, page: rows, reader } = call
      const { state = "open", q = "" } = query
      const found = await findMilestones(db, repository.id, { state, title: q }, rows)
      const texts = await renderTexts(
        call,
        found.rows.map(({ description }) => description),
      )
      const at = repositoryPath(call)
      const shown = found.rows.map((row, index): Row => {
        const text = texts[index]
        return { milestone: row, at, ...(text && { text }) }
      })
      return repositoryPage(call, {
        tab: "issues",
        title: t("Milestones"),
        body: html`
          <div class="bar">
            <h1>Milestones</h1>
            ${mayPlan(call) && html`<a class="button primary" href="${at}/milestones/new" rel="nofollow">${icon("plus")}New milestone</a>`}
          </div>
          <div class="bar">
            ${filterForm(`${at}/milestones`, q, t("Search milestones"), { state: query.state })}
            ${stateChoices(reader.url, state)}
          </div>
          ${
            shown.length > 0
              ? milestoneRows(shown, services.now())
              : empty("milestone", t("No milestones"), t("A milestone groups issues and pull requests for a date or a release."))
          }
          ${pager(reader.url, rows, found.total)}
        `,
      })
    },
  }),

  page({
    id: "milestone.show",
    address: "GET /{owner}/{repo}/milestone/{id}",
    access: onIssues,
    query: listFields,
    answer: async (call) => {
      const { services, db, actor, repository, owner, query, page: rows, reader } = call
      const row = await findById(call, call.path.id)
      const offered = await findOffered(db, actor, { repository, owner })
      const filter = filterOf(query, offered)
      const plan = planFilter(actor, filter)
      const kinds = readableKinds(call)
      const readable = kinds.issues && kinds.pulls ? [] : [ofKind(kinds.pulls ? 1 : 0)]
      const found = await filterIn(db, repository.id, plan, rows, [ofMilestone(row.id), ...readable])
      const issues = await viewIssues(db, actor, found.rows, { owned: [call] })
      const [text] = await renderTexts(call, [row.description])
      const at = `${repositoryPath(call)}/milestone/${row.id}`
      const bar: FilterBar = {
        at,
        filter,
        plan,
        found,
        offered,
        kind: "issues",
        isSignedIn: actor.kind === "user",
        usual: "is:open label:bug",
      }
      return repositoryPage(call, {
        tab: "issues",
        title: row.title,
        body: html`
          <div class="stack tight milestones">
            <div class="bar">
              <h1 dir="auto">${row.title}</h1>
              ${mayPlan(call) && html`<a class="button small" href="${at}/edit" rel="nofollow">${icon("pencil")}Edit</a>`}
            </div>
            <p class="meta">${milestoneDue(row, services.now())}${milestoneProgress(row)}</p>
            ${text}
          </div>
          ${filterBar(bar)}
          ${
            issues.length > 0
              ? issueRows(issues, { now: services.now() })
              : nothingFound(bar, html`<a class="button" href="${repositoryPath(call)}/issues">${icon("issue-opened")} All issues</a>`)
          }
          ${pager(reader.url, rows, found.total)}
        `,
      })
    },
  }),

  // The form of other forges.
  page({
    id: "milestone.shown",
    address: "GET /{owner}/{repo}/milestones/{id}",
    access: onRepository,
    answer: async (call) => moved(`${repositoryPath(call)}/milestone/${(await findById(call, call.path.id)).id}`),
  }),

  page({
    id: "milestone.everywhere",
    address: "GET /milestones",
    access: signedIn,
    query: fields,
    answer: async (call) => {
      const { services, db, query, page: rows, reader } = call
      const { state = "open", q = "" } = query
      const found = await findEverywhere(db, call, { state, title: q }, rows)
      return {
        kind: "shown",
        title: t("Milestones"),
        body: html`
          <h1>Milestones</h1>
          <div class="bar">
            ${filterForm("/milestones", q, t("Search milestones"), { state: query.state })}
            ${stateChoices(reader.url, state)}
          </div>
          ${
            found.rows.length > 0
              ? milestoneRows(
                  found.rows.map((row) => ({
                    milestone: row,
                    at: path(row.owner_name, row.repository_name),
                    title: `${row.owner_name}/${row.repository_name}`,
                  })),
                  services.now(),
                )
              : empty(
                  "milestone",
                  t("No milestones"),
                  t("Milestones of your repositories and of those you collaborate on are listed here."),
                )
          }
          ${pager(reader.url, rows, found.total)}
        `,
      }
    },
  }),
]

/** Whether the reader may make and change milestones. */
const mayPlan = (call: OnRepository & { readonly actor: Actor }): boolean =>
  call.actor.kind === "user" && call.repository.is_archived === 0 && plansIn(call)

async function findById({ db, repository }: OnRepository & { readonly db: Handle }, id: string): Promise<Milestone> {
  const row = await findMilestone(db, repository.id, id)
  if (!row) throw refuse.notFound()
  return row
}
