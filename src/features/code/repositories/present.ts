import type { Selectable } from "kysely"
import { findMemberOrganizations } from "../../../access/grants.ts"
import { Mode } from "../../../access/modes.ts"
import { type Owned, type Permission, permissionOn, permissionsOn, reaches, unitMode } from "../../../access/permission.ts"
import { organizationVisible, personVisible } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { MirrorsTable } from "../../../core/database/tables/mirrors.ts"
import type { RepositoryTransfersTable } from "../../../core/database/tables/repositories.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import { NEVER, rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentTeams } from "../../people/teams/present.ts"
import { presentUserPlainly } from "../../people/users/present.ts"
import { formatDuration } from "./durations.ts"
import type { Permission as PermissionRecord, Repository as RepositoryRecord, RepoTransfer } from "./records.ts"
import { findMirrors, findRepositoriesByIds, findTeamsByIds, findTransfers, transferTeamIds, usersById, withOwners } from "./store.ts"
import { sshRoot } from "./urls.ts"

export interface PresentOptions {
  /** The values for `permissions` by repository id, if known already or not the caller's own. */
  readonly permissions?: ReadonlyMap<number, Permission>
}

/** All permissions: what the creator of a new repository is shown. */
export const EVERYTHING: Permission = { mode: Mode.owner, units: new Map() }

const NOTHING: Permission = { mode: Mode.none, units: new Map() }
const NO_TEXTS: string[] = []

/**
 * Repositories as the caller sees them, in the order given. The list must contain only repositories visible to the caller.
 * The number of queries doesn't grow with the list: those for the permissions, one for pending transfers, and further ones only if
 * there are forks, mirrors or transfers in it.
 */
export async function presentRepositories(
  db: Handle,
  site: Site,
  actor: Actor,
  owned: readonly Owned[],
  options: PresentOptions = {},
): Promise<Readonly<RepositoryRecord>[]> {
  if (owned.length === 0) return []
  const permissions = options.permissions ?? (await permissionsOn(db, actor, owned))
  const write = writer(site)
  const mirrors = await mirrorsOf(db, owned)
  const parents = await parentsOf(db, actor, owned)
  const transfers = await transfersOf(db, site, actor, owned, permissions)
  return owned.map((item) => {
    const { repository } = item
    const permission = permissions.get(repository.id) ?? NOTHING
    const record = write(item, permission, mirrors.get(repository.id))
    const parent = repository.fork_of_id === null ? undefined : parents.get(repository.id)
    const transfer = transfers.get(repository.id)
    if (!parent && !transfer) return record
    return {
      ...record,
      // Clients expect the parent to have the permissions of the fork.
      ...(parent && { parent: write(parent, permission, mirrors.get(parent.repository.id)) }),
      ...(transfer && { repo_transfer: transfer }),
    }
  })
}

/** One repository as the caller sees it. `permission` is passed if it is known already. */
export async function presentRepository(
  db: Handle,
  site: Site,
  actor: Actor,
  owned: Owned,
  permission?: Permission,
): Promise<Readonly<RepositoryRecord>> {
  const known = permission ?? (await permissionOn(db, actor, owned))
  const [record] = await presentRepositories(db, site, actor, [owned], { permissions: new Map([[owned.repository.id, known]]) })
  if (!record) throw new TypeError("one repository gives one record")
  return record
}

/** A user's permissions on a repository as a record. */
export function presentPermission(permission: Permission, repository: Owned["repository"]): PermissionRecord {
  const code = unitMode(permission, repository, "repo.code")
  return { admin: permission.mode >= Mode.admin, push: code >= Mode.write, pull: code >= Mode.read }
}

/** A record, and what it was made of besides the repository's row. */
interface Made {
  readonly owner: User
  readonly ssh: string
  readonly knowsAddress: boolean
  readonly permissions: PermissionRecord
  readonly record: RepositoryRecord
}

/** The last record of each row: the database gives the same rows until something is committed. */
const madeOf = onFirstUseOf((_site: Site) => new WeakMap<Owned["repository"], Made>())

