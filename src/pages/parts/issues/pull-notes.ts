import type { Repository } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Content, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type CombinedStatus, combinedStatuses } from "../../../features/code/statuses/store.ts"
import { findPullsOfIssues } from "../../../features/review/pulls/store.ts"
import { findRequests, findVerdicts } from "../../../features/review/reviews/store.ts"
import { state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"

/** What the rows of pull requests say besides those of issues: branches, reviews and checks. */

/** By the issue's id: four queries. The branch that it is to be merged into is left out where it is the usual one of the list. */
export async function pullNotes(
  db: Handle,
  issues: readonly { readonly id: number }[],
  usual?: Pick<Repository, "default_branch">,
): Promise<ReadonlyMap<number, Content>> {
  const issueIds = issues.map(({ id }) => id)
  if (issueIds.length === 0) return new Map()
  const pulls = await findPullsOfIssues(db, { issueIds })
  const verdicts = Map.groupBy(await findVerdicts(db, { issueIds }), ({ issue_id }) => issue_id)
  const requests = Map.groupBy(await findRequests(db, { issueIds }), ({ issue_id }) => issue_id)
  const checksOf = await combinedStatuses(
    db,
    pulls.map(({ repository_id, head_id }) => ({ repositoryId: repository_id, commitId: head_id })),
  )
  return new Map(
    pulls.map(({ issue_id, repository_id, base_branch, head_branch, head_id }) => [
      issue_id,
      html`
        <span>
          ${icon("git-branch")} <bdi>${head_branch}</bdi>
          ${base_branch !== usual?.default_branch && html` into <bdi>${base_branch}</bdi>`}
        </span>
        ${reviewState(verdicts.get(issue_id)?.map((verdict) => verdict.state) ?? [], requests.has(issue_id))}
        ${checkState(checksOf({ repositoryId: repository_id, commitId: head_id }))}
      `,
    ]),
  )
}

function reviewState(verdicts: readonly string[], isRequested: boolean): Content {
  if (verdicts.includes("REQUEST_CHANGES")) return state("failure", "file-diff", t("Changes requested"))
  if (verdicts.includes("APPROVED")) return state("success", "check", t("Approved"))
  return isRequested && html`<span>${icon("eye")} Review requested</span>`
}

export const CHECKS = {
  success: { tone: "success", icon: "check", text: t("Checks passed") },
  failure: { tone: "failure", icon: "x", text: t("Checks failed") },
  pending: { tone: "pending", icon: "dot-fill", text: t("Checks are running") },
} as const

export function checkState(combined: CombinedStatus | undefined): Content {
  if (!combined) return undefined
  const { tone, icon: name, text } = CHECKS[combined.state]
  return state(tone, name, text)
}
