import { Mode } from "../../../access/modes.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import { int64 } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { requireMovable } from "../../../core/task-token.ts"
import { beginWork } from "../../../core/work.ts"
import { branchRef, isGitError, objectId } from "../../../git/index.ts"
import { findProtections, ruleFinder } from "../protections/rules.ts"
import { renameRule } from "../protections/store.ts"
import { readTips, type Tip, writeBranches } from "../pushes/branches.ts"
import { checkReferences } from "../pushes/checks.ts"
import { takeWholeEntry } from "../pushes/entries.ts"
import { alignHead, alignHeadJob } from "../pushes/head.ts"
import { requireBranchName } from "../repositories/names.ts"
import { updateRepository } from "../repositories/store.ts"
import { type Changing, gitRepository, requireNoConflict, tipOf } from "./rules.ts"
import { followRedirects, putRedirect, removeRedirect } from "./store.ts"

/*
 * The reference is renamed in git first, atomically, and all rows that name the branch are updated in one transaction. A job stored before that
 * updates them if this process ends in between.
 */

const Renaming = Type.Object({ repositoryId: int64(), doerId: int64(), from: Type.String(), to: Type.String(), tip: Type.String() })
type Renaming = Static<typeof Renaming>

/** How long a rename is left to the process that started it. */
const LEASE_SECONDS = 30

/** Completes a rename whose process died after the reference was renamed. */
export const renameJob = defineJob({
  kind: "branch.rename",
  payload: Renaming,
  run: (renaming, { context, id }) => followNow(context, renaming, { entryId: id, isSure: false }),
})

/**
 * Renames a branch; open pull requests, its own rule, the default branch and HEAD are updated. Refuses `notFound` for a missing branch,
 * `invalid` for a name that is unchanged, taken or not a valid branch name, and `forbidden` for the default branch or one with its own rule if the
 * caller doesn't administer the repository, for one matched by a pattern rule, and for a name that the caller could not push to.
 */
export async function renameBranch(changing: Changing, from: string, to: string): Promise<void> {
  const { services, actor, on } = changing
  const { database, git, jobs, now } = services
  requireBranchName(to, "name")
  await requireMovable(actor, branchRef(from), branchRef(to))
  if (on.repository.is_empty === 1) throw refuse.notFound("Git Repository is empty.")
  if (on.repository.is_mirror === 1) throw refuse.forbidden("Git Repository is a mirror.")
  await requireFree(changing, from, to)
  const tip = await tipOf(changing, from)
  if (tip === undefined) throw refuse.notFound()
  await requireRenamable(changing, from, to)
  const repository = gitRepository(changing)
  const made = { ref: branchRef(to), oldId: null, newId: tip, kind: "create", forced: false } as const
  const refused = await checkReferences({ services, pusher: actor, on, repository, mergedPull: undefined }, [made])
  for (const words of refused.values()) throw refuse.forbidden(words)

  const renaming: Renaming = { repositoryId: on.repository.id, doerId: actor.user.id, from, to, tip }
  const entryId = await database.write((tx) => jobs.enqueue(tx, renameJob, renaming, { runAt: now() + LEASE_SECONDS }))
  try {
    await git.references.update(repository, [
      { name: branchRef(from), from: tip, to: null },
      { name: branchRef(to), from: null, to: tip },
    ])
  } catch (error) {
    if (!isGitError(error, "conflict")) throw error
    await database.write((tx) => takeWholeEntry(tx, entryId))
    throw refuse.conflict("the branch was changed by someone else meanwhile; look at it again and repeat the request")
  }
  await followNow(services, renaming, { entryId, isSure: true }).catch((error: unknown) =>
    // The reference is renamed already, so this must not fail; the job does the rest.
    services.log.error({ err: error, repository: on.repository.id }, "what follows from renaming a branch failed"),
  )
}

/** What is known about a rename: the job that would complete it, and whether the reference is certain to be renamed. */
interface Known {
  readonly entryId: number
  readonly isSure: boolean
}

