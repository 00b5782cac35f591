import { t } from "../../../core/language/message.ts"
import type { Field } from "../../../web/form.ts"

/** The fields of a repository's general settings: the members of `repoEdit`, in the groups in which people look for them. */

export const ABOUT: readonly Field[] = [
  { kind: "line", name: "description", label: t("Description"), maxlength: 2048 },
  { kind: "line", name: "website", label: t("Website"), type: "url", maxlength: 1024 },
  {
    kind: "line",
    name: "default_branch",
    label: t("Default branch"),
    hint: t("Shown by default, and the base branch of new pull requests."),
    maxlength: 100,
  },
  { kind: "box", name: "template", label: t("Template"), hint: t("New repositories can be generated from it.") },
]

export const UNITS: readonly Field[] = [
  {
    kind: "group",
    label: t("Code"),
    fields: [
      { kind: "box", name: "has_code", label: t("Code") },
      { kind: "box", name: "has_pull_requests", label: t("Pull requests") },
      { kind: "box", name: "has_releases", label: t("Releases") },
      { kind: "box", name: "has_packages", label: t("Packages") },
    ],
  },
  {
    kind: "group",
    label: t("Issues"),
    fields: [
      { kind: "box", name: "has_issues", label: t("Issues") },
      {
        kind: "choice",
        name: "tracker",
        label: t("Issue tracker"),
        options: [
          ["own", t("Built in")],
          ["external", t("External"), t("The tab links to it.")],
        ],
      },
    ],
  },
  {
    kind: "group",
    label: t("Built-in tracker"),
    fields: [
      { kind: "box", name: "internal_tracker.enable_time_tracker", label: t("Time tracking") },
      {
        kind: "box",
        name: "internal_tracker.allow_only_contributors_to_track_time",
        label: t("Only people with write access can track time"),
      },
      { kind: "box", name: "internal_tracker.enable_issue_dependencies", label: t("Issue dependencies") },
    ],
  },
  {
    kind: "group",
    label: t("External tracker"),
    fields: [
      { kind: "line", name: "external_tracker.external_tracker_url", label: t("URL of the tracker"), type: "url", maxlength: 2048 },
      {
        kind: "line",
        name: "external_tracker.external_tracker_format",
        label: t("URL of an issue"),
        hint: t("May contain {user}, {repo} and {index}.", { user: "{user}", repo: "{repo}", index: "{index}" }),
        maxlength: 2048,
      },
      {
        kind: "menu",
        name: "external_tracker.external_tracker_style",
        label: t("Format of issue references"),
        options: [
          ["numeric", t("Numbers, such as #12")],
          ["alphanumeric", t("Letters and a number, such as ABC-12")],
          ["regexp", t("Regular expression")],
        ],
      },
      {
        kind: "line",
        name: "external_tracker.external_tracker_regexp_pattern",
        label: t("Regular expression"),
        hint: t("Without lookarounds and backreferences."),
        maxlength: 1024,
      },
    ],
  },
  {
    kind: "group",
    label: t("Wiki"),
    fields: [
      { kind: "box", name: "has_wiki", label: t("Wiki") },
      {
        kind: "line",
        name: "external_wiki.external_wiki_url",
        label: t("URL of an external wiki"),
        hint: t("Leave empty to use the wiki of this repository."),
        type: "url",
        maxlength: 2048,
      },
    ],
  },
  {
    kind: "group",
    label: t("Projects"),
    fields: [
      { kind: "box", name: "has_projects", label: t("Projects") },
      {
        kind: "menu",
        name: "projects_mode",
        label: t("Available projects"),
        options: [
          ["all", t("This repository and its owner")],
          ["repo", t("This repository")],
          ["owner", t("Its owner")],
        ],
      },
    ],
  },
  {
    kind: "group",
    label: t("Actions"),
    fields: [
      { kind: "box", name: "has_actions", label: t("Actions") },
      {
        kind: "box",
        name: "shares_workflows",
        label: t("Share workflows"),
        hint: t("The owner’s other private repositories can call workflows of this one, and their jobs can read its code."),
      },
    ],
  },
]

/** The styles of merging, with words for people. */
const STYLES = [
  ["merge", t("Merge commit")],
  ["rebase", t("Rebase")],
  ["rebase-merge", t("Rebase and merge commit")],
  ["squash", t("Squash")],
  ["fast-forward-only", t("Fast-forward only")],
] as const

export const PULLS: readonly Field[] = [
  {
    kind: "group",
    label: t("Merge styles"),
    fields: [
      { kind: "box", name: "allow_merge_commits", label: t("Merge commit") },
      { kind: "box", name: "allow_rebase", label: t("Rebase") },
      { kind: "box", name: "allow_rebase_explicit", label: t("Rebase and merge commit") },
      { kind: "box", name: "allow_squash_merge", label: t("Squash") },
      { kind: "box", name: "allow_fast_forward_only_merge", label: t("Fast-forward only") },
      { kind: "menu", name: "default_merge_style", label: t("Default merge style"), options: STYLES },
    ],
  },
  {
    kind: "group",
    label: t("Updating a branch"),
    fields: [
      { kind: "box", name: "allow_merge_update", label: t("Update by merge") },
      { kind: "box", name: "allow_rebase_update", label: t("Update by rebase") },
      {
        kind: "menu",
        name: "default_update_style",
        label: t("Default update style"),
        options: [
          ["merge", t("Merging")],
          ["rebase", t("Rebasing")],
        ],
      },
    ],
  },
  {
    kind: "group",
    label: t("Manual merges"),
    fields: [
      { kind: "box", name: "allow_manual_merge", label: t("Allow marking pull requests as manually merged") },
      { kind: "box", name: "autodetect_manual_merge", label: t("Detect manual merges in pushes") },
    ],
  },
  {
    kind: "group",
    label: t("Defaults of pull requests"),
    fields: [
      { kind: "box", name: "default_delete_branch_after_merge", label: t("Delete branch after merging") },
      { kind: "box", name: "default_allow_maintainer_edit", label: t("Allow edits by maintainers") },
    ],
  },
  { kind: "box", name: "ignore_whitespace_conflicts", label: t("Ignore conflicts in whitespace only") },
]

/** The names of fields, with those in groups. */
export const namesOf = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap((each) => (each.kind === "group" ? namesOf(each.fields) : "name" in each ? [each.name] : []))
