import { anyone } from "../../access/policies/site.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Page as ListPage, Request } from "../../core/operation.ts"
import { type Page, page, type Reader, type Shown } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type, { type Static, type TObject } from "../../core/schema.ts"
import { conditionsOf, listRepositories } from "../../features/code/repositories/search-store.ts"
import { withOwners } from "../../features/code/repositories/store.ts"
import { exploreAccounts } from "../../features/people/users/store.ts"
import { withQuery } from "../../web/address.ts"
import { choices, empty, filterForm, pager, type Tab, tabs } from "../../web/components.ts"
import type { IconName } from "../../web/icon-names.ts"
import { accountRows } from "../parts/account/list-view.ts"
import { codeSearch, codeSearchFields, countCode } from "../parts/code-results.ts"
import { countIssueResults, issueResults } from "../parts/issues/results-view.ts"
import { repositoryRows } from "../parts/repositories/list-view.ts"

/** The search of the whole site. */

type Asked = Pick<Request, "services" | "db" | "actor">

interface Found {
  readonly rows: Content
  readonly total: number
}

/** One kind of thing that is searched. */
interface Searched {
  readonly text: Text
  readonly icon: IconName
  /** What several of them are called, and how they are found. */
  readonly many: Text
  readonly hint: Text
  readonly count: (asked: Asked, q: string) => Promise<number>
  readonly find: (asked: Asked, q: string, page: ListPage) => Promise<Found>
}

/** Beyond the end of every list, where only the total is asked for. */
const BEYOND = { limit: 0, offset: Number.MAX_SAFE_INTEGER } as const

const repositoriesWith = ({ db, actor }: Asked, q: string, window: { readonly limit: number; readonly offset: number }) =>
  listRepositories(
    db,
    actor,
    {
      where: conditionsOf(actor, {
        keyword: { text: q, topicsOnly: false, inDescriptions: true },
        exclusive: false,
        withHidden: true,
        isPrivate: undefined,
        isTemplate: undefined,
        isArchived: undefined,
        mode: undefined,
      }),
      order: { by: "stars", direction: "desc" },
    },
    window,
  )

const repositories: Searched = {
  text: t("Repositories"),
  icon: "repo",
  many: t("repositories"),
  hint: t("Search for part of a name, a description or a topic."),
  count: async (asked, q) => (await repositoriesWith(asked, q, BEYOND)).total,
  find: async (asked, q, page) => {
    const { rows, total } = await repositoriesWith(asked, q, page)
    return { total, rows: repositoryRows(await withOwners(asked.db, rows)) }
  },
}

const issues = (kind: "issues" | "pulls"): Searched => ({
  text: kind === "issues" ? t("Issues") : t("Pull requests"),
  icon: kind === "issues" ? "issue-opened" : "git-pull-request",
  many: kind === "issues" ? t("issues") : t("pull requests"),
  hint: t("Searches titles, descriptions and comments for all words; the beginning of a word is enough."),
  count: (asked, q) => countIssueResults(asked, { q, kind }),
  find: (asked, q, page) => issueResults(asked, { q, kind }, page),
})

const accounts = (kind: "person" | "organization"): Searched => ({
  text: kind === "person" ? t("People") : t("Organizations"),
  icon: kind === "person" ? "people" : "organization",
  many: kind === "person" ? t("people") : t("organizations"),
  hint: t("Search for part of a name."),
  count: async ({ db, actor }, q) => (await exploreAccounts(db, actor, { kind, keyword: q, order: "alphabetically" }, BEYOND)).total,
  find: async ({ db, actor }, q, page) => {
    const { rows, total } = await exploreAccounts(db, actor, { kind, keyword: q, order: "alphabetically" }, page)
    return { total, rows: accountRows(rows) }
  },
})

const SEARCHED = {
  repositories,
  issues: issues("issues"),
  pulls: issues("pulls"),
  people: accounts("person"),
  organizations: accounts("organization"),
} as const

const TYPES = ["repositories", "code", "issues", "pulls", "people", "organizations"] as const
type SearchType = (typeof TYPES)[number]

type Call = Asked & {
  readonly query: Static<TObject<typeof codeSearchFields>> & { readonly type?: SearchType }
  readonly reader: Reader
}

/** How many of each kind there are, as its tab says. */
async function countsOf(call: Call, q: string): Promise<ReadonlyMap<SearchType, Pick<Tab, "count" | "isAtLeast">>> {
  const counted = TYPES.map(
    async (each) => [each, each === "code" ? await countCode(call) : { count: await SEARCHED[each].count(call, q) }] as const,
  )
  return new Map(q === "" ? [] : await Promise.all(counted))
}

export const searchPages: readonly Page[] = [
  page({
    id: "search",
    address: "GET /search",
    access: anyone,
    query: { ...codeSearchFields, type: Type.Optional(oneOf(TYPES)) },
    answer: async (call): Promise<Shown> => {
      const { query, page: rows, reader } = call
      const q = (query.q ?? "").trim()
      const counts = await countsOf(call, q)
      // The first kind with results is shown, unless one is asked for.
      const type = query.type ?? TYPES.find((each) => (counts.get(each)?.count ?? 0) > 0) ?? "repositories"
      const items = TYPES.map(
        (each): Tab => ({
          text: each === "code" ? t("Code") : SEARCHED[each].text,
          icon: each === "code" ? "code" : SEARCHED[each].icon,
          href: withQuery(reader.url, { type: each, search_mode: undefined, case: undefined, l: undefined }),
          current: each === type,
          ...counts.get(each),
        }),
      )
      const bar = tabs(t("Search in"), items)
      const body =
        type === "code"
          ? await codeSearch(call, { action: "/search", keep: { type }, below: bar })
          : await results(call, { q, type, rows, bar, others: items.filter(({ count = 0 }) => count > 0) })
      return {
        kind: "shown",
        title: q === "" ? t("Search") : `${q.slice(0, 100)} · Search`,
        unlisted: true,
        body: html`
          <h1>Search</h1>
          ${body}
        `,
      }
    },
  }),
]

interface Sought {
  readonly q: string
  readonly type: Exclude<SearchType, "code">
  readonly rows: ListPage
  readonly bar: Html
  readonly others: readonly Tab[]
}

async function results(call: Call, { q, type, rows, bar, others }: Sought): Promise<Html> {
  const { many, hint, find } = SEARCHED[type]
  const found = q === "" ? undefined : await find(call, q, rows)
  const elsewhere =
    others.length > 0 &&
    html`
      <p>Found elsewhere:</p>
      ${choices(t("Found elsewhere"), others)}
    `
  return html`
    ${filterForm("/search", q, t("Search {many}", { many }), { type: call.query.type })}${bar}
    ${
      found === undefined
        ? empty("search", t("Search {many}", { many }), hint)
        : found.total === 0
          ? empty("search", t("No {many} match", { many }), hint, elsewhere)
          : found.rows
    }
    ${found && pager(call.reader.url, rows, found.total)}
  `
}
