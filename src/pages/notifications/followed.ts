import type { SignedIn } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import type { Page as ListPage } from "../../core/operation.ts"
import type { Reader } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { followedBy, inState, searchIssues } from "../../features/planning/issues/list-store.ts"
import { viewIssues } from "../../features/planning/issues/present.ts"
import { empty, pager } from "../../web/components.ts"
import { issueRows } from "../parts/issues/list-view.ts"

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: SignedIn
  readonly page: ListPage
  readonly reader: Reader
}

/** These issues and pull requests as rows, newest first. */
export async function followedIssues({ services, db, actor, page, reader }: Call, state: "open" | "closed" | "all"): Promise<Html> {
  const where = [followedBy(actor.user.id), ...(state === "all" ? [] : [inState(state === "closed" ? 1 : 0)])]
  const { rows, total } = await searchIssues(db, actor, where, page)
  if (rows.length === 0)
    return empty(
      "bell",
      t("No subscriptions"),
      t("You are subscribed to issues and pull requests that you open, are assigned to, comment on or subscribe to."),
    )
  const now = services.now()
  const views = await viewIssues(db, actor, rows)
  return html`${issueRows(views, { withRepository: true, now })}${pager(reader.url, page, total)}`
}