/** Returns a function that makes records of rows; values shared by all records are computed once. */
function writer(site: Site) {
  const { rootUrl } = site
  const ssh = sshRoot(site)
  const made = madeOf(site)

  function recordOf(
    { repository: row, owner }: Owned,
    knowsAddress: boolean,
    permissions: PermissionRecord,
    mirror?: Mirror,
  ): RepositoryRecord {
    const fullName = `${owner.name}/${row.name}`
    const htmlUrl = `${rootUrl}/${fullName}`
    const url = `${rootUrl}/api/v1/repos/${fullName}`
    const hasPulls = row.has_pull_requests === 1
    const record: RepositoryRecord = {
      id: row.id,
      owner: presentUserPlainly(site, owner, knowsAddress),
      name: row.name,
      full_name: fullName,
      description: row.description,
      empty: row.is_empty === 1,
      private: row.is_private === 1,
      fork: row.fork_of_id !== null,
      template: row.is_template === 1,
      mirror: row.is_mirror === 1,
      size: Math.floor((row.git_size + row.lfs_size) / 1024),
      language: row.language,
      languages_url: `${url}/languages`,
      html_url: htmlUrl,
      url,
      link: "",
      ssh_url: `${ssh}${fullName}.git`,
      clone_url: `${htmlUrl}.git`,
      original_url: row.original_url,
      website: row.website,
      stars_count: row.stars_count,
      forks_count: row.forks_count,
      watchers_count: row.watchers_count,
      branch_count: row.branches_count,
      open_issues_count: row.open_issues_count,
      open_pr_counter: row.open_pulls_count,
      release_counter: row.releases_count,
      default_branch: row.default_branch,
      archived: row.is_archived === 1,
      created_at: rfc3339(row.created_at),
      updated_at: rfc3339(row.updated_at),
      archived_at: rfc3339(row.archived_at),
      permissions,
      has_code: row.has_code === 1,
      has_issues: row.has_issues === 1,
      has_wiki: row.has_wiki === 1,
      has_pull_requests: hasPulls,
      has_projects: row.has_projects === 1,
      // Clients expect all if projects are switched off.
      projects_mode: row.has_projects === 1 ? row.projects_mode : "all",
      has_releases: row.has_releases === 1,
      has_packages: row.has_packages === 1,
      has_actions: row.has_actions === 1,
      ...(row.shares_workflows === 1 && { shares_workflows: true }),
      ignore_whitespace_conflicts: hasPulls && row.ignore_whitespace_conflicts === 1,
      allow_merge_commits: hasPulls && row.allow_merge_commits === 1,
      allow_rebase: hasPulls && row.allow_rebase === 1,
      allow_rebase_explicit: hasPulls && row.allow_rebase_explicit === 1,
      allow_squash_merge: hasPulls && row.allow_squash_merge === 1,
      allow_fast_forward_only_merge: hasPulls && row.allow_fast_forward_only_merge === 1,
      allow_merge_update: hasPulls && row.allow_merge_update === 1,
      allow_rebase_update: hasPulls && row.allow_rebase_update === 1,
      // Clients expect true if pull requests are switched off.
      allow_manual_merge: !hasPulls || row.allow_manual_merge === 1,
      autodetect_manual_merge: hasPulls && row.autodetect_manual_merge === 1,
      default_delete_branch_after_merge: hasPulls && row.default_delete_branch_after_merge === 1,
      default_merge_style: hasPulls ? row.default_merge_style : "merge",
      default_update_style: hasPulls ? row.default_update_style : "merge",
      default_allow_maintainer_edit: hasPulls && row.default_allow_maintainer_edit === 1,
      avatar_url: row.avatar === "" ? "" : `${rootUrl}/avatars/${row.avatar}`,
      internal: row.is_private === 0 && owner.visibility === "private",
      mirror_interval: mirror ? formatDuration(mirror.interval) : "",
      object_format_name: row.object_format,
      mirror_updated: mirror && mirror.updated_at !== 0 ? rfc3339(mirror.updated_at) : NEVER,
      mirror_last_sync_at: mirror && mirror.last_sync_at !== 0 ? rfc3339(mirror.last_sync_at) : NEVER,
      topics: parseStrings(row.topics),
      licenses: parseStrings(row.licenses),
    }
    if (row.has_issues === 1) {
      if (row.external_tracker_url === "")
        record.internal_tracker = {
          enable_time_tracker: row.enable_time_tracker === 1,
          allow_only_contributors_to_track_time: row.allow_only_contributors_to_track_time === 1,
          enable_issue_dependencies: row.enable_issue_dependencies === 1,
        }
      else
        record.external_tracker = {
          external_tracker_url: row.external_tracker_url,
          external_tracker_format: row.external_tracker_format,
          external_tracker_style: row.external_tracker_style,
          external_tracker_regexp_pattern: row.external_tracker_regexp_pattern,
        }
    }
    if (row.has_wiki === 1 && row.external_wiki_url !== "") record.external_wiki = { external_wiki_url: row.external_wiki_url }
    return record
  }

  return (item: Owned, permission: Permission, mirror: Mirror | undefined): RepositoryRecord => {
    const { repository: row, owner } = item
    const knowsAddress = permission.mode > Mode.none
    const permissions = presentPermission(permission, row)
    if (mirror) return recordOf(item, knowsAddress, permissions, mirror)
    const last = made.get(row)
    if (last?.owner === owner && last.ssh === ssh && last.knowsAddress === knowsAddress && isSame(last.permissions, permissions))
      return last.record
    const record = recordOf(item, knowsAddress, permissions)
    made.set(row, { owner, ssh, knowsAddress, permissions, record })
    return record
  }
}

