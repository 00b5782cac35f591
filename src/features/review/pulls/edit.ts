import { Mode } from "../../../access/modes.ts"
import { permissionOn, unitMode } from "../../../access/permission.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import type { OnPull, Pull } from "../../../access/policies/pulls.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isBranchName, objectId } from "../../../git/index.ts"
import { titleAs } from "../../planning/issues/draft.ts"
import { editIssue } from "../../planning/issues/edit.ts"
import { setIssueLabels, usableLabels } from "../../planning/issues/labels.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { compareReviews } from "../reviews/stale.ts"
import { align } from "./align.ts"
import { assess } from "./mergeability.ts"
import type { PullWithIssue } from "./present.ts"
import type { EditPullRequestOption } from "./records.ts"
import { ensurePullRefs } from "./refs.ts"
import { type NewBase, retargetPull } from "./retarget.ts"
import { findMergeUnderWay } from "./schedules-store.ts"
import { findPull, updatePull } from "./store.ts"

/**
 * Changes the given members of a pull request, all or nothing. Members that `editIssue` applies only for writers are applied only for them here, too,
 * and so are labels.
 * Refuses what `editIssue` refuses; `preconditionFailed` a change of state of a merged one; `forbidden` to allow or forbid pushes to a head that the
 * caller may not write to; `notFound` a base branch that doesn't exist; `conflict` where another open one has the same ends, or it is being merged;
 * and as invalid the head itself as base, or another base for a closed one.
 */
export async function editPull(services: Services, found: OnPull & Me, options: EditPullRequestOption): Promise<PullWithIssue> {
  const { database, git } = services
  const { pull, repository } = found
  const base = options.base === undefined || options.base === "" || options.base === pull.base_branch ? undefined : options.base
  const baseRepository = git.at(repository.storage, repository.object_format)
  let retargeting: Retargeting | undefined
  if (base !== undefined) {
    const tip = isBranchName(base) ? await git.references.resolve(baseRepository, branchRef(base)) : undefined
    if (tip === undefined) throw refuse.notFound(t`new base '${base}' not exist`)
    const headId = objectId(pull.head_id)
    const assessment = await assess(git, baseRepository, tip, headId)
    const { mergeBase } = assessment
    const comparison = await compareReviews(services, { pull, repository: baseRepository, headId, mergeBase })
    retargeting = { base, found: { headId, mergeBase, comparison, assessment } }
  }
  const edited = await database.write((tx) => write(tx, services, found, options, retargeting))
  const { number } = edited.issue
  const assessment = retargeting?.found.assessment
  if (assessment)
    await ensurePullRefs(services, baseRepository, { pullId: pull.id, number, headId: objectId(edited.pull.head_id), assessment })
  const reopened = found.issue.is_closed === 1 && edited.issue.is_closed === 0
  return reopened ? { issue: edited.issue, pull: (await align(services, pull.id)) ?? edited.pull } : edited
}

interface Retargeting {
  readonly base: string
  readonly found: NewBase
}

async function write(
  tx: Transaction,
  services: Services,
  found: OnPull & Me,
  options: EditPullRequestOption,
  retargeting: Retargeting | undefined,
): Promise<PullWithIssue> {
  const { me, owner } = found
  const now = services.now()
  const { labels, base: _, allow_maintainer_edit, unset_due_date, milestone, draft, ...rest } = options
  if (options.state !== undefined && found.pull.is_merged === 1) throw refuse.preconditionFailed("a merged pull request stays closed")
  const issue = await editIssue(tx, services, found, {
    ...rest,
    ...(draft !== undefined && { title: titleAs(options.title?.trim() || (await lockedTitle(tx, found)), draft) }),
    // Passed on only where they are set: existing clients always send them.
    ...(unset_due_date === true && { unset_due_date }),
    ...(milestone && { milestone }),
  })
  const locked = await lockRow(tx, "pulls", found.pull.id)
  const repository = await findRepositoryById.first(tx, { id: found.repository.id })
  if (!locked || !repository) throw refuse.notFound()
  if (labels !== undefined && writesKind(found, issue)) {
    const wanted = await usableLabels(tx, repository, owner, labels)
    await setIssueLabels(tx, { issue, labels: wanted, mode: "replace", actor: me, now })
  }
  if (allow_maintainer_edit !== undefined) await setMaintainerEdit(tx, found, locked, allow_maintainer_edit)
  // A concurrent call may have given it this base already.
  if (retargeting && retargeting.base !== locked.base_branch) {
    if (await findMergeUnderWay.first(tx, { pullId: locked.id })) throw refuse.conflict("the pull request is being merged")
    await retargetPull(tx, { issue, pull: locked, repository, owner, actor: me, now, ...retargeting })
  }
  const [changed, pull] = [await findIssueById.first(tx, { id: issue.id }), await findPull.first(tx, { id: locked.id })]
  if (!changed || !pull) throw refuse.notFound()
  return { issue: changed, pull }
}

/** The title as it stays until the transaction ends. */
async function lockedTitle(tx: Transaction, { repository, issue }: OnPull): Promise<string> {
  await lockForIssues(tx, repository.id)
  return (await lockIssue(tx, issue)).title
}

/** Sets whether users who may merge may push to the head. Only users who may push to it may set that. */
async function setMaintainerEdit(tx: Transaction, { issue, actor, me }: OnPull & Me, pull: Pull, allowed: boolean): Promise<void> {
  const repository = pull.head_repository_id === null ? undefined : await findRepositoryById.first(tx, { id: pull.head_repository_id })
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  const permission = repository && owner && (await permissionOn(tx, actor, { repository, owner }))
  if (!repository || !permission || unitMode(permission, repository, "repo.code") < Mode.write)
    throw refuse.forbidden("only those who may write to the head's repository may say who edits it")
  if (pull.allow_maintainer_edit === flag(allowed)) return
  await updatePull(tx, pull.id, { allow_maintainer_edit: flag(allowed) })
  publish(tx, { kind: "pull.maintainerEditChanged", issue, allowed, actor: me })
}
