import { type Kind, leftOut, put, rows } from "../mapping/kind.ts"
import { isOn, json, members, moment, number, onOff, text, texts } from "../source/row.ts"

const GONE = { issue: "the pull request is gone", person: "the account is gone" } as const

const STATES = ["PENDING", "APPROVED", "COMMENT", "REQUEST_CHANGES", "REQUEST_REVIEW"] as const

const reviews: Kind = {
  name: "reviews",
  from: "review",
  into: "reviews",
  map(row, world) {
    const [issueId, teamId] = [number(row, "issue_id"), number(row, "reviewer_team_id")]
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    const state = STATES[number(row, "type")]
    if (state === undefined) return leftOut(`there is no review of the type ${number(row, "type")} here`)
    if (teamId > 0 && !world.has("teams", teamId)) return leftOut("the team is gone")
    return rows(
      put("reviews", {
        id: number(row, "id"),
        issue_id: issueId,
        reviewer_id: teamId > 0 ? 0 : number(row, "reviewer_id"),
        reviewer_team_id: teamId > 0 ? teamId : null,
        state,
        commit_id: text(row, "commit_id"),
        patch_id: "",
        is_official: onOff(row, "official"),
        is_stale: onOff(row, "stale"),
        is_dismissed: onOff(row, "dismissed"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

/** Statuses of a pull request there; those that are open are assessed anew. */
const STATUSES = ["conflict", "checking", "mergeable", "mergeable", "error", "empty", "ancestor"] as const
const [MANUALLY_MERGED, AGIT] = [3, 1]

/** What git says of a pull request is filled in once its repository is here: see pulls.ts. */
const pulls: Kind = {
  name: "pull requests",
  from: "pull_request",
  beside: [{ table: "issue", columns: "i.is_closed", join: "left join [issue] i on i.id = x.issue_id" }],
  into: "pulls",
  map(row, world) {
    const [issueId, baseId] = [number(row, "issue_id"), number(row, "base_repo_id")]
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    if (!world.has("repositories", baseId)) return leftOut("the repository is gone")
    const isMerged = isOn(row, "has_merged")
    const isAgit = number(row, "flow") === AGIT
    return rows(
      put("pulls", {
        id: number(row, "id"),
        issue_id: issueId,
        repository_id: baseId,
        base_branch: text(row, "base_branch"),
        // Such a pull request has no branch: its commits are under its number alone.
        head_repository_id: isAgit ? null : world.known("repositories", number(row, "head_repo_id")),
        head_branch: text(row, "head_branch"),
        is_offered: isAgit ? 1 : 0,
        merge_base: text(row, "merge_base"),
        mergeability: isMerged || isOn(row, "is_closed") ? (STATUSES[number(row, "status")] ?? "error") : "checking",
        conflicted_files: JSON.stringify(texts(row, "conflicted_files")),
        allow_maintainer_edit: onOff(row, "allow_maintainer_edit"),
        is_merged: isMerged ? 1 : 0,
        merged_at: isMerged ? moment(row, "merged_unix") : 0,
        merged_by_id: isMerged ? number(row, "merger_id") : 0,
        merge_commit_id: isMerged ? text(row, "merged_commit_id") : "",
        is_merged_manually: isMerged && number(row, "status") === MANUALLY_MERGED ? 1 : 0,
      }),
    )
  },
}

const schedules: Kind = {
  name: "scheduled merges",
  from: "pull_auto_merge",
  into: "pull_schedules",
  map(row, world) {
    const [pullId, userId] = [number(row, "pull_id"), number(row, "doer_id")]
    if (!world.has("pulls", pullId)) return leftOut(GONE.issue)
    if (!world.has("users", userId)) return leftOut(GONE.person)
    return rows(
      put("pull_schedules", {
        pull_id: pullId,
        user_id: userId,
        style: text(row, "merge_style"),
        message: text(row, "message"),
        delete_branch: onOff(row, "delete_branch_after_merge"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

/** The state of a file that was viewed and has not changed since. */
const VIEWED = 2

/** Files are viewed as they are in a commit there, and as a blob here: this comes after the repositories. */
const viewed: Kind = {
  name: "viewed files",
  from: "review_state",
  beside: [{ table: "pull_request", columns: "p.base_repo_id", join: "left join [pull_request] p on p.id = x.pull_id" }],
  into: "viewed_files",
  async map(row, world) {
    const [userId, pullId, repositoryId] = [number(row, "user_id"), number(row, "pull_id"), number(row, "base_repo_id")]
    if (!world.has("users", userId) || !world.has("pulls", pullId)) return leftOut("the account or the pull request is gone")
    const paths = Object.entries(members(json(row, "updated_files"))).flatMap(([path, state]) => (Number(state) === VIEWED ? [path] : []))
    const written = []
    for (const path of paths)
      written.push(
        put("viewed_files", {
          user_id: userId,
          pull_id: pullId,
          path,
          blob_id: await world.blobAt(repositoryId, text(row, "commit_sha"), path),
        }),
      )
    return written.length === 0 ? undefined : rows(...written)
  },
}

export const reviewKinds: readonly Kind[] = [reviews]
export const pullKinds: readonly Kind[] = [pulls, schedules]
export const viewedKinds: readonly Kind[] = [viewed]