async function followNow(services: Services, renaming: Renaming, { entryId, isSure }: Known): Promise<void> {
  const { database, git } = services
  const row = await findRepositoryById.first(database.read, { id: renaming.repositoryId })
  if (!row) return
  const tips = await readTips(git, git.at(row.storage, row.object_format), [renaming.from, renaming.to])
  const [isFromThere, isToThere] = tips.map(({ commit }) => commit !== undefined)
  // After a crash with both branches present it is unknown whether one was renamed or created anew; the rows follow git in either case.
  const isRenamed = isSure || (isToThere === true && isFromThere === false)
  if (!isRenamed && !isToThere) return
  if (await database.write((tx) => follow(tx, services, renaming, { tips, entryId, isRenamed }))) await alignHead(services, row.id)
}

/** Names in use are refused as `invalid` here, as clients expect. */
async function requireFree(changing: Changing, from: string, to: string): Promise<void> {
  if (from === to) throw refuse.invalid("name", "is the name that the branch has")
  if (from.startsWith(`${to}/`) || to.startsWith(`${from}/`))
    throw refuse.invalid("name", t`${to} and ${from} can't be there at once; give the branch a third name first`)
  if ((await tipOf(changing, to)) !== undefined) throw refuse.invalid("name", t`there is a branch ${to}`)
  await requireNoConflict(changing, to).catch((error: unknown) => {
    throw error instanceof Refusal ? refuse.invalid("name", error.said) : error
  })
}

async function requireRenamable({ services: { database, config }, on }: Changing, from: string, to: string): Promise<void> {
  const protections = await findProtections(database.read, on.repository.id)
  const ruleOf = ruleFinder(protections, beginWork({ what: t("find the rule of this branch"), steps: config.limits.workSteps }))
  const own = protections.find(({ rule_name }) => rule_name === from)
  if (on.permission.mode < Mode.admin && (own || from === on.repository.default_branch))
    throw refuse.forbidden("User must be a repo or site admin to rename default or protected branches.")
  if (!own && (await ruleOf(from))) throw refuse.forbidden("The branch is protected by a rule for branches of several names.")
  if (own && protections.some(({ rule_name }) => rule_name.toLowerCase() === to.toLowerCase() && rule_name !== from))
    throw refuse.invalid("name", t`there is a rule ${to} beside the one that would get this name`)
}

interface Following {
  readonly tips: readonly Tip[]
  readonly entryId: number
  readonly isRenamed: boolean
}

/** Updates everything that names the branch, once. Returns whether git's HEAD must be updated too. */
async function follow(tx: Transaction, services: Services, renaming: Renaming, { tips, entryId, isRenamed }: Following): Promise<boolean> {
  const { repositoryId, doerId, from, to } = renaming
  const now = services.now()
  await lockRow(tx, "repositories", repositoryId)
  const repository = await findRepositoryById.first(tx, { id: repositoryId })
  if (!repository || !(await takeWholeEntry(tx, entryId))) return false
  await writeBranches(tx, { repositoryId, tips, pusherId: doerId, now })
  if (!isRenamed) return false
  await renameRule(tx, { repositoryId, from, to, now })
  await removeRedirect(tx, { repositoryId, name: to })
  await followRedirects(tx, { repositoryId, name: from, newName: to })
  await putRedirect(tx, { repositoryId, name: from, newName: to, now })
  const isDefault = repository.default_branch === from
  await updateRepository(tx, repositoryId, { updated_at: now, ...(isDefault && { default_branch: to }) })
  if (isDefault) await services.jobs.enqueue(tx, alignHeadJob, { repositoryId })
  await tell(tx, services, renaming)
  return isDefault
}

async function tell(tx: Transaction, services: Services, { repositoryId, doerId, from, to, tip }: Renaming): Promise<void> {
  const repository = await findRepositoryById.first(tx, { id: repositoryId })
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  const actor = await findUserById.first(tx, { id: doerId })
  if (!repository || !owner || !actor) return
  publish(tx, { kind: "branch.renamed", repository, owner, actor, from, to, tip: objectId(tip), at: services.now() })
}
