import { randomBytes } from "node:crypto"
import type { Insertable } from "kysely"
import type { Owned } from "../../../access/permission.ts"
import { findRepositoryByName } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { RepositoriesTable } from "../../../core/database/tables/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit, Repository as GitRepository } from "../../../git/model/model.ts"
import { attachNewRepository } from "../../people/teams/rules.ts"
import { addCreator } from "../collaborators/rules.ts"
import { writeBranches } from "../pushes/branches.ts"
import { recountOwned } from "../repositories/counters-store.ts"
import type { LabelTemplate } from "../repositories/records.ts"
import { findByStorage, findRepositoriesByIds, insertRepository, isNameTaken } from "../repositories/store.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import type { NamedTag } from "../tags/facts.ts"
import { putTags } from "../tags/store.ts"
import { watchAutomatically } from "../watches/automatic-store.ts"
import { dropRedirect } from "./store.ts"

/** What all new repositories have in common, whether created empty, from a template, as a fork or by a push. */

type Row = Insertable<RepositoriesTable>

/** The default values: everything switched on, every merge style allowed. */
const DEFAULTS = {
  description: "",
  website: "",
  default_branch: "",
  object_format: "sha1",
  trust_model: "default",
  original_url: "",
  avatar: "",
  is_private: 0,
  is_template: 0,
  is_mirror: 0,
  is_empty: 1,
  is_archived: 0,
  archived_at: 0,
  fork_of_id: null,
  template_id: null,
  git_size: 0,
  lfs_size: 0,
  language: "",
  licenses: "[]",
  topics: "[]",
  has_code: 1,
  has_issues: 1,
  has_pull_requests: 1,
  has_releases: 1,
  has_wiki: 1,
  has_projects: 1,
  has_packages: 1,
  has_actions: 1,
  projects_mode: "all",
  enable_time_tracker: 1,
  allow_only_contributors_to_track_time: 1,
  enable_issue_dependencies: 1,
  external_tracker_url: "",
  external_tracker_format: "",
  external_tracker_style: "",
  external_tracker_regexp_pattern: "",
  external_wiki_url: "",
  ignore_whitespace_conflicts: 0,
  allow_merge_commits: 1,
  allow_rebase: 1,
  allow_rebase_explicit: 1,
  allow_squash_merge: 1,
  allow_fast_forward_only_merge: 1,
  allow_manual_merge: 0,
  autodetect_manual_merge: 0,
  allow_merge_update: 1,
  allow_rebase_update: 1,
  default_delete_branch_after_merge: 0,
  default_allow_maintainer_edit: 1,
  default_merge_style: "merge",
  default_update_style: "merge",
  stars_count: 0,
  watchers_count: 0,
  forks_count: 0,
  branches_count: 0,
  open_issues_count: 0,
  open_pulls_count: 0,
  releases_count: 0,
} as const satisfies Partial<Row>

/** A repository to create: its creator, its owner, and values that differ from the defaults. */
export interface NewRepository {
  readonly doer: User
  readonly owner: User
  readonly name: string
  readonly row: Partial<Omit<Row, "id" | "owner_id" | "name" | "lower_name" | "storage" | "git_size">>
  /** The initial branches. */
  readonly tips?: readonly { readonly name: string; readonly commit: Commit }[]
  /** The initial tags. */
  readonly tags?: readonly NamedTag[]
  readonly labels?: readonly LabelTemplate[]
  /** The repository whose labels are copied. */
  readonly labelsFrom?: number | undefined
  /** Whether it is an import, which isn't published to the feed. */
  readonly isImported?: boolean
  /** The repository whose webhooks are copied. */
  readonly webhooksFrom?: number
  /** Additional writes in the same transaction. */
  readonly alongside?: (tx: Transaction, repositoryId: number) => Promise<void>
}

/** A new unique storage path, in one of 256 folders. */
export function newStorageKey(): string {
  const key = randomBytes(16).toString("hex")
  return `${key.slice(0, 2)}/${key}`
}

/**
 * Checks early, before any file is created: refuses `forbidden` if the owner has reached the repository limit,
 * `conflict` if the name is taken.
 */
