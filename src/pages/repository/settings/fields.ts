import type { Field } from "../../../web/form.ts"

/** The fields of a repository's general settings: the members of `repoEdit`, in the groups in which people look for them. */

export const ABOUT: readonly Field[] = [
  { kind: "line", name: "description", label: "Description", maxlength: 2048 },
  { kind: "line", name: "website", label: "Website", type: "url", maxlength: 1024 },
  {
    kind: "line",
    name: "default_branch",
    label: "Default branch",
    hint: "Shown by default, and the base branch of new pull requests.",
    maxlength: 100,
  },
  { kind: "box", name: "template", label: "Template", hint: "New repositories can be generated from it." },
]

export const UNITS: readonly Field[] = [
  {
    kind: "group",
    label: "Code",
    fields: [
      { kind: "box", name: "has_code", label: "Code" },
      { kind: "box", name: "has_pull_requests", label: "Pull requests" },
      { kind: "box", name: "has_releases", label: "Releases" },
      { kind: "box", name: "has_packages", label: "Packages" },
    ],
  },
  {
    kind: "group",
    label: "Issues",
    fields: [
      { kind: "box", name: "has_issues", label: "Issues" },
      {
        kind: "choice",
        name: "tracker",
        label: "Issue tracker",
        options: [
          ["own", "Built in"],
          ["external", "External", "The tab links to it."],
        ],
      },
    ],
  },
  {
    kind: "group",
    label: "Built-in tracker",
    fields: [
      { kind: "box", name: "internal_tracker.enable_time_tracker", label: "Time tracking" },
      {
        kind: "box",
        name: "internal_tracker.allow_only_contributors_to_track_time",
        label: "Only people with write access can track time",
      },
      { kind: "box", name: "internal_tracker.enable_issue_dependencies", label: "Issue dependencies" },
    ],
  },
  {
    kind: "group",
    label: "External tracker",
    fields: [
      { kind: "line", name: "external_tracker.external_tracker_url", label: "URL of the tracker", type: "url", maxlength: 2048 },
      {
        kind: "line",
        name: "external_tracker.external_tracker_format",
        label: "URL of an issue",
        hint: "May contain {user}, {repo} and {index}.",
        maxlength: 2048,
      },
      {
        kind: "menu",
        name: "external_tracker.external_tracker_style",
        label: "Format of issue references",
        options: [
          ["numeric", "Numbers, such as #12"],
          ["alphanumeric", "Letters and a number, such as ABC-12"],
          ["regexp", "Regular expression"],
        ],
      },
      {
        kind: "line",
        name: "external_tracker.external_tracker_regexp_pattern",
        label: "Regular expression",
        hint: "Without lookarounds and backreferences.",
        maxlength: 1024,
      },
    ],
  },
  {
    kind: "group",
    label: "Wiki",
    fields: [
      { kind: "box", name: "has_wiki", label: "Wiki" },
      {
        kind: "line",
        name: "external_wiki.external_wiki_url",
        label: "URL of an external wiki",
        hint: "Leave empty to use the wiki of this repository.",
        type: "url",
        maxlength: 2048,
      },
    ],
  },
  {
    kind: "group",
    label: "Projects",
    fields: [
      { kind: "box", name: "has_projects", label: "Projects" },
      {
        kind: "menu",
        name: "projects_mode",
        label: "Available projects",
        options: [
          ["all", "This repository and its owner"],
          ["repo", "This repository"],
          ["owner", "Its owner"],
        ],
      },
    ],
  },
  {
    kind: "group",
    label: "Actions",
    fields: [
      { kind: "box", name: "has_actions", label: "Actions" },
      {
        kind: "box",
        name: "shares_workflows",
        label: "Share workflows",
        hint: "The owner’s other private repositories can call workflows of this one, and their jobs can read its code.",
      },
    ],
  },
]

/** The styles of merging, with words for people. */
const STYLES = [
  ["merge", "Merge commit"],
  ["rebase", "Rebase"],
  ["rebase-merge", "Rebase and merge commit"],
  ["squash", "Squash"],
  ["fast-forward-only", "Fast-forward only"],
] as const

export const PULLS: readonly Field[] = [
  {
    kind: "group",
    label: "Merge styles",
    fields: [
      { kind: "box", name: "allow_merge_commits", label: "Merge commit" },
      { kind: "box", name: "allow_rebase", label: "Rebase" },
      { kind: "box", name: "allow_rebase_explicit", label: "Rebase and merge commit" },
      { kind: "box", name: "allow_squash_merge", label: "Squash" },
      { kind: "box", name: "allow_fast_forward_only_merge", label: "Fast-forward only" },
      { kind: "menu", name: "default_merge_style", label: "Default merge style", options: STYLES },
    ],
  },
  {
    kind: "group",
    label: "Updating a branch",
    fields: [
      { kind: "box", name: "allow_merge_update", label: "Update by merge" },
      { kind: "box", name: "allow_rebase_update", label: "Update by rebase" },
      {
        kind: "menu",
        name: "default_update_style",
        label: "Default update style",
        options: [
          ["merge", "Merging"],
          ["rebase", "Rebasing"],
        ],
      },
    ],
  },
  {
    kind: "group",
    label: "Manual merges",
    fields: [
      { kind: "box", name: "allow_manual_merge", label: "Allow marking pull requests as manually merged" },
      { kind: "box", name: "autodetect_manual_merge", label: "Detect manual merges in pushes" },
    ],
  },
  {
    kind: "group",
    label: "Defaults of pull requests",
    fields: [
      { kind: "box", name: "default_delete_branch_after_merge", label: "Delete branch after merging" },
      { kind: "box", name: "default_allow_maintainer_edit", label: "Allow edits by maintainers" },
    ],
  },
  { kind: "box", name: "ignore_whitespace_conflicts", label: "Ignore conflicts in whitespace only" },
]

/** The names of fields, with those in groups. */
export const namesOf = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap((each) => (each.kind === "group" ? namesOf(each.fields) : "name" in each ? [each.name] : []))
