import { anyone } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { ACCOUNT_ORDERS, type AccountOrder, exploreAccounts } from "../../features/people/users/store.ts"
import { withQuery } from "../../web/address.ts"
import { empty, filterForm, menu, pager } from "../../web/components.ts"
import { exploreTabs } from "../../web/explore.ts"
import { icon } from "../../web/icon.ts"
import { accountRows } from "../parts/account/list-view.ts"

const ORDER_NAMES = Object.keys(ACCOUNT_ORDERS).filter((name): name is AccountOrder => name in ACCOUNT_ORDERS)

const ORDER_TEXTS: Readonly<Record<AccountOrder, Text>> = {
  alphabetically: t("By name"),
  reversealphabetically: t("By name, reversed"),
  newest: t("Newest"),
  oldest: t("Oldest"),
  recentupdate: t("Recently updated"),
  leastupdate: t("Least recently updated"),
}

const KINDS = {
  users: {
    kind: "person",
    title: t("Explore people"),
    search: t("Search people"),
    icon: "people",
    nothing: t("No users yet"),
    about: t("Users are listed here."),
  },
  organizations: {
    kind: "organization",
    title: t("Explore organizations"),
    search: t("Search organizations"),
    icon: "organization",
    nothing: t("No organizations yet"),
    about: t("Organizations own repositories that several people work on. Any signed-in user can create one."),
  },
} as const

const explorePage = (name: keyof typeof KINDS): Page => {
  const about = KINDS[name]
  const action = `/explore/${name}`
  return page({
    id: `explore.${name}`,
    address: `GET ${action}`,
    access: anyone,
    mayBeOld: true,
    query: { q: Type.Optional(Type.String()), sort: Type.Optional(oneOf(ORDER_NAMES)) },
    answer: async ({ db, actor, query, page: rows, reader }) => {
      const { q = "", sort = "alphabetically" } = query
      const keyword = q.trim()
      const found = await exploreAccounts(db, actor, { kind: about.kind, keyword, order: sort }, rows)
      return {
        kind: "shown",
        title: about.title,
        body: html`
          <h1>Explore</h1>
          ${exploreTabs(name)}
          <div class="bar">
            ${filterForm(action, q, about.search, { sort: query.sort })}
            ${menu(
              html`${icon("sort-desc")}${ORDER_TEXTS[sort]}`,
              ORDER_NAMES.map((order) => html`<a href="${withQuery(reader.url, { sort: order })}">${ORDER_TEXTS[order]}</a>`),
            )}
          </div>
          ${
            found.rows.length > 0
              ? accountRows(found.rows)
              : keyword === ""
                ? empty(about.icon, about.nothing, about.about)
                : empty(
                    "search",
                    t("No users found"),
                    t("Search for part of a name."),
                    html`<a class="button" href="${action}">Show all</a>`,
                  )
          }
          ${pager(reader.url, rows, found.total)}
        `,
      }
    },
  })
}

export const peoplePages: readonly Page[] = [explorePage("users"), explorePage("organizations")]
