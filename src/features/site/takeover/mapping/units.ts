import { flag } from "../../../../core/database/tables/types.ts"
import { isOn, json, members, number, type SourceRow, text } from "../source/row.ts"

/** The parts of a repository there, each a row with settings, are columns of the repository here. */

const UNIT = {
  code: 1,
  issues: 2,
  pulls: 3,
  releases: 4,
  wiki: 5,
  externalWiki: 6,
  externalTracker: 7,
  projects: 8,
  packages: 9,
  actions: 10,
} as const

/** The names of parts in teams. */
export const UNIT_NAMES: Readonly<Record<number, string>> = {
  1: "repo.code",
  2: "repo.issues",
  3: "repo.pulls",
  4: "repo.releases",
  5: "repo.wiki",
  6: "repo.ext_wiki",
  7: "repo.ext_issues",
  8: "repo.projects",
  9: "repo.packages",
  10: "repo.actions",
}

/** What the rows of one repository say. */
export interface RepositorySettings {
  readonly units: ReadonlySet<number>
  readonly configs: ReadonlyMap<number, Readonly<Record<string, unknown>>>
  readonly disabledWorkflows: readonly string[]
  /** Parts that everyone may read or write there, beyond what the repository's visibility says. */
  readonly opened: boolean
}

const NONE: RepositorySettings = { units: new Set(), configs: new Map(), disabledWorkflows: [], opened: false }

export function withUnit(settings: RepositorySettings = NONE, row: SourceRow): RepositorySettings {
  const type = number(row, "type")
  const config = members(json(row, "config"))
  const disabled = config["DisabledWorkflows"]
  return {
    units: new Set([...settings.units, type]),
    configs: Object.keys(config).length === 0 ? settings.configs : new Map([...settings.configs, [type, config]]),
    disabledWorkflows: Array.isArray(disabled) ? disabled.map(String) : settings.disabledWorkflows,
    opened: settings.opened || number(row, "anonymous_access_mode") > 0 || number(row, "everyone_access_mode") > 0,
  }
}

/** The columns of a repository about its parts. */
export function unitColumns(settings: RepositorySettings = NONE) {
  const has = (unit: number) => flag(settings.units.has(unit))
  const config = (unit: number) => settings.configs.get(unit) ?? {}
  const on = (unit: number, name: string, fallback: boolean) => flag(name in config(unit) ? isOn(config(unit), name) : fallback)
  const word = (unit: number, name: string, fallback = "") => text(config(unit), name) || fallback
  const { issues, pulls, externalTracker, externalWiki, projects } = UNIT
  return {
    has_code: has(UNIT.code),
    has_issues: flag(settings.units.has(issues) || settings.units.has(externalTracker)),
    has_pull_requests: has(pulls),
    has_releases: has(UNIT.releases),
    has_wiki: flag(settings.units.has(UNIT.wiki) || settings.units.has(externalWiki)),
    has_projects: has(projects),
    has_packages: has(UNIT.packages),
    has_actions: has(UNIT.actions),
    projects_mode: modeOf(word(projects, "ProjectsMode", "all")),
    enable_time_tracker: on(issues, "EnableTimetracker", true),
    allow_only_contributors_to_track_time: on(issues, "AllowOnlyContributorsToTrackTime", true),
    enable_issue_dependencies: on(issues, "EnableDependencies", true),
    external_tracker_url: word(externalTracker, "ExternalTrackerURL"),
    external_tracker_format: word(externalTracker, "ExternalTrackerFormat"),
    external_tracker_style: word(externalTracker, "ExternalTrackerStyle"),
    external_tracker_regexp_pattern: word(externalTracker, "ExternalTrackerRegexpPattern"),
    external_wiki_url: word(externalWiki, "ExternalWikiURL"),
    ignore_whitespace_conflicts: on(pulls, "IgnoreWhitespaceConflicts", false),
    allow_merge_commits: on(pulls, "AllowMerge", true),
    allow_rebase: on(pulls, "AllowRebase", true),
    allow_rebase_explicit: on(pulls, "AllowRebaseMerge", true),
    allow_squash_merge: on(pulls, "AllowSquash", true),
    allow_fast_forward_only_merge: on(pulls, "AllowFastForwardOnly", true),
    allow_manual_merge: on(pulls, "AllowManualMerge", false),
    autodetect_manual_merge: on(pulls, "AutodetectManualMerge", false),
    allow_merge_update: on(pulls, "AllowMergeUpdate", true),
    allow_rebase_update: on(pulls, "AllowRebaseUpdate", true),
    default_delete_branch_after_merge: on(pulls, "DefaultDeleteBranchAfterMerge", false),
    default_allow_maintainer_edit: on(pulls, "DefaultAllowMaintainerEdit", true),
    default_merge_style: word(pulls, "DefaultMergeStyle", "merge"),
    default_update_style: word(pulls, "DefaultUpdateStyle", "merge"),
  } as const
}

const modeOf = (word: string): "repo" | "owner" | "all" => (word === "repo" || word === "owner" ? word : "all")