const isSame = (one: PermissionRecord, other: PermissionRecord): boolean =>
  one.admin === other.admin && one.push === other.push && one.pull === other.pull

/** Parses a column with a JSON list of texts; most lists are empty. */
export function parseStrings(column: string): string[] {
  if (column === "[]") return NO_TEXTS
  const read: unknown = JSON.parse(column)
  return Array.isArray(read) ? read.map(String) : NO_TEXTS
}

type Mirror = Selectable<MirrorsTable>

async function mirrorsOf(db: Handle, owned: readonly Owned[]): Promise<ReadonlyMap<number, Mirror>> {
  const ids = owned.filter(({ repository }) => repository.is_mirror === 1).map(({ repository }) => repository.id)
  if (ids.length === 0) return NO_MIRRORS
  return new Map((await findMirrors(db, { repositoryIds: ids })).map((mirror) => [mirror.repository_id, mirror]))
}

const NO_MIRRORS: ReadonlyMap<number, Mirror> = new Map()
const NO_PARENTS: ReadonlyMap<number, Owned> = new Map()
const NO_TRANSFERS: ReadonlyMap<number, RepoTransfer> = new Map()

/**
 * The parents of the forks among them, by the fork's id, as far as the caller may see them now: who owns a fork has seen its parent as it was then, and it
 * may have become private.
 */
async function parentsOf(db: Handle, actor: Actor, owned: readonly Owned[]): Promise<ReadonlyMap<number, Owned>> {
  const ids = new Set<number>()
  for (const { repository } of owned) if (repository.fork_of_id !== null) ids.add(repository.fork_of_id)
  if (ids.size === 0) return NO_PARENTS
  const parents = new Map(
    (await withOwners(db, await findRepositoriesByIds(db, { ids: [...ids] }))).map((parent) => [parent.repository.id, parent]),
  )
  const reached = await permissionsOn(db, actor, [...parents.values()])
  const shown = new Map<number, Owned>()
  for (const { repository } of owned) {
    const parent = repository.fork_of_id === null ? undefined : parents.get(repository.fork_of_id)
    if (parent && reaches(reached.get(parent.repository.id) ?? NOTHING)) shown.set(repository.id, parent)
  }
  return shown
}

type Transfer = Selectable<RepositoryTransfersTable>

/** Pending transfers by repository: shown to administrators of the repository, and to callers who may see the recipient. */
async function transfersOf(
  db: Handle,
  site: Site,
  actor: Actor,
  owned: readonly Owned[],
  permissions: ReadonlyMap<number, Permission>,
): Promise<ReadonlyMap<number, RepoTransfer>> {
  const waiting = await findTransfers(db, { repositoryIds: owned.map(({ repository }) => repository.id) })
  if (waiting.length === 0) return NO_TRANSFERS
  const users = await usersById(
    db,
    waiting.flatMap(({ doer_id, recipient_id }) => [doer_id, recipient_id]),
  )
  const memberOf = await memberships(db, actor, waiting, users)
  const mayKnow = (transfer: Transfer, recipient: User): boolean =>
    (permissions.get(transfer.repository_id)?.mode ?? Mode.none) >= Mode.admin ||
    (recipient.kind === "person" ? personVisible(actor, recipient) : organizationVisible(actor, recipient, memberOf.has(recipient.id)))
  const shown = waiting.flatMap((transfer) => {
    const doer = users.get(transfer.doer_id)
    const recipient = users.get(transfer.recipient_id)
    return doer && recipient && mayKnow(transfer, recipient) ? [{ transfer, doer, recipient, teamIds: transferTeamIds(transfer) }] : []
  })
  const ids = shown.flatMap(({ teamIds }) => teamIds)
  const teams = new Map(
    ids.length === 0
      ? []
      : (await presentTeams(db, site, await findTeamsByIds(db, { ids }), { withOrganization: false })).map((team) => [team.id, team]),
  )
  return new Map(
    shown.map(({ transfer, doer, recipient, teamIds }) => [
      transfer.repository_id,
      {
        doer: presentUserPlainly(site, doer, false),
        recipient: presentUserPlainly(site, recipient, false),
        teams: teamIds.flatMap((id) => teams.get(id) ?? []),
      },
    ]),
  )
}

/** The recipient organisations that the caller is a member of; queried only if one isn't public. */
async function memberships(
  db: Handle,
  actor: Actor,
  transfers: readonly Transfer[],
  users: ReadonlyMap<number, User>,
): Promise<ReadonlySet<number>> {
  if (actor.kind === "anonymous") return new Set()
  const hidden = transfers.map((transfer) => transfer.recipient_id).filter((id) => users.get(id)?.visibility !== "public")
  if (hidden.length === 0) return new Set()
  const rows = await findMemberOrganizations(db, { userId: actor.user.id, subjectIds: hidden })
  return new Set(rows.map(({ id }) => id))
}
