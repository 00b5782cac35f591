import { type Params, query } from "../../../core/database/query.ts"
import { defineJob, type Task } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import type { PushStep } from "../pushes/step.ts"

/** Repacks repositories, so that serving them stays cheap. */

/** Another push often follows at once, and one repack then covers both. */
const AFTER_PUSH_SECONDS = 30
/** Repositories read per query. */
const BATCH = 200

const findPlace = query("maintenance.findPlace", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").select(["storage", "object_format"]).where("id", "=", p.id),
)

const findPlaces = query("maintenance.findPlaces", (db, p: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select(["repositories.id", "repositories.storage", "repositories.object_format", "repositories.name", "users.name as owner_name"])
    .where("repositories.id", ">", p.after)
    .where("repositories.is_empty", "=", 0)
    .orderBy("repositories.id")
    .limit(p.limit),
)

const putSize = query("maintenance.putSize", (db, p: Params<{ id: number; size: number }>) =>
  db.updateTable("repositories").set({ git_size: p.size }).where("id", "=", p.id),
)

/** Repacks a repository, if it still needs it when the job runs. */
export const maintainJob = defineJob({
  kind: "repository.maintain",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 4 * 3_600,
  run: async ({ repositoryId }, { context, signal }) => {
    await maintainRepository(context, repositoryId, signal)
  },
})

async function maintainRepository({ database, git }: Services, id: number, signal: AbortSignal): Promise<boolean> {
  const place = await findPlace.first(database.read, { id })
  if (!place) return false
  const repository = git.at(place.storage, place.object_format)
  if (!(await git.maintenance.needed(repository))) return false
  await git.maintenance.run(repository, signal)
  const size = await git.repositories.size(repository)
  await database.write((tx) => putSize(tx, { id, size }))
  return true
}

/** Schedules a repack if a push leaves the repository expensive to serve. */
export const maintainAfterPush: PushStep = async ({ services: { git, jobs }, repository }) => {
  const needed = await git.maintenance.needed(repository)
  return async (tx, { repository: { id }, now }) => {
    if (needed) await enqueueOnce(tx, jobs, maintainJob, { repositoryId: id }, { runAt: now + AFTER_PUSH_SECONDS })
  }
}

/** Iterates over all non-empty repositories in the order of their ids. */
async function* allRepositories({ database }: Services, signal: AbortSignal) {
  for (let after = 0; !signal.aborted; ) {
    const places = await findPlaces(database.read, { after, limit: BATCH })
    yield* places
    const last = places.at(-1)
    if (!last || places.length < BATCH) return
    after = last.id
  }
}

/** Repacks repositories that have become fragmented by many small pushes. */
export const maintainRepositories: Task = {
  name: "git_gc_repos",
  cron: "23 2 * * *",
  run: async (services, signal) => {
    let packed = 0
    for await (const { id } of allRepositories(services, signal)) {
      if (signal.aborted) break
      if (await maintainRepository(services, id, signal)) packed++
    }
    return `${packed} packed anew`
  },
}

/** Checks that all objects reachable from references exist, and logs repositories that are damaged. */
export const checkRepositories: Task = {
  name: "repo_health_check",
  cron: "41 1 * * 0",
  run: async (services, signal) => {
    let looked = 0
    const damaged: string[] = []
    for await (const place of allRepositories(services, signal)) {
      if (signal.aborted) break
      const name = `${place.owner_name}/${place.name}`
      const faults = await services.git.maintenance.check(services.git.at(place.storage, place.object_format), signal)
      looked++
      if (faults.length === 0) continue
      damaged.push(name)
      services.log.error(
        { repository: place.id, name, faults: faults.slice(0, 5) },
        "a repository is damaged; bring its folder back from a backup",
      )
    }
    return damaged.length === 0 ? `${looked} whole` : `${looked} looked at, damaged: ${damaged.join(", ")}`
  },
}
