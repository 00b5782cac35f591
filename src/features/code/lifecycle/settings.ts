import type { Updateable } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import { flag, type RepositoriesTable, type Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { EditRepoOption } from "../repositories/records.ts"
import { PULL_DEFAULTS, TRACKER_DEFAULTS } from "./establish.ts"

/** The column changes of an edit, derived from the row and the request alone. Refuses `invalid` for invalid values. */

export type Changes = Updateable<RepositoriesTable>

const flagOf = (value: boolean | undefined) => (value === undefined ? undefined : flag(value))

/** Only the members that are set. */
const given = (changes: { readonly [K in keyof Changes]?: Changes[K] | undefined }): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

export function plainChanges(options: EditRepoOption): Changes {
  return given({
    description: options.description,
    website: options.website,
    is_template: flagOf(options.template),
    has_code: flagOf(options.has_code),
    has_releases: flagOf(options.has_releases),
    has_packages: flagOf(options.has_packages),
    has_actions: flagOf(options.has_actions),
  })
}

// --- issues, wiki, projects -------------------------------------------------------------------------------------------------------

const NO_TRACKER = {
  external_tracker_url: "",
  external_tracker_format: "",
  external_tracker_style: "",
  external_tracker_regexp_pattern: "",
}

export function issueChanges(repository: Repository, options: EditRepoOption): Changes {
  const { has_issues: wanted, internal_tracker: internal, external_tracker: external } = options
  if (wanted === undefined) return {}
  if (!wanted) return { has_issues: 0, ...NO_TRACKER, ...TRACKER_DEFAULTS }
  if (external) {
    const { external_tracker_url: url = "", external_tracker_format: format = "", external_tracker_style: style = "" } = external
    if (!isWebAddress(url)) throw refuse.invalid("external_tracker.external_tracker_url", "must be an http or https address")
    if (format !== "" && !isIssueAddress(format))
      throw refuse.invalid(
        "external_tracker.external_tracker_format",
        "must be an http or https address, with {user}, {repo} and {index} as its only placeholders",
      )
    return {
      has_issues: 1,
      ...TRACKER_DEFAULTS,
      external_tracker_url: url,
      external_tracker_format: format,
      external_tracker_style: style,
      external_tracker_regexp_pattern: external.external_tracker_regexp_pattern ?? "",
    }
  }
  const tracksItself = repository.has_issues === 1 && repository.external_tracker_url === ""
  const tracker = internal
    ? {
        enable_time_tracker: flag(internal.enable_time_tracker ?? false),
        allow_only_contributors_to_track_time: flag(internal.allow_only_contributors_to_track_time ?? false),
        enable_issue_dependencies: flag(internal.enable_issue_dependencies ?? false),
      }
    : tracksItself
      ? {}
      : TRACKER_DEFAULTS
  return { has_issues: 1, ...NO_TRACKER, ...tracker }
}

export function wikiChanges({ has_wiki: wanted, external_wiki: external }: EditRepoOption): Changes {
  if (wanted === undefined) return {}
  if (!wanted || !external) return { has_wiki: flag(wanted), external_wiki_url: "" }
  const { external_wiki_url: url = "" } = external
  if (!isWebAddress(url)) throw refuse.invalid("external_wiki.external_wiki_url", "must be an http or https address")
  return { has_wiki: 1, external_wiki_url: url }
}

export function projectChanges(repository: Repository, { has_projects: wanted, projects_mode: mode }: EditRepoOption): Changes {
  if (wanted === undefined) return {}
  if (!wanted) return { has_projects: 0, projects_mode: "all" }
  return { has_projects: 1, projects_mode: mode ?? (repository.has_projects === 1 ? repository.projects_mode : "all") }
}

const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s/?#]/i.test(text) && URL.canParse(text)

/** A URL with placeholders for an issue. */
function isIssueAddress(text: string): boolean {
  const filled = text.replaceAll(/\{(user|repo|index)\}/g, "x")
  return !/[{}]/.test(filled) && isWebAddress(filled)
}

// --- pull requests ----------------------------------------------------------------------------------------------------------------

type PullSettings = { -readonly [K in keyof typeof PULL_DEFAULTS]?: Changes[K] }

export function pullChanges(repository: Repository, options: EditRepoOption): Changes {
  const { has_pull_requests: wanted } = options
  // The defaults apply again when the unit is switched on again.
  if (wanted === false) return { has_pull_requests: 0, ...PULL_DEFAULTS }
  const sent: PullSettings = given({
    ignore_whitespace_conflicts: flagOf(options.ignore_whitespace_conflicts),
    allow_merge_commits: flagOf(options.allow_merge_commits),
    allow_rebase: flagOf(options.allow_rebase),
    allow_rebase_explicit: flagOf(options.allow_rebase_explicit),
    allow_squash_merge: flagOf(options.allow_squash_merge),
    allow_fast_forward_only_merge: flagOf(options.allow_fast_forward_only_merge),
    allow_manual_merge: flagOf(options.allow_manual_merge),
    autodetect_manual_merge: flagOf(options.autodetect_manual_merge),
    allow_merge_update: flagOf(options.allow_merge_update),
    allow_rebase_update: flagOf(options.allow_rebase_update),
    default_delete_branch_after_merge: flagOf(options.default_delete_branch_after_merge),
    default_allow_maintainer_edit: flagOf(options.default_allow_maintainer_edit),
    default_merge_style: options.default_merge_style,
    default_update_style: options.default_update_style,
  })
  const differs = Object.entries(PULL_DEFAULTS).some(([name, initial]) => {
    const value: unknown = Reflect.get(sent, name)
    return value !== undefined && value !== initial
  })
  const there = repository.has_pull_requests === 1
  // Clients switch pull requests on by sending one of their settings.
  if (!there && !wanted && !differs) return {}
  requireUpdateStyle(there ? { ...repository, ...sent } : { ...PULL_DEFAULTS, ...sent }, sent)
  return { has_pull_requests: 1, ...(there ? {} : PULL_DEFAULTS), ...sent }
}

/** The default update style must be one of those allowed. */
function requireUpdateStyle(settings: PullSettings, sent: PullSettings): void {
  const { allow_merge_update: merge, allow_rebase_update: rebase, default_update_style: style } = sent
  if (merge === undefined && rebase === undefined && style === undefined) return
  if (settings.allow_merge_update === 0 && settings.allow_rebase_update === 0)
    throw refuse.invalid("allow_merge_update", "merging or rebasing must be allowed to bring a branch up to date")
  const allowed = settings.default_update_style === "rebase" ? settings.allow_rebase_update : settings.allow_merge_update
  if (allowed === 0)
    throw refuse.invalid(
      "default_update_style",
      `${settings.default_update_style} is not allowed to bring a branch up to date; allow it or take the other`,
    )
}

// --- the archive ------------------------------------------------------------------------------------------------------------------

export function archiveChanges(repository: Repository, { archived }: EditRepoOption, now: Seconds): Changes {
  if (archived === undefined) return {}
  if (repository.is_mirror === 1) throw refuse.invalid("archived", "a mirror can't be archived or un-archived")
  if (archived === (repository.is_archived === 1)) return {}
  return archived ? { is_archived: 1, archived_at: now } : { is_archived: 0, archived_at: 0 }
}
