import type { User } from "../../../core/actor.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { path } from "../../../web/address.ts"
import { avatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { dayOf } from "../../../web/time.ts"

/** People or organisations as rows of a list. `beside` is what stands at the end of a row. */
export const accountRows = (accounts: readonly User[], beside: (account: User) => Content = () => undefined): Html =>
  html`
    <ul class="rows">
      ${accounts.map(
        (account) =>
          html`
            <li>
              ${avatar(account, 40)}
              <div class="main">
                <h2 class="title">
                  <a href="${path(account.name)}"><bdi>${account.name}</bdi></a>
                  ${account.full_name !== "" && html` <span class="muted" dir="auto">${account.full_name}</span>`}
                </h2>
                ${account.description !== "" && html`<p class="break" dir="auto">${account.description}</p>`}
                <p class="meta">
                  ${account.location !== "" && html`<span dir="auto">${icon("location")} ${account.location}</span>`}
                  ${
                    account.visibility !== "public" &&
                    html`<span>${icon("lock")} ${account.visibility === "private" ? t("Private") : t("Visible to signed-in users")}</span>`
                  }
                  <span>Since ${dayOf(account.created_at)}</span>
                </p>
              </div>
              ${beside(account)}
            </li>
          `,
      )}
    </ul>
  `
