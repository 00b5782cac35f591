import { type Content, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { inWords } from "../../features/people/oauth2/scopes.ts"
import type { Reach } from "../../features/people/sign-in/credentials/reach.ts"
import { linesOf } from "../../features/people/sign-in/credentials/token-credential.ts"
import type { AccessToken } from "../../features/people/sign-in/credentials/tokens.ts"
import { state } from "../../web/components.ts"
import { time } from "../../web/time.ts"

/** What lists of access tokens say about each. */

const WEEK = 7 * 86_400

/** When a token ends; marked in its last week, and afterwards. */
export function expiry({ expires_at: at }: Pick<AccessToken, "expires_at">, now: number): Content {
  if (at === 0) return t("never expires")
  if (at <= now) return state("error", "x-circle", t("expired"))
  return at - now <= WEEK ? html`<strong>expires ${time(at, now)}</strong>` : html`expires ${time(at, now)}`
}

/** When and from where it was used last. */
export const lastUse = (token: Pick<AccessToken, "last_used_at" | "last_used_address">, now: number): Content =>
  token.last_used_at === 0
    ? t("never used")
    : token.last_used_address === ""
      ? html`last used ${time(token.last_used_at, now)}`
      : html`last used ${time(token.last_used_at, now)} from ${token.last_used_address}`

const chosen = (repositories: readonly string[], owners: readonly string[]): Content =>
  repositories.length + owners.length === 0
    ? t("nothing that still exists")
    : [...owners.map((name) => `${name}/*`), ...repositories].join(", ")

type Permitted = Pick<AccessToken, "scopes" | "is_limited" | "is_task" | "branches" | "operations" | "writes" | "writes_left">

/** What a token for one task is held to. */
const held = ({ branches, operations, writes, writes_left }: Permitted): Html =>
  html`
    ${branches !== "" && html`<p class="small">Branches and tags that it may change: <code>${linesOf(branches).join(" ")}</code></p>`}
    ${operations !== "" && html`<p class="small">Operations and toolsets: <code>${linesOf(operations).join(" ")}</code></p>`}
    ${writes >= 0 && html`<p class="small">Changes left: ${writes_left} of ${writes}</p>`}
  `

/** What a token may do, and where. */
export const permissions = (token: Permitted, { repositories, owners }: Reach): Html =>
  html`
    <details>
      <summary class="small">Permissions</summary>
      ${token.is_limited === 1 && html`<p class="small">Limited to: ${chosen(repositories, owners)}</p>`}
      ${token.is_task === 1 && held(token)}
      <ul>
        ${inWords(token.scopes.split(",")).map((words) => html`<li>${words}</li>`)}
      </ul>
    </details>
  `
