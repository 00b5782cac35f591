import type { Owned } from "../../../access/permission.ts"
import { findRepositoryById, findRepositoryByName } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, type Git, type Repository as GitRepository, tagOf } from "../../../git/index.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { copyLanguages } from "../languages/store.ts"
import { copyObjects } from "../lfs/store.ts"
import { readTips } from "../pushes/branches.ts"
import { recountForks } from "../repositories/counters-store.ts"
import { indexKind } from "../repositories/index-job.ts"
import { requireRepositoryName } from "../repositories/names.ts"
import { hasOtherFork } from "../repositories/store.ts"
import { readAllTags } from "../tags/facts.ts"
import { findAllTags } from "../tags/store.ts"
import { establish, repositoryLimit } from "./establish.ts"
import { forksArePrivate } from "./visibility.ts"

export interface ForkOptions {
  readonly doer: User
  /** The caller must check that the doer may create repositories for it. */
  readonly owner: User
  readonly name: string
}

/**
 * Creates a fork with all branches and tags, the units code and pull requests, and no wider visibility than the base.
 * Refuses `invalid` for an invalid name, `forbidden` if the base's owner has blocked the doer, and `conflict` if the owner has a fork of
 * it, a repository of that name, or reached the limit.
 */
export async function forkRepository(services: Services, base: Owned, { doer, owner, name }: ForkOptions): Promise<Owned> {
  const { git, database, config } = services
  const { repository } = base
  requireRepositoryName(name)
  await requireUnblocked(database.read, doer, [base.owner])
  await requireForkable(database.read, services, base, { doer, owner, name })
  const from = git.at(repository.storage, repository.object_format)
  return establish(
    services,
    (storage) => git.repositories.fork(from, storage, (ref) => branchOf(ref) !== undefined || tagOf(ref) !== undefined),
    async (made) => ({
      doer,
      owner,
      name,
      tips: await tipsOf(git, made),
      tags: await readAllTags(git, made, await findAllTags(database.read, { repositoryId: repository.id })),
      row: {
        description: repository.description,
        default_branch: repository.default_branch,
        object_format: repository.object_format,
        trust_model: repository.trust_model,
        language: repository.language,
        licenses: repository.licenses,
        is_private: flag(config.repository.forcePrivate || forksArePrivate(base)),
        is_empty: repository.is_empty,
        fork_of_id: repository.id,
        has_issues: 0,
        has_wiki: 0,
        has_projects: 0,
        has_releases: 0,
        has_packages: 0,
        has_actions: 0,
      },
      alongside: async (tx, id) => {
        // The lock taken before prevents a concurrent fork for the same owner.
        if (await hasOtherFork(tx, repository.id, owner, id)) throw refuse.conflict(t`${owner.name} has a fork of this repository already`)
        await recountForks(tx, [repository.id])
        const fork = await findRepositoryById.first(tx, { id })
        if (fork) publish(tx, { kind: "repository.forked", ...base, fork: { repository: fork, owner }, actor: doer, at: services.now() })
        await copyLanguages(tx, { from: repository.id, to: id })
        if (repository.is_empty === 0) await services.jobs.enqueue(tx, indexKind, { repositoryId: id })
        await copyObjects(tx, { from: repository.id, to: id, now: services.now() })
      },
    }),
  )
}

async function requireForkable(db: Handle, services: Services, { repository }: Owned, { doer, owner, name }: ForkOptions): Promise<void> {
  const limit = repositoryLimit(services, owner)
  if (limit !== undefined && owner.repositories_count >= limit && doer.is_admin === 0)
    throw refuse.conflict(t`${owner.name} may own at most ${limit} repositories`)
  if (await hasOtherFork(db, repository.id, owner, 0)) throw refuse.conflict(t`${owner.name} has a fork of this repository already`)
  if (await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name.toLowerCase() }))
    throw refuse.conflict("The repository with the same name already exists.")
}

/** The branches of a new repository, with their commits. */
async function tipsOf(git: Git, repository: GitRepository) {
  const names = (await git.references.list(repository, "refs/heads/")).flatMap(({ name }) => branchOf(name) ?? [])
  return (await readTips(git, repository, names)).flatMap(({ name, commit }) => (commit ? [{ name, commit }] : []))
}
