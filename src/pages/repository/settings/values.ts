import type { Repository } from "../../../access/permission.ts"
import { parseStrings } from "../../../features/code/repositories/present.ts"

const FLAGS = [
  "has_code",
  "has_issues",
  "has_wiki",
  "has_pull_requests",
  "has_projects",
  "has_releases",
  "has_packages",
  "has_actions",
  "shares_workflows",
  "ignore_whitespace_conflicts",
  "allow_merge_commits",
  "allow_rebase",
  "allow_rebase_explicit",
  "allow_squash_merge",
  "allow_fast_forward_only_merge",
  "allow_merge_update",
  "allow_rebase_update",
  "allow_manual_merge",
  "autodetect_manual_merge",
  "default_delete_branch_after_merge",
  "default_allow_maintainer_edit",
] as const satisfies readonly (keyof Repository)[]

/**
 * The settings of a repository as they are stored, by the names that `repoEdit` takes. The repository's record leaves out those of units that are
 * switched off, and a form that is sent with such a unit must not lose them.
 */
export const settingsOf = (repository: Repository) => ({
  ...Object.fromEntries(FLAGS.map((name) => [name, repository[name] === 1])),
  name: repository.name,
  description: repository.description,
  website: repository.website,
  default_branch: repository.default_branch,
  template: repository.is_template === 1,
  topics: parseStrings(repository.topics).join(" "),
  tracker: repository.external_tracker_url === "" ? "own" : "external",
  internal_tracker: {
    enable_time_tracker: repository.enable_time_tracker === 1,
    allow_only_contributors_to_track_time: repository.allow_only_contributors_to_track_time === 1,
    enable_issue_dependencies: repository.enable_issue_dependencies === 1,
  },
  external_tracker: {
    external_tracker_url: repository.external_tracker_url,
    external_tracker_format: repository.external_tracker_format,
    external_tracker_style: repository.external_tracker_style || "numeric",
    external_tracker_regexp_pattern: repository.external_tracker_regexp_pattern,
  },
  external_wiki: { external_wiki_url: repository.external_wiki_url },
  projects_mode: repository.projects_mode,
  default_merge_style: repository.default_merge_style,
  default_update_style: repository.default_update_style,
})
