import { type Html, html, NOTHING } from "../../../core/html.ts"
import type { User } from "../../../features/people/users/records.ts"
import type { Issue } from "../../../features/planning/issues/records.ts"
import { localPath, path } from "../../../web/address.ts"
import { avatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { stateOf, titleOf } from "../issues/list-view.ts"

/** Issues and people that a conversation names. */

/** A link to another issue or pull request, with its state. Nothing tells of one that the reader may not see. */
export function mention(issue: Issue | null): Html {
  if (!issue) return html`<span class="muted">one that is deleted</span>`
  const { tone, icon: name, text } = stateOf(issue)
  return html`
    <span class="${tone}">${icon(name, text)}</span>${" "}
    <a class="mention" href="${localPath(issue.html_url)}" dir="auto">
      <span class="muted">${issue.repository.full_name}#${issue.number}</span> ${titleOf(issue.title)}
    </a>
  `
}

/** People beside each other, as pictures that lead to them. */
export const faces = (people: readonly User[]): Html =>
  people.length === 0
    ? NOTHING
    : html`
      <p class="bar faces">
        ${people.map(
          (user) => html`<a href="${path(user.login)}" title="${user.login}" aria-label="${user.login}">${avatar(user, 24)}</a>`,
        )}
      </p>
    `
