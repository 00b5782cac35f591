import { choosesReviewers } from "../../../access/policies/reviews.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import type { Draft } from "../../../core/page.ts"
import { findCandidates } from "../../../features/review/reviews/people-store.ts"
import { findRequests, findVerdicts } from "../../../features/review/reviews/store.ts"
import { personWithAvatar, state } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { sideSection } from "../../parts/conversation/side.ts"
import type { Shape } from "./frame.ts"
import { askReviewer, unaskReviewer } from "./review-forms.ts"
import { VERDICTS } from "./reviews-view.ts"

/** The most people that are offered; others are named in the API. */
const MOST_OFFERED = 200

/** Who was asked for a review, what they said, and the forms that ask. */
export async function reviewersPart({ call, pull }: Shape, draft: Draft | undefined): Promise<Html> {
  const { db, actor, repository, owner, issue, path } = call
  const issueIds = [issue.id]
  const verdicts = new Map((await findVerdicts(db, { issueIds })).map((verdict) => [verdict.reviewer_id, verdict]))
  const waiting = new Set((await findRequests(db, { issueIds })).map(({ reviewer_id }) => reviewer_id))
  const chooses = actor.kind === "user" && issue.is_closed === 0 && (await choosesReviewers(db, call, actor.user, issue))
  const offered = chooses ? await findCandidates(db, { repositoryId: repository.id, ownerId: owner.id }) : []
  const people = pull.requested_reviewers.map((user) => {
    const verdict = waiting.has(user.id) ? undefined : verdicts.get(user.id)
    const word = verdict?.state === "APPROVED" || verdict?.state === "REQUEST_CHANGES" ? verdict.state : "COMMENT"
    const name = { reviewers: user.login }
    return html`
      <li>
        ${personWithAvatar(user)} <span class="small">
          ${
            waiting.has(user.id)
              ? state("pending", "dot-fill", "requested")
              : state(
                  VERDICTS[word].tone,
                  VERDICTS[word].icon,
                  `${VERDICTS[word].words}${verdict?.is_stale === 1 ? ", of an earlier version" : ""}`,
                )
          }
        </span>
        ${
          chooses &&
          (waiting.has(user.id)
            ? formButton(unaskReviewer, path, html`Cancel<span class="hidden-text"> the request to ${user.login}</span>`, name)
            : user.id !== issue.author_id &&
              formButton(askReviewer, path, html`Re-request<span class="hidden-text"> from ${user.login}</span>`, name))
        }
      </li>
    `
  })
  const teams = pull.requested_reviewers_teams.map(
    ({ name }) =>
      html`
        <li>
          ${icon("people")} <bdi class="strong">${name}</bdi>${" "}
          <span class="small">${state("pending", "dot-fill", "requested")}</span>
          ${
            chooses &&
            formButton(unaskReviewer, path, html`Cancel<span class="hidden-text"> the request to ${name}</span>`, { team_reviewers: name })
          }
        </li>
      `,
  )
  const known = new Set(pull.requested_reviewers.map(({ id }) => id))
  const others = offered.filter(({ id }) => id !== issue.author_id && !known.has(id)).slice(0, MOST_OFFERED)
  const ask: Content = [
    others.length > 0 &&
      formView(askReviewer, {
        path,
        draft,
        look: "small",
        submit: "Request a review",
        fields: [{ kind: "menu", name: "reviewers", label: "Person", options: others.map(({ name }) => [name, name] as const) }],
      }),
    chooses &&
      owner.kind === "organization" &&
      formView(askReviewer, {
        path,
        draft,
        key: "team",
        look: "small",
        submit: "Request from the team",
        fields: [{ kind: "line", name: "team_reviewers", label: "Team", required: true }],
      }),
  ]
  return html`
    ${sideSection("Reviewers", people.length + teams.length > 0 && html`<ul class="plain stack tight">${people}${teams}</ul>`)}
    ${
      chooses &&
      html`
        <details class="ask">
          <summary class="small">Request a review</summary>
          ${ask}
        </details>
      `
    }
  `
}
