import { refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"
import { type OnIssue, onIssue, openForChange, withIssue, writesKind } from "./issues.ts"
import type { OnRepository } from "./repositories.ts"
import type { Me } from "./site.ts"

/** Refuses as missing a repository where issues don't depend on one another. */
function requireDependencies({ repository }: OnRepository): void {
  if (repository.enable_issue_dependencies === 0) throw refuse.notFound()
}

/** The issue of the path's {index} with what it waits for, if dependencies are enabled in the repository. */
export const onDependencies: Access<OnIssue> = {
  rule: { subject: "repository", needs: "issue:read", signIn: "optional" },
  open: async (request) => {
    const found = await onIssue.open(request)
    requireDependencies(found)
    return found
  },
}

/** The issue of the path's {index}, whose dependencies are to be changed; an archived repository is refused first. */
export const onIssueToTie: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:read", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    return { ...found, ...(await withIssue(request, found)) }
  },
}

/** The same, to be blocked by others. Clients expect `notFound` where they may not change it. */
export const onDependent: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:writeOrMissing", signIn: "required" },
  open: async (request) => {
    const found = await onIssueToTie.open(request)
    requireDependent(found)
    return found
  },
}

/** Refuses as missing an issue to which the caller may not add dependencies. */
export function requireDependent(found: OnIssue): void {
  requireDependencies(found)
  if (found.repository.is_archived === 1 || !writesKind(found, found.issue)) throw refuse.notFound()
}
