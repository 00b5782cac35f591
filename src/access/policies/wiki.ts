import { refuse } from "../../core/errors.ts"
import { t } from "../../core/language/message.ts"
import type { Access, Request } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { unitMode } from "../permission.ts"
import { locateFromPath, type OnRepository, refuseArchived } from "./repositories.ts"
import { asMe, type Me } from "./site.ts"

/** Policies for the pages of a repository's wiki. A wiki that is switched off or somewhere else is missing, for administrators too. */

export const wikiMode = ({ permission, repository }: OnRepository): number => unitMode(permission, repository, "repo.wiki")

const NOT_TO_EDIT = t("the wiki of a mirror is what its remote has")

async function locateWiki(request: Request): Promise<OnRepository> {
  const found = await locateFromPath(request)
  if (wikiMode(found) < Mode.read) throw refuse.notFound()
  return found
}

function writable(request: Request, found: OnRepository): OnRepository & Me {
  const me = asMe(request.actor)
  refuseArchived(request, found)
  if (wikiMode(found) < Mode.write) throw refuse.forbidden("user should have a permission to write to the wiki of a repo")
  if (found.repository.is_mirror === 1) throw refuse.archived(NOT_TO_EDIT)
  return { ...me, ...found }
}

/** For callers who may read the wiki, also anonymous ones. */
export const onWiki: Access<OnRepository> = {
  rule: { subject: "repository", needs: "wiki:read", signIn: "optional" },
  open: locateWiki,
}

/** For callers who may write to the wiki. */
export const onWikiToAdd: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "wiki:write", signIn: "required" },
  open: async (request) => writable(request, await locateWiki(request)),
}

/** Like `onWikiToAdd`; of an archived repository anonymous callers are told that too. */
export const onWikiToEdit: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "wiki:write", signIn: "required" },
  open: async (request) => {
    const found = await locateWiki(request)
    refuseArchived(request, found)
    return writable(request, found)
  },
}
