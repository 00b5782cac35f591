import { type Html, html, NOTHING } from "../../../core/html.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { path } from "../../../web/address.ts"
import { avatar, type Named } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { homeName, issuePath, stateOf, titleOf } from "../issues/list-view.ts"

/** Issues and people that a conversation names. */

/** A link to another issue or pull request, with its state. Nothing tells of one that the reader may not see. */
export function mention(view: IssueView | null): Html {
  if (!view) return html`<span class="muted">one that is deleted</span>`
  const { tone, icon: name, text } = stateOf(view)
  return html`
    <span class="${tone}">${icon(name, text)}</span>${" "}
    <a class="mention" href="${issuePath(view)}" dir="auto">
      <span class="muted">${homeName(view)}#${view.issue.number}</span> ${titleOf(view.issue.title)}
    </a>
  `
}

/** People beside each other, as pictures that lead to them. */
export const faces = (people: readonly Named[]): Html =>
  people.length === 0
    ? NOTHING
    : html`
      <p class="bar faces">
        ${people.map((user) => html`<a href="${path(user.name)}" title="${user.name}" aria-label="${user.name}">${avatar(user, 24)}</a>`)}
      </p>
    `
