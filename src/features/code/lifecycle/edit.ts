import type { Owned, Repository } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { findBranch } from "../branches/store.ts"
import { surveyJob } from "../languages/survey.ts"
import { editMirror } from "../mirrors/pull-rules.ts"
import { alignHead, alignHeadJob } from "../pushes/head.ts"
import { requireBranchName } from "../repositories/names.ts"
import type { EditRepoOption } from "../repositories/records.ts"
import { setAvatar, updateRepository } from "../repositories/store.ts"
import { renameRepository } from "./rename.ts"
import { archiveChanges, type Changes, issueChanges, plainChanges, projectChanges, pullChanges, wikiChanges } from "./settings.ts"
import { changeVisibility, requireVisibilityChange } from "./visibility.ts"

/**
 * Changes the members that are sent, all of them or none. Refuses `invalid` for an invalid member; `notFound` for a repository that was deleted
 * meanwhile.
 */
export async function editRepository(services: Services, doer: User, repositoryId: number, options: EditRepoOption): Promise<Owned> {
  const { edited, headMoves } = await services.database.write((tx) => edit(tx, services, doer, repositoryId, options))
  if (headMoves)
    await alignHead(services, repositoryId).catch((error: unknown) =>
      services.log.warn({ err: error, repositoryId }, "git's HEAD is left to the job"),
    )
  return edited
}

async function edit(tx: Transaction, services: Services, doer: User, id: number, options: EditRepoOption) {
  const now = services.now()
  await lockRow(tx, "repositories", id)
  const before = await find(tx, id)
  const { repository } = before
  const changes = differencesFrom(repository, {
    ...plainChanges(options),
    ...(await branchChange(tx, repository, options)),
    ...issueChanges(repository, options),
    ...wikiChanges(repository, options),
    ...projectChanges(options),
    ...pullChanges(repository, options),
    ...archiveChanges(repository, options, now),
  })
  const isPrivate = options.private !== undefined && options.private !== (repository.is_private === 1) ? options.private : undefined
  const name = options.name !== undefined && options.name !== repository.name ? options.name : undefined

  if (isPrivate !== undefined) await requireVisibilityChange(tx, services, doer, before, isPrivate)
  const tells = name !== undefined && (await renameRepository(tx, before, name))
  if (isPrivate !== undefined) await changeVisibility(tx, before, { isPrivate, actor: doer, now })
  const touched = name !== undefined || isPrivate !== undefined || Object.keys(changes).length > 0
  if (touched) await updateRepository(tx, id, { ...changes, updated_at: now })
  const mirrors = await editMirror(tx, services, id, options, now)
  const headMoves = changes.default_branch !== undefined
  if (headMoves) await services.jobs.enqueue(tx, alignHeadJob, { repositoryId: id })
  if (headMoves) await services.jobs.enqueue(tx, surveyJob, { repositoryId: id })

  const edited = await find(tx, id)
  if (tells) publish(tx, { kind: "repository.renamed", ...edited, actor: doer, from: repository.name, at: now })
  const { is_archived, archived_at, ...others } = changes
  if (is_archived !== undefined)
    publish(tx, { kind: is_archived === 1 ? "repository.archived" : "repository.unarchived", repository, actor: doer, at: now })
  const changed = [...Object.keys(others), ...(mirrors ? ["mirror"] : [])]
  if (changed.length > 0) publish(tx, { kind: "repository.edited", repository, actor: doer, changed, at: now })
  return { edited, headMoves }
}

async function find(tx: Transaction, id: number): Promise<Owned> {
  const repository = await findRepositoryById.first(tx, { id })
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  if (!repository || !owner) throw refuse.notFound()
  return { repository, owner }
}

/** Another default branch, which must exist unless the repository is empty. */
async function branchChange(tx: Transaction, repository: Repository, { default_branch: wanted = "" }: EditRepoOption): Promise<Changes> {
  if (wanted === "" || wanted === repository.default_branch) return {}
  requireBranchName(wanted, "default_branch")
  const there = repository.is_empty === 1 || (await findBranch.first(tx, { repositoryId: repository.id, name: wanted }))
  if (!there) throw refuse.invalid("default_branch", t`there is no branch ${wanted}`)
  return { default_branch: wanted }
}

/** Gives a repository another picture, "" for none. */
export async function changeAvatar({ database, now }: Services, repository: Repository, actor: User, avatar: string): Promise<void> {
  await database.write(async (tx) => {
    const changed = await setAvatar(tx, repository.id, avatar, now())
    if (changed) publish(tx, { kind: "repository.edited", repository, actor, changed: ["avatar"] })
  })
}
