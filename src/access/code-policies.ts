import { refuse } from "../core/errors.ts"
import type { Access } from "../core/operation.ts"
import { asMe, locateFromPath, type Me, type OnRepository, requireUnit } from "./policies.ts"

/** Who changes the code of a repository through the service itself. */

/**
 * Whoever may write to the code, as long as it can be changed here: what is archived, or follows a repository elsewhere, says so before anybody
 * is asked to sign in.
 */
export const onEditableCode: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "code:write", signIn: "required" },
  open: async (request) => {
    const found = await locateFromPath(request)
    requireUnit(found, "repo.code", "read")
    if (found.repository.is_archived === 1 || found.repository.is_mirror === 1) throw refuse.archived("repo is not allowed to edit")
    const me = asMe(request.actor)
    requireUnit(found, "repo.code", "write")
    return { ...me, ...found }
  },
}
