import type { Actor } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { t } from "../../core/language/message.ts"
import type { Access } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { unitMode } from "../permission.ts"
import { locateFromPath, type OnRepository, refuseArchived, requireUnit } from "./repositories.ts"
import { asMe, type Me } from "./site.ts"

/** Policies for editing the code of a repository through the API. */

/** Whether the caller may write to the code of a repository that can be changed here. */
export const writesCode = ({ actor, permission, repository }: OnRepository & { readonly actor: Actor }): boolean =>
  actor.kind === "user" &&
  repository.is_archived === 0 &&
  repository.is_mirror === 0 &&
  unitMode(permission, repository, "repo.code") >= Mode.write

const NOT_TO_EDIT = t("repo is not allowed to edit")

/** Whether a caller without write access may write to some branch. The push itself is checked for the branch. */
export type MayWriteSomeBranch = (db: Handle, actor: Actor, on: OnRepository) => Promise<boolean>

/**
 * For callers who may write to the code, or to some branch, if it can be changed here: archived repositories and mirrors are refused before anonymous
 * callers are.
 */
export const onEditableCode = (mayWriteSomeBranch: MayWriteSomeBranch): Access<OnRepository & Me> => ({
  rule: { subject: "repository", needs: "code:write", signIn: "required" },
  open: async (request) => {
    const found = await locateFromPath(request)
    requireUnit(found, "repo.code", "read")
    refuseArchived(request, found, NOT_TO_EDIT)
    if (found.repository.is_mirror === 1) throw refuse.archived(NOT_TO_EDIT)
    const me = asMe(request.actor)
    const writes = unitMode(found.permission, found.repository, "repo.code") >= Mode.write
    if (!writes && !(await mayWriteSomeBranch(request.db, request.actor, found))) requireUnit(found, "repo.code", "write")
    return { ...me, ...found }
  },
})
