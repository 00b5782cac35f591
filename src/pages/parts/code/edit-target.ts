import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { presentBranch } from "../../../features/code/branches/present.ts"
import { findBranch, findBranches } from "../../../features/code/branches/store.ts"
import { type EditableText, editableText } from "../../../features/code/contents/editable.ts"
import { type Located, locateCode, type OnCode } from "../../../features/code/contents/locate.ts"
import { findEntry } from "../../../features/code/contents/paths.ts"
import { maintainedBranches } from "../../../features/code/pushes/maintainer-edits.ts"
import type { TreeEntry } from "../../../git/index.ts"

/** Where someone edits: a branch, a path on it and what is there. */

export type OnEditor = OnCode & Me & Request

export interface EditTarget {
  readonly branch: string
  readonly parts: readonly string[]
  /** What is at the path. */
  readonly entry: TreeEntry | undefined
  /** Undefined for a repository without a commit. */
  readonly located: Located | undefined
}

/** Reads `branch/and/path` as the addresses of the editor have it. Refuses `notFound` for a branch that isn't there, and `archived` where nothing can be changed. */
export async function locateTarget(call: OnEditor, text: string): Promise<EditTarget> {
  const { services, repository } = call
  requireUnarchived(call)
  if (repository.is_mirror === 1) throw refuse.archived("mirrors are read-only")
  const branch = repository.default_branch
  if (repository.is_empty === 1) {
    if (text !== branch && !text.startsWith(`${branch}/`)) throw refuse.notFound()
    return { branch, parts: text.split("/").slice(branch.split("/").length), entry: undefined, located: undefined }
  }
  const located = await locateCode(call, `branch/${text}`)
  if (!located) throw refuse.notFound()
  const entry = await findEntry(services.git, located.git, located.revision.commit.tree, located.parts)
  return { branch: located.revision.name, parts: located.parts, entry, located }
}

/** The same for a form that is shown again: someone may have deleted the branch meanwhile, and what was typed must not be lost. */
export async function relocateTarget(call: OnEditor, text: string): Promise<EditTarget> {
  try {
    return await locateTarget(call, text)
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "notFound") throw error
    return locateTarget(call, call.repository.default_branch)
  }
}

export const mayWrite = async (call: OnEditor, branch: string): Promise<boolean> =>
  unitMode(call.permission, call.repository, "repo.code") >= Mode.write || (await maintainedBranches(call.db, call.actor, call)).has(branch)

/** Whether the branch takes commits of the caller without a pull request. */
export async function mayPush(call: OnEditor, name: string): Promise<boolean> {
  const { services, db, actor, repository } = call
  const row = await findBranch.first(db, { repositoryId: repository.id, name })
  return row === undefined || (await presentBranch(services, db, actor, call, row)).user_can_push
}

/** A free name for a branch of the caller. */
export async function patchBranch({ db, repository, me }: OnEditor): Promise<string> {
  const stem = `${me.name}-patch-`
  const { rows } = await findBranches(db, repository.id, stem, { number: 1, limit: 100, offset: 0 })
  const taken = new Set(rows.map(({ name }) => name))
  let number = 1
  while (taken.has(`${stem}${number}`)) number++
  return `${stem}${number}`
}

/** Larger files, in bytes, are not edited on a page. */
export const MOST_BYTES = 1024 * 1024

/** The text of a file; a reason where it can't be edited on a page. */
export async function readText({ services }: OnEditor, { located, entry }: EditTarget): Promise<EditableText | Text> {
  if (!located || !entry) return { text: "", ends: "lf", isMixed: false }
  const { objects } = services.git
  if (entry.mode !== "100644" && entry.mode !== "100755") return t("Not a regular file.")
  if ((await objects.namedInfo(located.git, entry.id)).size > MOST_BYTES) return t("The file is larger than 1 MiB.")
  return editableText(await objects.readBlob(located.git, entry.id))
}
