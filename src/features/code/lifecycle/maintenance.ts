import type { Repository } from "../../../access/permission.ts"
import { heldUntil } from "../../../core/backup/hold.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rowsById } from "../../../core/database/rows-by-id.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import { defineJob, type Task } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import type { Services } from "../../../core/services.ts"
import type { Git, Repository as GitRepository } from "../../../git/index.ts"
import type { PushStep } from "../pushes/step.ts"
import { findTargets } from "../releases/store.ts"
import { AFTER_PUSH_SECONDS, maintainKind } from "../repositories/maintain-job.ts"
import { findPlace, findPlaces, findWikiPlaces, putSize } from "../repositories/maintenance-store.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { putWikiSize } from "../wiki/store.ts"

/** Repacks repositories and wikis, so that serving them stays cheap. */

/** The ids of commits that something in the database shows, among other texts perhaps. They stay even when no branch or tag reaches them. */
export type CommitsToKeep = (db: Handle, repositoryId: number) => Promise<readonly string[]>

/** What names commits; registered in src/extensions.ts. */
export const commitsToKeep = extensionPoint<CommitsToKeep>("commits to keep")

/** The commits that releases are to be made at. */
export const commitsOfReleases: CommitsToKeep = async (db, repositoryId) =>
  (await findTargets(db, { repositoryId })).map(({ target_commitish }) => target_commitish)

/** Packs the references of a repository, and repacks it, if it still needs that when the job runs. */
export const maintainJob = defineJob({
  ...maintainKind,
  timeoutSeconds: 4 * 3_600,
  run: async ({ repositoryId, part }, { context, signal }) => {
    const target = await findPlace.first(context.database.read, { id: repositoryId })
    if (target) await maintainRepository(context, { ...target, id: repositoryId, isWiki: part === "wiki" }, signal)
  },
})

interface MaintenanceTarget extends Pick<Repository, "id" | "storage" | "object_format"> {
  readonly isWiki: boolean
}

const repositoryAt = (git: Git, target: MaintenanceTarget): GitRepository =>
  target.isWiki ? wikiAt(git, target) : git.at(target.storage, target.object_format)

async function maintainRepository(services: Services, target: MaintenanceTarget, signal: AbortSignal): Promise<boolean> {
  const { git } = services
  const repository = repositoryAt(git, target)
  await git.maintenance.packReferences(repository, signal)
  if (!(await git.maintenance.needed(repository))) return false
  await repack(services, target, signal)
  return true
}

/** The commits that rows name, for which they must stay. */
export async function commitsNamedBy(
  services: Pick<Services, "database" | "extensions">,
  repositoryId: number,
): Promise<readonly string[]> {
  const named: string[] = []
  for (const find of commitsToKeep.of(services)) named.push(...(await find(services.database.read, repositoryId)))
  return named
}

/** Repacks a repository, and drops what was left behind long enough ago. */
async function repack(services: Services, target: MaintenanceTarget, signal: AbortSignal): Promise<void> {
  const { config, database, git } = services
  const { id, isWiki } = target
  const repository = repositoryAt(git, target)
  // Nothing in the database names commits of wikis.
  const keep = isWiki ? [] : await commitsNamedBy(services, id)
  const now = services.now()
  // A backup may need what was left behind since its moment.
  const isHeld = (await heldUntil(database.read, now)) > 0
  await git.maintenance.run(repository, { now, before: isHeld ? 0 : now - config.git.pruneSeconds, keep, signal })
  const size = await git.repositories.size(repository)
  await database.write((tx) => (isWiki ? putWikiSize : putSize)(tx, { id, size }))
}

/** Schedules that if a push leaves the repository expensive to serve. */
export const maintainAfterPush: PushStep = async ({ services: { git, jobs }, repository }) => {
  const needed = await git.maintenance.needed(repository)
  return async (tx, { repository: { id }, now }) => {
    if (needed) await enqueueOnce(tx, jobs, maintainJob, { repositoryId: id }, { runAt: now + AFTER_PUSH_SECONDS })
  }
}

/** Iterates over all non-empty repositories in the order of their ids, and then over all wikis. */
async function* allRepositories({ database }: Services, signal: AbortSignal) {
  for (const isWiki of [false, true]) {
    for await (const target of rowsById((range) => (isWiki ? findWikiPlaces : findPlaces)(database.read, range))) {
      if (signal.aborted) return
      yield { ...target, isWiki, name: `${target.owner_name}/${target.name}${isWiki ? ".wiki" : ""}` }
    }
  }
}

/** Repacks repositories that have become fragmented by many small pushes. */
export const maintainRepositories: Task = {
  name: "git_gc_repos",
  cron: "23 2 * * *",
  run: async (services, signal) => {
    let packed = 0
    for await (const target of allRepositories(services, signal)) {
      if (signal.aborted) break
      if (await maintainRepository(services, target, signal)) packed++
    }
    return `${packed} packed anew`
  },
}

/** Puts aside what force-pushes and deleted branches left behind, and drops it once `git.pruneSeconds` are over. */
export const pruneRepositories: Task = {
  name: "prune_left_behind",
  cron: "37 3 * * *",
  run: async (services, signal) => {
    const { config, database, git } = services
    if ((await heldUntil(database.read, services.now())) > 0) return "put off: a backup is being made"
    let pruned = 0
    for await (const target of allRepositories(services, signal)) {
      if (signal.aborted) break
      const repository = repositoryAt(git, target)
      try {
        if (!(await git.maintenance.hasLeftBehind(repository, services.now() - config.git.pruneSeconds))) continue
        await repack(services, target, signal)
        pruned++
      } catch (error) {
        // One that is damaged, or is being removed, must not keep the others from it.
        if (!signal.aborted) services.log.warn({ err: error, repository: target.id }, "a repository could not be pruned")
      }
    }
    return `${pruned} packed anew`
  },
}

/** Checks that all objects reachable from references exist, and logs repositories that are damaged. */
export const checkRepositories: Task = {
  name: "repo_health_check",
  cron: "41 1 * * 0",
  run: async (services, signal) => {
    let looked = 0
    const damaged: string[] = []
    for await (const target of allRepositories(services, signal)) {
      if (signal.aborted) break
      const { name } = target
      const faults = await services.git.maintenance.check(repositoryAt(services.git, target), { signal })
      looked++
      if (faults.length === 0) continue
      damaged.push(name)
      services.log.error(
        { repository: target.id, name, faults: faults.slice(0, 5) },
        "a repository is damaged; bring its folder back from a backup",
      )
    }
    return damaged.length === 0 ? `${looked} whole` : `${looked} looked at, damaged: ${damaged.join(", ")}`
  },
}
