import type { OnRepository } from "../../access/policies/repositories.ts"
import type { Actor, User } from "../../core/actor.ts"
import { type Html, html } from "../../core/html.ts"
import type { Text } from "../../core/language/message.ts"
import type { Page as ListPage, Request } from "../../core/operation.ts"
import type { Reader, Shown } from "../../core/page.ts"
import { pager } from "../../web/components.ts"
import { accountRows } from "../parts/account/list-view.ts"
import { repositoryPage } from "./frame.ts"

interface Call extends Request, OnRepository {
  readonly actor: Actor
  readonly page: ListPage
  readonly reader: Reader
}

interface People {
  readonly title: Text
  readonly found: { readonly rows: readonly User[]; readonly total: number }
  /** What is shown where there is no one. */
  readonly empty: Html
}

/** A list of people who have to do with a repository: who starred it, who watches it. */
export const peoplePage = (call: Call, { title, found, empty }: People): Promise<Shown> => {
  const { page, reader } = call
  const people = found.rows
  return repositoryPage(call, {
    tab: undefined,
    title,
    body: html`
      <h1>${title}</h1>
      ${people.length > 0 ? accountRows(people) : empty}${pager(reader.url, page, found.total)}
    `,
  })
}
