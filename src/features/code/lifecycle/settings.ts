import type { Updateable } from "kysely"
import type { Repository } from "../../../access/permission.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import type { RepositoriesTable } from "../../../core/database/tables/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { compileRegex } from "../../../core/text/regex.ts"
import { type EditRepoOption, MERGE_STYLES } from "../repositories/records.ts"

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
    shares_workflows: flagOf(options.shares_workflows),
  })
}

// --- issues, wiki, projects -------------------------------------------------------------------------------------------------------

// Settings are kept while their unit is switched off, and can be changed meanwhile.

const NO_TRACKER = {
  external_tracker_url: "",
  external_tracker_format: "",
  external_tracker_style: "",
  external_tracker_regexp_pattern: "",
}

export function issueChanges(repository: Repository, options: EditRepoOption): Changes {
  const { has_issues: wanted, internal_tracker: internal, external_tracker: external } = options
  return given({
    has_issues: flagOf(wanted),
    enable_time_tracker: flagOf(internal?.enable_time_tracker),
    allow_only_contributors_to_track_time: flagOf(internal?.allow_only_contributors_to_track_time),
    enable_issue_dependencies: flagOf(internal?.enable_issue_dependencies),
    // Either the service's own issues or those of a tracker elsewhere: what is sent is what is used from then on.
    ...(external ? trackerChanges(repository, external) : internal && NO_TRACKER),
  })
}

function trackerChanges(repository: Repository, sent: NonNullable<EditRepoOption["external_tracker"]>): Changes {
  const { external_tracker_url: url = repository.external_tracker_url, external_tracker_format: format = "" } = sent
  if (!isWebAddress(url)) throw refuse.invalid("external_tracker.external_tracker_url", "must be an http or https address")
  if (format !== "" && !isIssueAddress(format))
    throw refuse.invalid(
      "external_tracker.external_tracker_format",
      "must be an http or https address, with {user}, {repo} and {index} as its only placeholders",
    )
  requirePattern({ ...repository, ...given(sent) })
  return given({
    external_tracker_url: url,
    external_tracker_format: sent.external_tracker_format,
    external_tracker_style: sent.external_tracker_style,
    external_tracker_regexp_pattern: sent.external_tracker_regexp_pattern,
  })
}

/** Patterns are compiled when they are stored, so that one that can't be compiled is not found out when texts are shown. */
function requirePattern({ external_tracker_style: style, external_tracker_regexp_pattern: pattern }: Changes): void {
  const field = "external_tracker.external_tracker_regexp_pattern"
  if (style === "regexp" && !pattern) throw refuse.invalid(field, "is required for the style regexp")
  if (pattern && !compileRegex(pattern))
    throw refuse.invalid(field, "must be a regular expression, without look-around and back-references")
}

/** An external wiki, or with an empty address the service's own again. */
export function wikiChanges(repository: Repository, { has_wiki: wanted, external_wiki: external }: EditRepoOption): Changes {
  const url = external && (external.external_wiki_url ?? repository.external_wiki_url)
  if (url !== undefined && !isWebAddress(url) && external?.external_wiki_url !== "")
    throw refuse.invalid("external_wiki.external_wiki_url", "must be an http or https address, or empty for the wiki of the repository")
  return given({ has_wiki: flagOf(wanted), external_wiki_url: url })
}

export const projectChanges = ({ has_projects, projects_mode }: EditRepoOption): Changes =>
  given({ has_projects: flagOf(has_projects), projects_mode })

const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s/?#]/i.test(text) && URL.canParse(text)

/** A URL with placeholders for an issue. */
function isIssueAddress(text: string): boolean {
  const filled = text.replaceAll(/\{(user|repo|index)\}/g, "x")
  return !/[{}]/.test(filled) && isWebAddress(filled)
}

// --- pull requests ----------------------------------------------------------------------------------------------------------------

export function pullChanges(repository: Repository, options: EditRepoOption): Changes {
  const sent = given({
    has_pull_requests: flagOf(options.has_pull_requests),
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
  requireUpdateStyle({ ...repository, ...sent }, sent)
  requireMergeStyle({ ...repository, ...sent }, sent)
  return sent
}

/** The default update style must be one of those allowed. */
function requireUpdateStyle(settings: Changes, sent: Changes): void {
  const { allow_merge_update: merge, allow_rebase_update: rebase, default_update_style: style } = sent
  if (merge === undefined && rebase === undefined && style === undefined) return
  if (settings.allow_merge_update === 0 && settings.allow_rebase_update === 0)
    throw refuse.invalid("allow_merge_update", "merging or rebasing must be allowed to bring a branch up to date")
  const allowed = settings.default_update_style === "rebase" ? settings.allow_rebase_update : settings.allow_merge_update
  if (allowed === 0)
    throw refuse.invalid(
      "default_update_style",
      t`${String(settings.default_update_style)} is not allowed to bring a branch up to date; allow it or take the other`,
    )
}

/** Which setting allows a style of merging. */
const ALLOWING = {
  merge: "allow_merge_commits",
  rebase: "allow_rebase",
  "rebase-merge": "allow_rebase_explicit",
  squash: "allow_squash_merge",
  "fast-forward-only": "allow_fast_forward_only_merge",
} as const satisfies Readonly<Record<(typeof MERGE_STYLES)[number], keyof Changes>>

/** The default style of merging must be allowed. */
function requireMergeStyle(settings: Changes, sent: Changes): void {
  const style = MERGE_STYLES.find((one) => one === settings.default_merge_style)
  if (style === undefined || (sent.default_merge_style === undefined && sent[ALLOWING[style]] === undefined)) return
  if (settings[ALLOWING[style]] === 0)
    throw refuse.invalid("default_merge_style", t`${style} is not allowed; set ${ALLOWING[style]}, or take a style that is allowed`)
}

// --- the archive ------------------------------------------------------------------------------------------------------------------

export function archiveChanges(repository: Repository, { archived }: EditRepoOption, now: Seconds): Changes {
  if (archived === undefined) return {}
  if (repository.is_mirror === 1) throw refuse.invalid("archived", "a mirror can't be archived or un-archived")
  if (archived === (repository.is_archived === 1)) return {}
  return archived ? { is_archived: 1, archived_at: now } : { is_archived: 0, archived_at: 0 }
}