export async function requireCreatable(
  db: Handle,
  services: Services,
  { doer, owner, name }: Pick<NewRepository, "doer" | "owner" | "name">,
): Promise<void> {
  requireBelowLimit(services, doer, owner, owner.repositories_count + 1)
  if (await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name.toLowerCase() })) throw taken()
}

const taken = () => refuse.conflict("The repository with the same name already exists.")

/** How many repositories an owner may have; undefined if there is no limit. */
export function repositoryLimit({ config }: Services, owner: User): number | undefined {
  const limit = owner.max_repositories < 0 ? config.repository.maxPerUser : owner.max_repositories
  return limit < 0 ? undefined : limit
}

/** Refuses `forbidden` if `count` repositories exceed the owner's limit. Site administrators may exceed every limit. */
export function requireBelowLimit(services: Services, doer: User, owner: User, count: number): void {
  const limit = repositoryLimit(services, owner)
  if (limit === undefined || count <= limit || doer.is_admin === 1) return
  throw refuse.forbidden(
    limit === 1 ? t`${owner.name} may own at most 1 repository` : t`${owner.name} may own at most ${limit} repositories`,
  )
}

/**
 * Creates the git repository with `make`, then the rows in one transaction, with everything that follows from them. On failure nothing is left behind.
 * Refuses like `requireCreatable`, which is checked again inside the transaction.
 */
export async function establish(
  services: Services,
  make: (storage: string) => Promise<GitRepository>,
  describe: (made: GitRepository) => Promise<NewRepository> | NewRepository,
): Promise<Owned> {
  const storage = newStorageKey()
  const made = await make(storage)
  try {
    const creation = await describe(made)
    const gitSize = creation.row.is_empty === 0 ? await services.git.repositories.size(made) : 0
    return await services.database.write((tx) => insert(tx, services, creation, { storage, git_size: gitSize }))
  } catch (error) {
    // The transaction may have committed although its answer was lost: the files are kept if there is a row.
    if (!(await findByStorage.first(services.database.read, { storages: [storage] }))) {
      await services.git.repositories.remove(made)
      await services.git.repositories.remove(wikiAt(services.git, { storage, object_format: made.format }))
    }
    throw error
  }
}

async function insert(
  tx: Transaction,
  services: Services,
  creation: NewRepository,
  stored: Pick<Row, "storage" | "git_size">,
): Promise<Owned> {
  const { doer, owner, name, tips = [], tags = [], isImported = false, labels, labelsFrom, webhooksFrom, alongside } = creation
  const { now: clock, config } = services
  const now = clock()
  const lowerName = name.toLowerCase()
  await dropRedirect(tx, owner.id, lowerName)
  const own = { owner_id: owner.id, name, lower_name: lowerName }
  const id = await insertRow(tx, { ...DEFAULTS, created_at: now, updated_at: now, ...creation.row, ...stored, ...own })
  const count = (await recountOwned(tx, [owner.id])).get(owner.id) ?? 0
  requireBelowLimit(services, doer, owner, count)
  if (owner.kind === "organization" && !(await attachNewRepository(tx, owner, id, doer))) await addCreator(tx, id, doer, now)
  if (config.users.autoWatchNewRepositories) await watchAutomatically(tx, doer.id, id, now)
  if (tips.length > 0) await writeBranches(tx, { repositoryId: id, tips, pusherId: doer.id, now })
  await putTags(tx, id, tags)
  await alongside?.(tx, id)
  // Teams that have got access watch it now: the row counts them.
  await services.events.deliver(tx)
  const [repository] = await findRepositoriesByIds(tx, { ids: [id] })
  if (!repository) throw new Error("the repository was inserted above")
  publish(tx, { kind: "repository.created", repository, owner, actor: doer, isImported, labels, labelsFrom, webhooksFrom, at: now })
  return { repository, owner: { ...owner, repositories_count: count } }
}

async function insertRow(tx: Transaction, row: Row): Promise<number> {
  try {
    return await insertRepository(tx, row)
  } catch (error) {
    throw isNameTaken(error) ? taken() : error
  }
}
