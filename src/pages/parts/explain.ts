import type { Step } from "../../access/explain/steps.ts"
import type { Owned } from "../../access/permission.ts"
import type { User } from "../../core/actor.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { EXPLAIN_PATH, path, repositoryPath } from "../../web/address.ts"
import { field, state } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"

/** Why somebody may do something, or may not: the steps, and the small form that asks. */

export const stepsView = (steps: readonly Step[]): Html =>
  html`
    <ul class="rows">
      ${steps.map(
        ({ holds, because }) =>
          html`
            <li>
              ${holds ? state("success", "check", t("Yes")) : state("neutral", "x", t("No"))}
              <span class="main break">${because}</span>
            </li>
          `,
      )}
    </ul>
  `

type What = readonly (readonly [address: string, text: Text])[]

const inRepository = (owned: Owned): What => {
  const at = repositoryPath(owned)
  return [
    [at, t("see the repository")],
    [`${at}.git`, t("clone it")],
    [`${at}.git/git-receive-pack`, t("push to it")],
    [`${at}/issues/new`, t("open issues")],
    [`${at}/settings`, t("change its settings")],
  ]
}

const inOrganization = ({ name }: Pick<User, "name">): What => [
  [path(name), t("see the organization")],
  [path("org", name, "teams"), t("see its teams")],
  [path("org", name, "settings"), t("change its settings")],
]

/** A form that asks what a person may do here. */
export const whoMayForm = (to: { readonly repository: Owned } | { readonly organization: Pick<User, "name"> }): Html =>
  html`
    <h2 id="explain">What may they do here?</h2>
    <form class="form inline" action="${EXPLAIN_PATH}">
      ${field({ label: t("Person"), name: "as", required: true, maxlength: 255 })}
      <div class="field">
        <label for="explain-path">Action</label>
        <select id="explain-path" name="path">
          ${("repository" in to ? inRepository(to.repository) : inOrganization(to.organization)).map(
            ([value, text]) => html`<option value="${value}">${text}</option>`,
          )}
        </select>
      </div>
      <div class="bar"><button>${icon("search")}Explain</button></div>
    </form>
  `
