import { refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { unitMode } from "../permission.ts"
import { type OnRepository, onRepositorySignedIn, refuseArchived } from "./repositories.ts"
import type { Me } from "./site.ts"

/** Whether the caller may change labels and milestones. */
export const plansIn = ({ permission, repository }: OnRepository): boolean =>
  permission.mode >= Mode.admin ||
  Math.max(unitMode(permission, repository, "repo.issues"), unitMode(permission, repository, "repo.pulls")) >= Mode.write

/** What newcomers have asked for there, for callers who may write to issues or pull requests. */
export const onHeld: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "issuesOrPulls:write", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    if (!plansIn(found)) throw refuse.forbidden("write permission is required")
    return found
  },
}

/**
 * The labels and milestones of a repository, which issues and pull requests share: for callers who may write to either. Administrators pass
 * even if both are disabled. An archived repository is refused first.
 */
export const onPlanning: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "issuesOrPulls:write", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    refuseArchived(request, found)
    if (!plansIn(found)) throw refuse.forbidden("write permission is required")
    return found
  },
}
