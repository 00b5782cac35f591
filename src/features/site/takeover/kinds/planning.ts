import { timeText } from "../../../planning/tracking/time-text.ts"
import { type Kind, leftOut, put, rows } from "../mapping/kind.ts"
import type { World } from "../mapping/world.ts"
import { isOn, moment, number, onOff, type SourceRow, text } from "../source/row.ts"

const GONE = {
  repository: "the repository is gone",
  issue: "the issue is gone",
  person: "the account is gone",
  comment: "the comment is gone",
} as const

/** Later than this, a milestone had no end in versions before 1.23. */
const NO_DEADLINE = 253_399_622_400
const deadline = (row: SourceRow, column: string): number => {
  const at = moment(row, column)
  return at >= NO_DEADLINE ? 0 : at
}

const labels: Kind = {
  name: "labels",
  from: "label",
  into: "labels",
  map(row, world) {
    const [repositoryId, organizationId] = [number(row, "repo_id"), number(row, "org_id")]
    if (repositoryId > 0 && !world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    if (repositoryId === 0 && !world.organizations.has(organizationId)) return leftOut("the organisation is gone")
    return rows(
      put("labels", {
        id: number(row, "id"),
        repository_id: repositoryId > 0 ? repositoryId : null,
        organization_id: repositoryId > 0 ? null : organizationId,
        name: text(row, "name"),
        description: text(row, "description"),
        color: text(row, "color").replace(/^#/, "").toLowerCase(),
        exclusive: onOff(row, "exclusive"),
        is_archived: moment(row, "archived_unix") > 0 ? 1 : 0,
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

const milestones: Kind = {
  name: "milestones",
  from: "milestone",
  into: "milestones",
  map(row, world) {
    const repositoryId = number(row, "repo_id")
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("milestones", {
        id: number(row, "id"),
        repository_id: repositoryId,
        title: text(row, "name"),
        description: text(row, "content"),
        is_closed: onOff(row, "is_closed"),
        closed_at: moment(row, "closed_date_unix"),
        due_at: deadline(row, "deadline_unix"),
        open_issues_count: Math.max(0, number(row, "num_issues") - number(row, "num_closed_issues")),
        closed_issues_count: number(row, "num_closed_issues"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

const releases: Kind = {
  name: "releases",
  from: "release",
  into: "releases",
  map(row, world) {
    const [id, repositoryId] = [number(row, "id"), number(row, "repo_id")]
    if (isOn(row, "is_tag")) return undefined
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("releases", {
        id,
        repository_id: repositoryId,
        tag_name: text(row, "tag_name"),
        target_commitish: text(row, "target"),
        title: text(row, "title"),
        note: text(row, "note"),
        is_draft: onOff(row, "is_draft"),
        is_prerelease: onOff(row, "is_prerelease"),
        publisher_id: number(row, "publisher_id"),
        created_at: moment(row, "created_unix"),
        sequence: id,
      }),
    )
  },
}

/** Of tags the rows have the place in the order of tags and releases; what else is to be known, git says. */
const tags: Kind = {
  name: "order of tags",
  from: "release",
  into: "tags",
  map(row, world) {
    const [id, repositoryId] = [number(row, "id"), number(row, "repo_id")]
    if (text(row, "sha1") === "" || isOn(row, "is_draft") || !world.has("repositories", repositoryId)) return undefined
    return rows(put("tags", { id, repository_id: repositoryId, name: text(row, "tag_name"), sequence: id }))
  },
}

const counters: Kind = {
  name: "last numbers of issues",
  from: "issue_index",
  key: "x.group_id",
  into: "issue_counters",
  map(row, world) {
    const repositoryId = number(row, "group_id")
    if (!world.has("repositories", repositoryId)) return undefined
    return rows(put("issue_counters", { repository_id: repositoryId, last_number: number(row, "max_index") }))
  },
}

const issues: Kind = {
  name: "issues and pull requests",
  from: "issue",
  beside: [
    { table: "issue_pin", columns: "p.pin_order as pinned", join: "left join [issue_pin] p on p.issue_id = x.id" },
    // Its own column is counted anew only now and then.
    { table: "comment", columns: "(select count(*) from [comment] c where c.issue_id = x.id and c.[type] in (0, 22)) as counted" },
  ],
  into: "issues",
  map(row, world) {
    const repositoryId = number(row, "repo_id")
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("issues", {
        id: number(row, "id"),
        repository_id: repositoryId,
        number: number(row, "index"),
        is_pull: onOff(row, "is_pull"),
        author_id: number(row, "poster_id"),
        title: text(row, "name"),
        content: text(row, "content"),
        content_version: number(row, "content_version"),
        ref: text(row, "ref"),
        milestone_id: world.known("milestones", number(row, "milestone_id")),
        is_closed: onOff(row, "is_closed"),
        closed_at: moment(row, "closed_unix"),
        is_locked: onOff(row, "is_locked"),
        pin_order: number(row, "pinned") || number(row, "pin_order"),
        due_at: deadline(row, "deadline_unix"),
        time_estimate: number(row, "time_estimate"),
        comments_count: number(row, "counted"),
        original_author: text(row, "original_author"),
        original_author_id: number(row, "original_author_id"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

/** The issue and the person of a row; a reason where one of them is gone. */
function personOn(row: SourceRow, world: World, column: string) {
  const [issueId, userId] = [number(row, "issue_id"), number(row, column)]
  if (!world.has("issues", issueId)) return leftOut(GONE.issue)
  if (!world.has("users", userId)) return leftOut(GONE.person)
  return { issue_id: issueId, user_id: userId }
}

const assignees: Kind = {
  name: "assignees",
  from: "issue_assignees",
  into: "issue_assignees",
  map(row, world) {
    const pair = personOn(row, world, "assignee_id")
    return "leftOut" in pair ? pair : rows(put("issue_assignees", { id: number(row, "id"), ...pair }))
  },
}

const labelsOfIssues: Kind = {
  name: "labels of issues",
  from: "issue_label",
  into: "issue_labels",
  map(row, world) {
    const [issueId, labelId] = [number(row, "issue_id"), number(row, "label_id")]
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    if (!world.has("labels", labelId)) return leftOut("the label is gone")
    return rows(put("issue_labels", { issue_id: issueId, label_id: labelId }))
  },
}

const mentions: Kind = {
  name: "mentions",
  from: "issue_user",
  into: "issue_mentions",
  map(row, world) {
    if (!isOn(row, "is_mentioned")) return undefined
    const pair = personOn(row, world, "uid")
    return "leftOut" in pair ? pair : rows(put("issue_mentions", pair))
  },
}

const subscriptions: Kind = {
  name: "subscriptions to issues",
  from: "issue_watch",
  into: "issue_watches",
  map(row, world) {
    const pair = personOn(row, world, "user_id")
    if ("leftOut" in pair) return pair
    return rows(put("issue_watches", { ...pair, is_watching: onOff(row, "is_watching"), updated_at: moment(row, "updated_unix") }))
  },
}

const dependencies: Kind = {
  name: "dependencies",
  from: "issue_dependency",
  into: "issue_dependencies",
  map(row, world) {
    const [issueId, dependencyId] = [number(row, "issue_id"), number(row, "dependency_id")]
    if (!world.has("issues", issueId) || !world.has("issues", dependencyId)) return leftOut(GONE.issue)
    return rows(
      put("issue_dependencies", {
        issue_id: issueId,
        dependency_id: dependencyId,
        user_id: number(row, "user_id"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

const times: Kind = {
  name: "tracked times",
  from: "tracked_time",
  into: "tracked_times",
  map(row, world) {
    const issueId = number(row, "issue_id")
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    const created = moment(row, "created_unix")
    return rows(
      put("tracked_times", {
        id: number(row, "id"),
        issue_id: issueId,
        user_id: number(row, "user_id"),
        seconds: number(row, "time"),
        is_deleted: onOff(row, "deleted"),
        created_at: created,
        updated_at: created,
      }),
    )
  },
}

const stopwatches: Kind = {
  name: "running stopwatches",
  from: "stopwatch",
  into: "stopwatches",
  map(row, world) {
    const pair = personOn(row, world, "user_id")
    return "leftOut" in pair ? pair : rows(put("stopwatches", { ...pair, created_at: moment(row, "created_unix") }))
  },
}

const reactions: Kind = {
  name: "reactions",
  from: "reaction",
  into: "reactions",
  map(row, world) {
    const commentId = number(row, "comment_id")
    if (commentId > 0 && !world.has("comments", commentId)) return leftOut(GONE.comment)
    const pair = personOn(row, world, "user_id")
    if ("leftOut" in pair) return pair
    return rows(
      put("reactions", {
        id: number(row, "id"),
        ...pair,
        comment_id: commentId,
        content: text(row, "type"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const attachments: Kind = {
  name: "attachments",
  from: "attachment",
  beside: [
    { table: "issue", columns: "i.repo_id as issue_repo", join: "left join [issue] i on i.id = x.issue_id" },
    { table: "release", columns: "r.repo_id as release_repo", join: "left join [release] r on r.id = x.release_id" },
  ],
  into: "attachments",
  map(row, world) {
    const [issueId, releaseId, commentId] = [number(row, "issue_id"), number(row, "release_id"), number(row, "comment_id")]
    const repositoryId = number(row, "repo_id") || number(row, "issue_repo") || number(row, "release_repo")
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    if (issueId > 0 && !world.has("issues", issueId)) return leftOut(GONE.issue)
    if (issueId === 0 && releaseId === 0) return leftOut(`${text(row, "name")} belongs to no issue and no release`)
    const uuid = text(row, "uuid").toLowerCase()
    if (!UUID.test(uuid)) return leftOut(`${uuid} is no name of a file`)
    return {
      rows: [
        put("attachments", {
          id: number(row, "id"),
          uuid,
          repository_id: repositoryId,
          issue_id: issueId > 0 ? issueId : null,
          comment_id: commentId,
          release_id: releaseId > 0 ? releaseId : null,
          uploader_id: number(row, "uploader_id"),
          name: text(row, "name"),
          size: number(row, "size"),
          download_count: number(row, "download_count"),
          created_at: moment(row, "created_unix"),
        }),
      ],
      files: [{ store: "attachments", path: `${uuid[0]}/${uuid[1]}/${uuid}`, key: `attachments/${uuid.slice(0, 2)}/${uuid}` }],
    }
  },
}

/** Versions of texts; the newest is the text itself. The order of their ids is that of the versions. */
const versions: Kind = {
  name: "earlier versions of texts",
  from: "issue_content_history",
  beside: [
    {
      table: "issue_content_history",
      columns:
        "(select count(*) from [issue_content_history] h where h.issue_id = x.issue_id and h.comment_id = x.comment_id and h.id <= x.id) as version_number, " +
        "(select max(h.id) from [issue_content_history] h where h.issue_id = x.issue_id and h.comment_id = x.comment_id) as newest_id",
    },
  ],
  into: "text_versions",
  map(row, world) {
    const [id, issueId, commentId] = [number(row, "id"), number(row, "issue_id"), number(row, "comment_id")]
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    if (commentId > 0 && !world.has("comments", commentId)) return leftOut(GONE.comment)
    const isNewest = number(row, "newest_id") === id
    const isDeleted = isOn(row, "is_deleted")
    return rows(
      put("text_versions", {
        id,
        issue_id: issueId,
        comment_id: commentId > 0 ? commentId : null,
        number: number(row, "version_number"),
        content: isNewest || isDeleted ? "" : text(row, "content_text"),
        author_id: number(row, "poster_id"),
        written_at: moment(row, "edited_unix"),
        deleted_by: isDeleted ? number(row, "poster_id") : 0,
        deleted_at: isDeleted ? moment(row, "edited_unix") : 0,
      }),
    )
  },
}

const TEMPLATES = ["none", "basic_kanban", "bug_triage"] as const
/** The type of a repository's project. */
const OF_A_REPOSITORY = 2

const projects: Kind = {
  name: "projects",
  from: "project",
  into: "projects",
  map(row, world) {
    const [repositoryId, ownerId] = [number(row, "repo_id"), number(row, "owner_id")]
    const isRepository = number(row, "type") === OF_A_REPOSITORY || (repositoryId > 0 && ownerId === 0)
    if (isRepository ? !world.has("repositories", repositoryId) : !world.has("users", ownerId)) return leftOut("what it belongs to is gone")
    return rows(
      put("projects", {
        id: number(row, "id"),
        owner_id: isRepository ? null : ownerId,
        repository_id: isRepository ? repositoryId : null,
        creator_id: number(row, "creator_id"),
        title: text(row, "title"),
        description: text(row, "description"),
        template_type: TEMPLATES[number(row, "board_type")] ?? "none",
        card_type: number(row, "card_type") === 1 ? "images_and_text" : "text_only",
        is_closed: onOff(row, "is_closed"),
        closed_at: isOn(row, "is_closed") ? moment(row, "closed_date_unix") : 0,
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

const columns: Kind = {
  name: "columns of projects",
  from: "project_board",
  beside: [
    {
      table: "project_board",
      columns: "(select min(d.id) from [project_board] d where d.project_id = x.project_id and d.[default] = x.[default]) as first_id",
    },
  ],
  into: "project_columns",
  map(row, world) {
    const [id, projectId] = [number(row, "id"), number(row, "project_id")]
    if (!world.has("projects", projectId)) return leftOut("the project is gone")
    return rows(
      put("project_columns", {
        id,
        project_id: projectId,
        creator_id: number(row, "creator_id"),
        title: text(row, "title"),
        color: text(row, "color").toLowerCase(),
        sorting: number(row, "sorting"),
        // One of them is, here.
        is_default: isOn(row, "default") && number(row, "first_id") === id ? 1 : 0,
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

const cards: Kind = {
  name: "cards of projects",
  from: "project_issue",
  beside: [
    { table: "issue", columns: "i.repo_id, i.is_pull, i.is_closed", join: "left join [issue] i on i.id = x.issue_id" },
    {
      table: "project_board",
      columns: "(select min(b.id) from [project_board] b where b.project_id = x.project_id) as first_column",
    },
  ],
  into: "project_cards",
  map(row, world) {
    const [projectId, issueId] = [number(row, "project_id"), number(row, "issue_id")]
    if (!world.has("projects", projectId)) return leftOut("the project is gone")
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    const column =
      world.known("project_columns", number(row, "project_board_id")) ?? world.known("project_columns", number(row, "first_column"))
    if (column === null) return leftOut("the project has no column")
    return rows(
      put("project_cards", {
        project_id: projectId,
        issue_id: issueId,
        column_id: column,
        sorting: number(row, "sorting"),
        repository_id: number(row, "repo_id"),
        is_pull: onOff(row, "is_pull"),
        is_closed: onOff(row, "is_closed"),
      }),
    )
  },
}

/** The kinds of a timeline's entries, by their numbers there. */
const COMMENT_KINDS = [
  "comment",
  "reopen",
  "close",
  "issue_ref",
  "commit_ref",
  "comment_ref",
  "pull_ref",
  "label",
  "milestone",
  "assignees",
  "change_title",
  "delete_branch",
  "start_tracking",
  "stop_tracking",
  "add_time_manual",
  "cancel_tracking",
  "added_deadline",
  "modified_deadline",
  "removed_deadline",
  "add_dependency",
  "remove_dependency",
  "code",
  "review",
  "lock",
  "unlock",
  "change_target_branch",
  "delete_time_manual",
  "review_request",
  "merge_pull",
  "pull_push",
  "project",
  "project_board",
  "dismiss_review",
  "change_issue_ref",
  "pull_scheduled_merge",
  "pull_cancel_scheduled_merge",
  "pin",
  "unpin",
  "change_time_estimate",
] as const
const REF_ACTIONS = ["none", "closes", "reopens", "neutered"] as const
/** The type of a review that was not submitted. */
const PENDING = 0

/** Kinds whose content is a time: seconds behind a bar there, words here. */
const TIMES: readonly string[] = ["stop_tracking", "add_time_manual", "delete_time_manual"]

/** In words, as the old server said it: from a minute on without the seconds. */
function contentOf(kind: string, content: string): string {
  if (!TIMES.includes(kind) || !/^\|\d+$/.test(content)) return content
  const seconds = Number(content.slice(1))
  return timeText(seconds < 60 ? seconds : seconds - (seconds % 60))
}

/** The lines of a diff without the head that names its file. */
const hunkOf = (patch: string): string => patch.slice(Math.max(0, patch.indexOf("@@")))

const comments: Kind = {
  name: "comments and events of timelines",
  from: "comment",
  beside: [
    { table: "review", columns: "r.[type] as review_type", join: "left join [review] r on r.id = x.review_id" },
    {
      table: "comment",
      columns:
        "case when x.[type] = 22 then (select max(l.id) from [comment] l where l.review_id = x.review_id and l.[type] = 22) end as header_id",
    },
  ],
  into: "comments",
  map(row, world) {
    const [id, issueId, reviewId] = [number(row, "id"), number(row, "issue_id"), number(row, "review_id")]
    if (!world.has("issues", issueId)) return leftOut(GONE.issue)
    const kind = COMMENT_KINDS[number(row, "type")]
    if (kind === undefined) return leftOut(`there is no entry of the type ${number(row, "type")} here`)
    const isPending = world.has("reviews", reviewId) && row["review_type"] !== null && number(row, "review_type") === PENDING
    const isCode = kind === "code"
    if (isCode && !world.has("reviews", reviewId)) return leftOut("its review is gone")
    const refIssue = number(row, "ref_issue_id")
    const dependent = number(row, "dependent_issue_id")
    const label = number(row, "label_id")
    // What such an entry is about is gone there too: it says nothing any more.
    if (refIssue > 0 && !world.has("issues", refIssue)) return leftOut("what it refers to is gone")
    if (dependent > 0 && !world.has("issues", dependent)) return leftOut("what it refers to is gone")
    if (label > 0 && !world.has("labels", label)) return leftOut("the label is gone")
    const refComment = number(row, "ref_comment_id")
    const orNull = (value: number) => (value > 0 ? value : null)
    return rows(
      put("comments", {
        id,
        issue_id: issueId,
        kind: isPending && (isCode || kind === "review") ? (isCode ? "code_draft" : "review_draft") : kind,
        author_id: number(row, "poster_id"),
        content: contentOf(kind, text(row, "content")),
        content_version: number(row, "content_version"),
        label_id: orNull(label),
        milestone_id: world.known("milestones", number(row, "milestone_id")),
        old_milestone_id: world.known("milestones", number(row, "old_milestone_id")),
        project_id: orNull(number(row, "project_id")),
        old_project_id: orNull(number(row, "old_project_id")),
        assignee_id: world.known("users", number(row, "assignee_id")),
        assignee_team_id: world.known("teams", number(row, "assignee_team_id")),
        removed_assignee: onOff(row, "removed_assignee"),
        old_title: text(row, "old_title"),
        new_title: text(row, "new_title"),
        old_ref: text(row, "old_ref"),
        new_ref: text(row, "new_ref"),
        ref_repository_id: world.known("repositories", number(row, "ref_repo_id")),
        ref_issue_id: orNull(refIssue),
        ref_comment_id: refComment < id ? world.known("comments", refComment) : null,
        ref_action: REF_ACTIONS[number(row, "ref_action")] ?? "none",
        commit_id: isCode ? "" : text(row, "commit_sha"),
        dependent_issue_id: orNull(dependent),
        tracked_time_id: world.known("tracked_times", number(row, "time_id")),
        // A review has one entry with its text: one that was changed before it was submitted has several there.
        review_id: kind === "review" && number(row, "header_id") !== id ? null : orNull(reviewId),
        resolver_id: world.known("users", number(row, "resolve_doer_id")),
        original_author: text(row, "original_author"),
        original_author_id: number(row, "original_author_id"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
      ...(isCode
        ? [
            put("review_comments", {
              comment_id: id,
              review_id: reviewId,
              path: text(row, "tree_path"),
              line: number(row, "line"),
              hunk: hunkOf(text(row, "patch")),
              commit_id: text(row, "commit_sha"),
              is_outdated: onOff(row, "invalidated"),
            }),
          ]
        : []),
    )
  },
}

/** Before the comments, which refer to reviews and times; and after them. */
export const planningBefore: readonly Kind[] = [labels, milestones, tags, releases, projects, columns, counters, issues, times]
export const planningAfter: readonly Kind[] = [
  comments,
  assignees,
  labelsOfIssues,
  mentions,
  subscriptions,
  dependencies,
  stopwatches,
  reactions,
  attachments,
  versions,
  cards,
]
