import { findCollaborations } from "../../../access/grants.ts"
import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findMembership } from "../../../access/store.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isBranchName, isTagName, type ObjectId, type Repository, tagRef } from "../../../git/index.ts"
import { locateHead, readHead } from "../../code/commits/heads.ts"

/** The branches that a pull request comes from and goes to. */

/** A branch with the commit at its tip. */
export interface Branch {
  readonly on: OnRepository
  readonly repository: Repository
  readonly name: string
  readonly tip: ObjectId
}

/** The branch of that name. Refuses `notFound` a name that doesn't exist, as invalid a tag or a commit: only branches can be a base or a head. */
async function locateBranch({ git }: Services, on: OnRepository, name: string, field: "head" | "base"): Promise<Branch> {
  const repository = git.at(on.repository.storage, on.repository.object_format)
  const tip = isBranchName(name) ? await git.references.resolve(repository, branchRef(name)) : undefined
  if (tip !== undefined) return { on, repository, name, tip }
  const isTag = isTagName(name) && (await git.references.resolve(repository, tagRef(name))) !== undefined
  if (isTag || (await git.objects.expand(repository, name)) !== undefined) throw refuse.invalid(field, "base and head must be branches")
  throw refuse.notFound()
}

/** The commits of a pull request: a branch, or, without `on`, commits that were offered and are in the base repository. */
export type Source = Omit<Branch, "on"> & Partial<Pick<Branch, "on">>

/** The base and head of a pull request. */
export interface Ends {
  readonly base: Branch
  readonly head: Source
}

/**
 * Finds both ends of a pull request. Reads references. Refuses `notFound`, `badRequest` and as invalid what can't be an end, as invalid two ends that
 * are the same branch, and `forbidden` for callers who may not offer this head: they must belong to the base repository, or may write to the head's.
 */
export async function locateEnds(
  services: Services,
  db: Handle,
  base: OnRepository & Me,
  names: { readonly base: string; readonly head: string },
): Promise<Ends> {
  const headName = readHead(names.head)
  const on = await locateHead(db, base.actor, base, headName)
  if (on.repository.id === base.repository.id && headName.branch === names.base)
    throw refuse.invalid("head", "head and base are the same branch")
  const to = await locateBranch(services, base, names.base, "base")
  const from = await locateBranch(services, on, headName.branch, "head")
  if (!(await mayOffer(db, base, on)))
    throw refuse.forbidden("only those who belong to the repository, or may write to the head, may offer it")
  return { base: to, head: from }
}

/** Site administrators, the owner, members of the organisation and collaborators; and users who may write to the code of the head. */
async function mayOffer(db: Handle, { me, repository, owner }: OnRepository & Me, head: OnRepository): Promise<boolean> {
  if (me.is_admin === 1 || me.id === owner.id || unitMode(head.permission, head.repository, "repo.code") >= Mode.write) return true
  const collaborations = await findCollaborations(db, { userId: me.id, subjectIds: [repository.id] })
  if (collaborations.length > 0) return true
  return owner.kind === "organization" && (await findMembership.first(db, { organizationId: owner.id, userId: me.id })) !== undefined
}
