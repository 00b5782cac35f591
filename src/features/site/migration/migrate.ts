import { setTimeout as pause } from "node:timers/promises"
import type { Owned } from "../../../access/permission.ts"
import { roleIn } from "../../../access/policies/organization-role.ts"
import { userVisible } from "../../../access/policies/people.ts"
import { findRepositoryById, findUserById, findUserByName } from "../../../access/store.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type RemoteListing } from "../../../git/index.ts"
import { deleteRepository } from "../../code/lifecycle/delete.ts"
import { establish, requireCreatable } from "../../code/lifecycle/establish.ts"
import { mirrorSecretContext, requireInterval } from "../../code/mirrors/pull-rules.ts"
import type { MigrateRepoOptions } from "../../code/mirrors/records.ts"
import { type RemoteAddress, RemoteRefused, reach, readRemote, troubleOf } from "../../code/mirrors/remote.ts"
import { nextSync } from "../../code/mirrors/schedule.ts"
import { insertMirror } from "../../code/mirrors/store.ts"
import { requireRepositoryName } from "../../code/repositories/names.ts"
import { importJob, importSecretContext } from "./import.ts"
import { findImport, insertImport, sealImport } from "./imports-store.ts"
import type { Kind } from "./model.ts"
import { servicesWithRecords } from "./origins/index.ts"
import { WIKI } from "./progress.ts"

/** How long the answer waits for the import. Proxies give up after a minute. */
const ANSWER_TIMEOUT_MS = 50_000
const POLL_MS = 100

/**
 * Imports a repository from another server, or creates a mirror of it. A job does the work, and continues where it stopped when the process
 * ends; the answer waits for it as long as proxies allow, and then describes the repository in its current state.
 * Refuses `invalid` for an invalid owner, name, address or credentials, `forbidden` where the site doesn't allow it or the caller may not create the
 * repository, `conflict` for a name that is taken. A refused import leaves nothing behind. Where the caller does not wait, an import that fails later
 * leaves the empty repository, which says why.
 */
export async function migrateRepository(
  services: Services,
  actor: SignedIn,
  options: MigrateRepoOptions,
  { waits }: { readonly waits: boolean },
): Promise<Owned> {
  const { config, database } = services
  const doer = actor.user
  if (!config.migrations.enabled) throw refuse.forbidden("the site does not allow migrations")
  if (options.mirror && !config.mirror.enabled) throw refuse.forbidden("the site does not allow new mirrors")
  const owner = await ownerOf(services, actor, options)
  const name = options.repo_name
  requireRepositoryName(name, "repo_name")
  const parts = selectParts(options)
  const target = readRemote(options.clone_addr, options.auth_username, options.auth_token || options.auth_password)
  if (!target) throw refuse.invalid("clone_addr", "must be an http or https address")
  const lfsEndpoint = await selectLfsEndpoint(services, options)
  const interval =
    options.mirror_interval === undefined || options.mirror_interval === ""
      ? config.mirror.defaultInterval
      : requireInterval(options.mirror_interval, config.mirror.minInterval)
  await requireCreatable(database.read, services, { doer, owner, name }).catch(asInvalidOwner)
  const listing = await listReferences(services, target)
  const { owned, importId } = await prepare(services, { doer, owner, name, target, listing, interval, parts, lfsEndpoint, options }).catch(
    asInvalidOwner,
  )
  return (waits ? await waitFor(services, importId, owned, doer) : undefined) ?? owned
}

/** Clients expect an owner who may own no more repositories to be an invalid owner here, unlike when a repository is created. */
function asInvalidOwner(error: unknown): never {
  throw error instanceof Refusal && error.kind === "forbidden" ? refuse.invalid("repo_owner", error.said) : error
}

/** The parts that only they provide. */
const RECORDS = ["issues", "labels", "milestones", "pull_requests", "releases"] as const

// The Go SDK sends an empty one where its caller names none.
const serviceOf = ({ service }: MigrateRepoOptions): string => service || "git"

/**
 * The parts to import besides git. Mirrors and plain git have none, but existing clients send these options all the same. Refuses `invalid` parts that only
 * another kind of server provides.
 */
function selectParts(options: MigrateRepoOptions): readonly Kind[] {
  const { mirror = false } = options
  const service = serviceOf(options)
  const selected = RECORDS.filter((part) => options[part] === true)
  const isSame = servicesWithRecords.includes(service)
  if (mirror || service === "git") return isSame ? ["topics"] : []
  if (!isSame && selected[0] !== undefined)
    throw refuse.invalid(
      selected[0],
      t`can be brought only from ${servicesWithRecords.join(" or ")}, not from ${service}; leave this out, or send false`,
    )
  if (!isSame) return []
  const has = (part: Kind) => selected.some((word) => word === part)
  return [
    "topics",
    ...selected,
    ...(has("issues") || has("pull_requests") ? ["comments" as const] : []),
    ...(has("pull_requests") ? ["reviews" as const] : []),
    ...(has("issues") ? ["boards" as const] : []),
    ...(has("pull_requests") ? ["branch_rules" as const] : []),
    ...(has("releases") ? ["release_files" as const] : []),
  ]
}

