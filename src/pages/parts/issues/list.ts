import { writesKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import type { Followed, Reader } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findCandidateAssignees } from "../../../features/planning/issues/assignable.ts"
import { planFilter } from "../../../features/planning/issues/filter-conditions.ts"
import { filterIn, findOffered, type Offered } from "../../../features/planning/issues/filter-store.ts"
import {
  type Filter,
  filterText,
  filterWord,
  hasOldParameters,
  isStateWord,
  parseFilter,
  withWords,
  wordsOf,
} from "../../../features/planning/issues/filter-words.ts"
import { viewIssues } from "../../../features/planning/issues/present.ts"
import { findPinned } from "../../../features/planning/issues/store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { pager, shortcut } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { bulkBar, type FilterBar, filterBar, nothingFound } from "./filter-bar.ts"
import { issueRows, pinnedCards } from "./list-view.ts"

/** The list of a repository's issues, or of its pull requests. */

const text = Type.Optional(Type.String())

/** `q` is the filter; the others are what older links have. */
export const listFields = {
  q: text,
  state: text,
  type: text,
  sort: text,
  labels: text,
  milestone: text,
  project: text,
  assignee: text,
  poster: text,
} as const

export interface ListCall extends OnRepository {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly query: { readonly [Name in keyof typeof listFields]?: string }
  readonly page: ListPage
  readonly reader: Reader
}

/** The filter that an address asks for; without any, what is open. */
export function filterOf({ q, ...old }: ListCall["query"], offered: Offered): Filter {
  const typed = parseFilter(q ?? "")
  if (!hasOldParameters(old)) return q === undefined ? withWords(typed, isStateWord, filterWord("is", "open")) : typed
  return { ...typed, words: [...wordsOf(old, namesIn(offered)), ...typed.words.filter((word) => !isStateWord(word))] }
}

const namesIn = ({ labels, milestones, projects }: Offered) => ({
  label: (id: number) => labels.find((label) => label.id === id)?.name,
  milestone: (id: number) => milestones.find((milestone) => milestone.id === id)?.title,
  project: (id: number) => projects.find((project) => project.id === id)?.title,
})

/** What changes the list of a repository. */
export const listFollowed = ({ repository }: OnRepository): readonly Followed[] => [
  {
    repositoryId: repository.id,
    kinds: ["issue.", "comment.", "pull.", "review.", "label.", "milestone.", "commit.checked"],
  },
]

/** What a list shows where nothing else is asked for. */
const USUAL = "is:open"

export interface ListOptions {
  readonly kind: "issues" | "pulls"
  /** More about the rows, as features above know it. */
  readonly notesOf?: (issues: readonly { readonly id: number }[]) => Promise<ReadonlyMap<number, Content>>
}

/** The most people that several issues can be assigned to from a list. */
const MOST_ASSIGNEES = 50

const assigneesOf = async ({ db, repository, owner }: ListCall): Promise<readonly string[]> =>
  (await findCandidateAssignees(db, { repository, owner })).slice(0, MOST_ASSIGNEES).map(({ name }) => name)

/** The list with what can be done with all that are chosen, where the reader may do it. */
const changing = (call: ListCall, { kind, filter }: FilterBar, bulk: Content, list: Html): Html =>
  bulk
    ? html`
      <form class="stack tight" method="post" action="${repositoryPath(call)}/issues/bulk">
        <input type="hidden" name="kind" value="${kind}"><input type="hidden" name="q" value="${filterText(filter)}">
        ${bulk}${list}
      </form>
    `
    : list

/** The body of the page: a constant number of queries. */
export async function listBody(call: ListCall, { kind, notesOf }: ListOptions): Promise<Html> {
  const { services, db, actor, repository, owner, query, page, reader } = call
  const at = `${repositoryPath(call)}/${kind}`
  const isPull = kind === "pulls" ? 1 : 0
  const offered = await findOffered(db, actor, { repository, owner })
  const filter = filterOf(query, offered)
  const plan = { ...planFilter(actor, filter), kind }
  const found = await filterIn(db, repository.id, plan, page)
  const pins = await findPinned(db, { repositoryId: repository.id, isPull })
  const views = await viewIssues(db, actor, [...found.rows, ...pins], { owned: [call] })
  const rows = views.slice(0, found.rows.length)
  const notes = notesOf ? await notesOf(found.rows) : undefined
  const isSignedIn = actor.kind === "user"
  const bar: FilterBar = {
    at,
    filter,
    plan,
    found,
    offered,
    kind,
    isSignedIn,
    usual: `is:open label:bug author:${owner.name}`,
  }
  const writes = isSignedIn && repository.is_archived === 0 && writesKind(call, { is_pull: isPull })
  const bulk = writes && bulkBar({ offered, assignees: await assigneesOf(call), state: plan.state })
  const begin =
    kind === "pulls"
      ? html`<a class="button primary" href="${repositoryPath(call)}/compare">${icon("git-pull-request")}New pull request</a>`
      : repository.is_archived === 0 &&
        html`<a class="button primary" href="${at}/new/choose" rel="nofollow" ${shortcut("c")}>${icon("plus")}New issue</a>`
  return html`
    <div class="bar">
      <h1>${kind === "pulls" ? t("Pull requests") : t("Issues")}</h1>
      <a class="button" href="${repositoryPath(call)}/labels">${icon("tag")}<span class="wide-only">Labels</span></a>
      <a class="button" href="${repositoryPath(call)}/milestones">${icon("milestone")}<span class="wide-only">Milestones</span></a>${begin}
    </div>
    ${page.number === 1 && filterText(filter) === USUAL && pinnedCards(views.slice(found.rows.length), services.now())}
    ${filterBar(bar)}
    <div class="stack" id="listed" data-live="later">
      ${
        rows.length > 0
          ? changing(
              call,
              bar,
              bulk,
              issueRows(rows, {
                ...(notes && { notes }),
                now: services.now(),
                isChosen: writes,
                href: (word) => withQuery(at, { q: `${filterText(withWords(filter, () => false))} ${word}`.trim() }),
              }),
            )
          : nothingFound(bar, begin)
      }
    </div>
    ${pager(reader.url, page, found.total)}
  `
}
