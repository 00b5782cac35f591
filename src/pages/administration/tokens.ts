import { siteAdministrator } from "../../access/policies/site.ts"
import { form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { tokenAdministrationOperations } from "../../features/people/sign-in/credentials/administration-operations.ts"
import type { Reach } from "../../features/people/sign-in/credentials/reach.ts"
import { listTokens } from "../../features/people/sign-in/credentials/store.ts"
import { ADMINISTRATION_PATH, administrationPage, ADMINISTRATION_PEOPLE as PEOPLE } from "../../web/administration.ts"
import { empty, filterForm, pager } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { expiry, lastUse, permissions } from "../parts/tokens.ts"

/** The access tokens of all people. */

const TOKENS = `${ADMINISTRATION_PATH}/tokens` as const

const list: Page = page({
  id: "admin.tokens",
  address: `GET ${TOKENS}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  answer: async ({ services, db, actor, query, page: rows, reader }) => {
    const { q = "" } = query
    const { rows: tokens, total } = await listTokens(db, { keyword: q.trim() }, rows)
    const { reachesOf } = await import("../../features/people/sign-in/credentials/reach.ts")
    const reaches = await reachesOf(db, actor, tokens)
    const now = services.now()
    return administrationPage({
      part: "tokens",
      title: t("Access tokens"),
      body: html`
        <h1>Access tokens</h1>
        ${filterForm(TOKENS, q, t("Search names, or the last characters of a token"))}
        ${
          tokens.length === 0
            ? empty("lock", t("No access tokens found"))
            : html`
              <ul class="rows card">${tokens.map((token) => tokenRow(token, reaches(token), now))}</ul>
              ${pager(reader.url, rows, total)}
            `
        }
      `,
    })
  },
})

type Listed = Awaited<ReturnType<typeof listTokens>>["rows"][number]

function tokenRow(token: Listed, reach: Reach, now: number): Html {
  const owner = `${PEOPLE}/${encodeURIComponent(token.user_name)}`
  return html`
    <li>
      <div class="main">
        <span class="title">
          <bdi>${token.name}</bdi> <span class="muted small">ends in <code>${token.last_eight}</code></span>
        </span>
        ${permissions(token, reach)}
        <span class="muted small">
          <a class="in-text" href="${owner}"><bdi>${token.user_name}</bdi></a>, ${lastUse(token, now)}, ${expiry(token, now)}
        </span>
      </div>
      ${formButton(revoke, { id: String(token.id) }, html`Revoke<span class="hidden-text"> ${token.name}</span>`)}
    </li>
  `
}

const revoke = form({
  id: "admin.revokeToken",
  address: `POST ${TOKENS}/{id}/revoke`,
  does: named(tokenAdministrationOperations, "adminDeleteToken"),
  on: list,
  done: t("Token revoked."),
})

export const tokenAdministrationPages: readonly Page[] = [list, revoke]
