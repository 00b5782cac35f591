import { choosesReviewers } from "../../../access/policies/reviews.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Draft } from "../../../core/page.ts"
import { findCandidates } from "../../../features/review/reviews/people-store.ts"
import { findRequests, findVerdicts } from "../../../features/review/reviews/store.ts"
import { avatar, type Named, personWithAvatar, state } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { sideSection } from "../../parts/conversation/side-section.ts"
import type { Shape } from "./frame.ts"
import { askReviewer, unaskReviewer } from "./review-forms.ts"
import { verdictOf } from "./reviews-view.ts"

/** The most people that are offered; others are named in the API. */
const MOST_OFFERED = 200
/** Those of them who are asked by one click. */
const AT_HAND = 10

/** Who was asked for a review, what they said, and the forms that ask. */
export async function reviewersPart({ call, pull: { reviewers, teams } }: Shape, draft: Draft | undefined): Promise<Html> {
  const { db, actor, repository, owner, issue, path } = call
  const issueIds = [issue.id]
  const verdicts = new Map((await findVerdicts(db, { issueIds })).map((verdict) => [verdict.reviewer_id, verdict]))
  const waiting = new Set((await findRequests(db, { issueIds })).map(({ reviewer_id }) => reviewer_id))
  const chooses = actor.kind === "user" && issue.is_closed === 0 && (await choosesReviewers(db, call, actor.user, issue))
  const offered = chooses ? await findCandidates(db, { repositoryId: repository.id, ownerId: owner.id }) : []
  const known = new Set([issue.author_id, ...reviewers.map(({ id }) => id)])
  const rows = [
    ...reviewers.map((user) => {
      const isWaiting = waiting.has(user.id)
      const takes = isWaiting ? unask(path, user.name, { reviewers: user.name }) : user.id !== issue.author_id && askAgain(path, user.name)
      return html`
        <li>
          ${personWithAvatar(user)}${" "}
          <span class="small">${isWaiting ? REQUESTED : verdictState(verdicts.get(user.id))}</span>
          ${chooses && takes}
        </li>
      `
    }),
    ...teams.map(
      ({ name }) =>
        html`
          <li>
            ${icon("people")} <bdi class="strong">${name}</bdi>${" "}
            <span class="small">${REQUESTED}</span>${chooses && unask(path, name, { team_reviewers: name })}
          </li>
        `,
    ),
  ]
  return html`
    ${sideSection(t("Reviewers"), rows.length > 0 && html`<ul class="plain stack tight">${rows}</ul>`)}
    ${
      chooses &&
      html`
        <details class="ask">
          <summary class="small">Request a review</summary>
          ${askForms(
            call,
            offered.filter(({ id }) => !known.has(id)),
            draft,
          )}
        </details>
      `
    }
  `
}

type Names = Readonly<Record<string, string>>

const REQUESTED = state("pending", "dot-fill", t("requested"))

function verdictState(verdict: { readonly state: string; readonly is_stale: number } | undefined): Html {
  const { tone, icon: name, words } = verdictOf(verdict?.state)
  return state(tone, name, verdict?.is_stale === 1 ? t("{words}, of an earlier version", { words }) : words)
}

const unask = (path: Names, name: string, who: Names): Html =>
  formButton(unaskReviewer, path, html`Cancel<span class="hidden-text"> the request to ${name}</span>`, who)

const askAgain = (path: Names, name: string): Html =>
  formButton(askReviewer, path, html`Re-request<span class="hidden-text"> from ${name}</span>`, { reviewers: name })

const askForms = ({ path, owner }: Shape["call"], others: readonly Named[], draft: Draft | undefined): Content => [
  html`
    <ul class="plain">
      ${others.slice(0, AT_HAND).map((user) => {
        const text = html`${avatar(user)}<span class="hidden-text">Request a review from </span><bdi>${user.name}</bdi>`
        return html`<li>${formView(askReviewer, {
          path,
          key: user.id,
          name: "menu-items",
          look: "plain",
          submit: text,
          fields: [{ kind: "hidden", name: "reviewers", value: user.name }],
        })}</li>`
      })}
    </ul>
  `,
  others.length > AT_HAND &&
    formView(askReviewer, {
      path,
      draft,
      look: "small",
      submit: t("Request a review"),
      fields: [
        {
          kind: "menu",
          name: "reviewers",
          label: t("User"),
          options: others.slice(AT_HAND, MOST_OFFERED).map(({ name }) => [name, name] as const),
        },
      ],
    }),
  owner.kind === "organization" &&
    formView(askReviewer, {
      path,
      draft,
      key: "team",
      look: "small",
      submit: t("Request from the team"),
      fields: [{ kind: "line", name: "team_reviewers", label: t("Team"), required: true }],
    }),
]
