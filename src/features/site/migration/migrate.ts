import { setTimeout as pause } from "node:timers/promises"
import type { Owned } from "../../../access/permission.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { RemoteListing } from "../../../git/index.ts"
import { deleteRepository } from "../../code/lifecycle/delete.ts"
import { requireCreatable } from "../../code/lifecycle/establish.ts"
import { mirrorSecretContext, requireInterval } from "../../code/mirrors/pull-rules.ts"
import type { MigrateRepoOptions } from "../../code/mirrors/records.ts"
import { type RemoteAddress, readRemote } from "../../code/mirrors/remote.ts"
import { nextSync } from "../../code/mirrors/schedule.ts"
import { insertMirror } from "../../code/mirrors/store.ts"
import { requireRepositoryName } from "../../code/repositories/names.ts"
import { createEmpty, listReferences } from "./create.ts"
import { importJob } from "./import-job.ts"
import { findImport, insertImport, sealImport } from "./imports-store.ts"
import { readPeople } from "./mapping.ts"
import { ownerOf, requireImports, selectLfsEndpoint, selectParts, serviceOf } from "./options.ts"
import type { Kind } from "./origins/model.ts"
import { WIKI } from "./progress.ts"
import { requireRoom } from "./queue.ts"
import { importSecretContext } from "./secret.ts"

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
  requireImports(services)
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
  const people = await readPeople(database.read, actor, options.people)
  await requireRoom(database.read, doer.id, 1)
  const listing = await listReferences(services, target)
  const preparation = { doer, owner, name, target, listing, interval, parts, lfsEndpoint, people, options }
  const { owned, importId } = await prepare(services, preparation).catch(asInvalidOwner)
  return (waits ? await waitFor(services, importId, owned, doer) : undefined) ?? owned
}

/** Clients expect an owner who may own no more repositories to be an invalid owner here, unlike when a repository is created. */
function asInvalidOwner(error: unknown): never {
  throw error instanceof Refusal && error.kind === "forbidden" ? refuse.invalid("repo_owner", error.said) : error
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
  readonly people: string
  readonly options: MigrateRepoOptions
}

/** Creates the empty repository with all rows, and the job that fills it, in one transaction. */
async function prepare(
  services: Services,
  { doer, owner, name, target, listing, interval, parts, lfsEndpoint, people, options }: Preparation,
) {
  const { jobs, now, secrets } = services
  const isMirror = options.mirror ?? false
  const seal = (context: string) => (target.secret === "" ? "" : secrets.seal(target.secret, context))
  const lfs = { lfs: flag(lfsEndpoint !== undefined), lfs_endpoint: lfsEndpoint ?? "" }
  const remote = { remote_url: target.url, remote_username: target.username, ...lfs }
  let importId = 0
  const wanted = {
    doer,
    owner,
    name,
    target,
    listing,
    description: options.description ?? "",
    isPrivate: options.private ?? false,
    isMirror,
  }
  const owned = await createEmpty(services, {
    ...wanted,
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
      const stored = await insertImport(
        tx,
        {
          repository_id: repositoryId,
          doer_id: doer.id,
          service: serviceOf(options),
          name,
          ...remote,
          parts: JSON.stringify(options.wiki ? [WIKI, ...parts] : parts),
          phase: "git",
          people,
        },
        now(),
      )
      importId = stored.id
      const sealed = seal(importSecretContext(importId))
      if (sealed !== "") await sealImport(tx, importId, sealed)
      await jobs.enqueue(tx, importJob, { importId })
    },
  })
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
