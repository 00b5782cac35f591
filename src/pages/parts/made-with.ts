import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"

/** Says that something was made with a token for one task. */
export const madeWithMark = (token: string): Html =>
  html`<span class="chip" title="${t("Made with an access token for one task")}">with token <bdi>${token}</bdi></span>`