/** The source of large files, "" for where Git LFS looks for them; undefined where none are wanted. Refuses `invalid` an impossible source. */
async function selectLfsEndpoint(
  services: Services,
  { lfs = false, lfs_endpoint: given = "" }: MigrateRepoOptions,
): Promise<string | undefined> {
  if (!lfs) return undefined
  if (!services.config.lfs.enabled) throw refuse.invalid("lfs", "this site keeps no large files; leave this out, or send false")
  if (given === "") return ""
  const endpoint = readRemote(given)
  if (endpoint?.username !== "" || endpoint.secret !== "")
    throw refuse.invalid("lfs_endpoint", "must be an http or https address without credentials")
  await reach(services, endpoint).catch((error: unknown) => {
    throw error instanceof RemoteRefused ? refuse.invalid("lfs_endpoint", error.message) : error
  })
  return endpoint.url
}

/** The future owner. An owner that the caller may not see counts as unknown. */
async function ownerOf(
  { database: { read: db } }: Services,
  actor: SignedIn,
  { repo_owner: name, uid }: MigrateRepoOptions,
): Promise<User> {
  const me = actor.user
  if ((name === undefined || name === "") && (uid === undefined || uid === 0)) return me
  const field = name ? "repo_owner" : "uid"
  const found = name ? await findUserByName.first(db, { lowerName: name.toLowerCase() }) : await findUserById.first(db, { id: uid ?? 0 })
  if (!found || !(await userVisible(db, actor, found))) throw refuse.invalid(field, "there is no one of that name")
  const isOwner = found.kind === "organization" ? (await roleIn(db, actor, found)).isOwner : found.id === me.id || me.is_admin === 1
  if (!isOwner)
    throw refuse.forbidden(
      found.kind === "organization" ? "Given user is not owner of organization." : "Given user is not an organization.",
    )
  return found
}

/** The references of the other server, read before anything is created here. Refuses `invalid` with the server's message. */
async function listReferences(services: Services, target: RemoteAddress): Promise<RemoteListing> {
  try {
    return await services.git.remotes.list(await reach(services, target))
  } catch (error) {
    if (!(error instanceof RemoteRefused) && !isGitError(error, "remote") && !isGitError(error, "timeout")) throw error
    throw refuse.invalid("clone_addr", troubleOf(error))
  }
}

interface Preparation {
  readonly doer: User
  readonly owner: User
  readonly name: string
  readonly target: RemoteAddress
  readonly listing: RemoteListing
  readonly interval: number
  readonly parts: readonly Kind[]
  readonly lfsEndpoint: string | undefined
  readonly options: MigrateRepoOptions
}

/** Creates the empty repository with all rows, and the job that fills it, in one transaction. */
async function prepare(services: Services, { doer, owner, name, target, listing, interval, parts, lfsEndpoint, options }: Preparation) {
  const { config, git, jobs, now, secrets } = services
  const branch = config.repository.defaultBranch
  const format = listing.format ?? "sha1"
  const isMirror = options.mirror ?? false
  const seal = (context: string) => (target.secret === "" ? "" : secrets.seal(target.secret, context))
  const lfs = { lfs: flag(lfsEndpoint !== undefined), lfs_endpoint: lfsEndpoint ?? "" }
  const remote = { remote_url: target.url, remote_username: target.username, ...lfs }
  let importId = 0
  const owned = await establish(
    services,
    (storage) => git.repositories.create(storage, { format, branch }),
    () => ({
      doer,
      owner,
      name,
      isImported: true,
      row: {
        description: options.description ?? "",
        default_branch: branch,
        object_format: format,
        original_url: target.url,
        is_private: flag(config.repository.forcePrivate || (options.private ?? false)),
        is_mirror: flag(isMirror),
        ...(isMirror ? { has_pull_requests: 0, has_actions: 0 } : {}),
      },
      alongside: async (tx, repositoryId) => {
        if (isMirror)
          await insertMirror(tx, {
            repository_id: repositoryId,
            interval,
            enable_prune: 1,
            ...remote,
            wiki: flag(options.wiki ?? false),
            sealed_secret: seal(mirrorSecretContext(repositoryId)),
            updated_at: 0,
            last_sync_at: 0,
            next_sync_at: nextSync(now(), interval, 0),
          })
        const stored = await insertImport(tx, {
          repository_id: repositoryId,
          doer_id: doer.id,
          service: serviceOf(options),
          ...remote,
          sealed_secret: "",
          parts: JSON.stringify(options.wiki ? [WIKI, ...parts] : parts),
          phase: "git",
          cursor: "{}",
          created_at: now(),
          updated_at: now(),
        })
        importId = stored.id
        const sealed = seal(importSecretContext(importId))
        if (sealed !== "") await sealImport(tx, importId, sealed)
        await jobs.enqueue(tx, importJob, { importId })
      },
    }),
  )
  return { owned, importId }
}

/** The repository once the import is done, or undefined where that takes longer. Refuses `invalid` where it failed; nothing is left then. */
async function waitFor(services: Services, importId: number, { repository, owner }: Owned, doer: User): Promise<Owned | undefined> {
  const { database } = services
  for (const until = performance.now() + ANSWER_TIMEOUT_MS; performance.now() < until; await pause(POLL_MS)) {
    const row = await findImport.first(database.read, { id: importId })
    if (row?.phase === "git" || row?.phase === "records") continue
    const now = await findRepositoryById.first(database.read, { id: repository.id })
    if (row?.phase !== "failed") return now && { repository: now, owner }
    if (now) await database.write((tx) => deleteRepository(tx, services, now, doer))
    throw refuse.invalid("clone_addr", row.error)
  }
  return undefined
}
