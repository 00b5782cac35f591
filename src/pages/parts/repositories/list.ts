import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Page } from "../../../core/operation.ts"
import type { Reader } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type, { type Static, type TObject } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import {
  type Condition,
  conditionsOf,
  listRepositories,
  mainLanguages,
  type Order,
  writtenIn,
} from "../../../features/code/repositories/search-store.ts"
import { withOwners } from "../../../features/code/repositories/store.ts"
import { withQuery } from "../../../web/address.ts"
import { choices, dot, empty, filterForm, menu, pager } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { languageColor } from "../../../web/language-colors.ts"
import { repositoryRows } from "./list-view.ts"

/** A list of repositories with its filters and orders: of explore, of an account, of what someone has starred. */

/** The orders of lists of repositories, as addresses of other forges name them. */
const ORDERS = {
  recentupdate: { text: t("Recently updated"), order: { by: "updated", direction: "desc" } },
  leastupdate: { text: t("Least recently updated"), order: { by: "updated", direction: "asc" } },
  newest: { text: t("Newest"), order: { by: "created", direction: "desc" } },
  oldest: { text: t("Oldest"), order: { by: "created", direction: "asc" } },
  alphabetically: { text: t("By name"), order: { by: "alpha", direction: "asc" } },
  reversealphabetically: { text: t("By name, reversed"), order: { by: "alpha", direction: "desc" } },
  moststars: { text: t("Most stars"), order: { by: "stars", direction: "desc" } },
  feweststars: { text: t("Fewest stars"), order: { by: "stars", direction: "asc" } },
  mostforks: { text: t("Most forks"), order: { by: "forks", direction: "desc" } },
  fewestforks: { text: t("Fewest forks"), order: { by: "forks", direction: "asc" } },
  size: { text: t("Largest"), order: { by: "size", direction: "desc" } },
  reversesize: { text: t("Smallest"), order: { by: "size", direction: "asc" } },
} as const satisfies Readonly<Record<string, { readonly text: Text; readonly order: Order }>>

type OrderName = keyof typeof ORDERS
const ORDER_NAMES = Object.keys(ORDERS).filter((name): name is OrderName => name in ORDERS)

/** The fields of a query that the list understands. */
export const repositoryFilters = {
  q: Type.Optional(Type.String()),
  sort: Type.Optional(oneOf(ORDER_NAMES)),
  language: Type.Optional(Type.String()),
  topic: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  fork: Type.Optional(Type.Boolean()),
  mirror: Type.Optional(Type.Boolean()),
  template: Type.Optional(Type.Boolean()),
  private: Type.Optional(Type.Boolean()),
}

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly page: Page
  readonly reader: Reader
  readonly query: Static<TObject<typeof repositoryFilters>>
}

interface ListOf {
  /** The path of the page that the list stands on. */
  readonly action: string
  /** Further values of the query that the search keeps. */
  readonly keep?: Readonly<Record<string, string>>
  /** What is in the list before the reader's filters. */
  readonly where?: readonly Condition[]
  /** What is shown where there is nothing to filter. */
  readonly empty: Content
}

/** The repositories that the reader may see and has filtered, with the controls over them. */
export async function repositoryList(
  { db, actor, query, page, reader }: Call,
  { action, keep = {}, where = [], empty: nothing }: ListOf,
): Promise<Html> {
  const { q = "", sort = "recentupdate", language = "" } = query
  const filters = conditionsOf(actor, {
    keyword: { text: q, topicsOnly: query.topic === true, inDescriptions: true },
    exclusive: false,
    withHidden: true,
    isPrivate: query.private,
    isTemplate: query.template,
    isArchived: query.archived,
    mode: query.mirror === true ? "mirror" : query.fork === undefined ? undefined : query.fork ? "fork" : "source",
  })
  const wanted = [...where, ...filters, ...(language === "" ? [] : [writtenIn(language)])]
  const { rows, total } = await listRepositories(db, actor, { where: wanted, order: ORDERS[sort].order }, page)
  if (total === 0 && filters.length === 0 && language === "") return html`${nothing}`
  const languages = await mainLanguages(db, actor, [...where, ...filters])
  const repositories = await withOwners(db, rows)
  const kinds = (["archived", "fork", "mirror", "template", "private"] as const).map((kind) => ({
    href: withQuery(reader.url, { [kind]: query[kind] === true ? undefined : true }),
    text: { archived: t("Archived"), fork: t("Forks"), mirror: t("Mirrors"), template: t("Templates"), private: t("Private") }[kind],
    current: query[kind] === true,
  }))
  const kept = { ...keep, sort: query.sort, language: query.language, topic: query.topic ? "1" : undefined }
  return html`
    <div class="bar">
      ${filterForm(action, q, t("Search repositories"), kept)}${choices(t("Kinds"), kinds)}
      ${languageMenu(languages, language, reader.url)}
      ${menu(
        html`${icon("sort-desc")}${ORDERS[sort].text}`,
        ORDER_NAMES.map((name) => html`<a href="${withQuery(reader.url, { sort: name })}">${ORDERS[name].text}</a>`),
      )}
    </div>
    ${
      repositories.length > 0
        ? repositoryRows(repositories)
        : empty(
            "search",
            t("No repositories found"),
            t("Try another search or language."),
            html`<a class="button" href="${withQuery(action, keep)}">Show all</a>`,
          )
    }
    ${pager(reader.url, page, total)}
  `
}

function languageMenu(languages: readonly string[], chosen: string, url: string): Content {
  if (languages.length === 0 && chosen === "") return undefined
  const choice = (language: string | undefined, content: Content, isChosen: boolean) =>
    html`
      <a
        href="${withQuery(url, { language })}"
        rel="nofollow"
        ${attribute("aria-current", isChosen ? "true" : undefined)}
      >
        ${content}
      </a>
    `
  return menu(html`${icon("code")}<bdi>${chosen === "" ? t("Any language") : chosen}</bdi>`, [
    choice(undefined, t("Any language"), chosen === ""),
    ...languages.map((name) => choice(name, html`${dot(languageColor(name))} ${name}`, name.toLowerCase() === chosen.toLowerCase())),
  ])
}
