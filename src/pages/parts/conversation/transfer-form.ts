import { addressOf } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { formView } from "../../../web/form.ts"
import type { ConversationCall } from "./call.ts"

/** The form that transfers an issue, on its page and on one of its own. */

/** Its id and its address, which is also that of the page with the repositories to choose from. */
export const TRANSFER = { id: "issue.transfer", address: "/{owner}/{repo}/issues/{index}/transfer" } as const

/** Without `targets` the script `conversation` fetches them once the form is opened. */
export const transferForm = ({ path, draft }: Pick<ConversationCall, "path" | "draft">, targets?: readonly string[]): Html =>
  formView(TRANSFER, {
    path,
    draft,
    submit: t("Transfer issue"),
    look: "danger",
    fields: [
      {
        kind: "content",
        content: html`
          <p class="small">
            The issue gets a new number, and is visible to everyone who can read issues there. Labels and the
            milestone are kept if the repository has ones of the same name.
          </p>
        `,
      },
      {
        kind: "line",
        name: "repository",
        label: t("New repository"),
        placeholder: "owner/name",
        required: true,
        ...(targets
          ? { options: targets }
          : { hint: html`<a href="${addressOf(TRANSFER, path)}" data-targets rel="nofollow">Choose a repository</a>` }),
      },
      { kind: "line", name: "confirm", label: t("Type the repository again to confirm"), required: true },
    ],
  })
