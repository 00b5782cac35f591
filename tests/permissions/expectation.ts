import type { Operation } from "../../src/core/operation.ts"
import type { Credential, Role, Visibility } from "./world.ts"

/** What a matrix knows of an operation or a page. */
export type Guarded = Pick<Operation, "rule" | "scope" | "publicOnly" | "basicOnly">

/** Allowed, or the status of the refusal. */
export type Expected = "in" | 401 | 403 | 404

/** The caller, the credential, and the subject. */
export interface Cell {
  readonly role: Role
  readonly credential: Credential
  readonly visibility: Visibility
}

/**
 * What a caller must get, from the declared rule alone. This follows the specification, not the code of the policies: the
 * caller's role for a subject is implemented here independently.
 */
export function expected(operation: Guarded, cell: Cell): Expected {
  const refused = refusedByCredential(operation, cell)
  if (refused) return refused
  switch (operation.rule.subject) {
    case "site":
      return onSite(operation, cell)
    case "user":
      return onUser(operation, cell)
    case "organization":
      return onOrganization(operation, cell)
    case "team":
      return onTeam(operation, cell)
    case "repository":
      return onRepository(operation, cell)
  }
}

/** The refusal of an account in this state, or a token of this kind, for all operations. */
function refusedByCredential(operation: Guarded, { role, credential }: Cell): Expected | undefined {
  if (role === "anonymous") return undefined
  if (role === "prohibited" && credential === "password") return 401
  if (role === "inactive" || role === "prohibited") return 403
  if (credential === "narrow" && operation.scope.length > 0) return 403
  if (credential === "publicOnly" && operation.publicOnly === "refused") return 403
  if (credential !== "password" && operation.basicOnly) return 401
  return undefined
}

const isPublicOnly = ({ role, credential }: Cell): boolean => credential === "publicOnly" && role !== "anonymous"
const isSite = ({ role }: Cell): boolean => role === "siteAdministrator"
const mustSignIn = ({ rule }: Guarded, { role }: Cell): boolean => rule.signIn === "required" && role === "anonymous"

/** Hidden from anonymous callers and from tokens that are limited to what is public. */
const isHidden = (cell: Cell): boolean => cell.visibility !== "public" && (cell.role === "anonymous" || isPublicOnly(cell))

/** The person of the path, whom none of the callers has to do with, is hidden from all but administrators of the site. */
const isPersonHidden = (cell: Cell): boolean => cell.visibility === "private" && !isSite(cell)

const unknownRule = ({ rule }: Guarded): Error =>
  new Error(`the matrix does not know the rule ${rule.subject} ${rule.needs}; tell it what to expect`)

function onSite(operation: Guarded, cell: Cell): Expected {
  if (mustSignIn(operation, cell)) return 401
  switch (operation.rule.needs) {
    case "nothing":
    case "signIn":
      return "in"
    case "siteAdministrator":
      return isSite(cell) ? "in" : 403
  }
  throw unknownRule(operation)
}

/** The person of the path, who is none of the callers. */
function onUser(operation: Guarded, cell: Cell): Expected {
  if (mustSignIn(operation, cell)) return 401
  const shown = !isHidden(cell) && (cell.visibility !== "private" || isSite(cell))
  switch (operation.rule.needs) {
    case "siteAdministrator":
      return isSite(cell) ? "in" : 403
    // No caller has to do with the person.
    case "known":
    case "visible":
    case "projects:read":
      return shown ? "in" : 404
    case "self":
      if (!shown) return 404
      return isSite(cell) ? "in" : 403
  }
  throw unknownRule(operation)
}

/** Only the owner belongs to the organisation; the collaborators of its repository don't. */
function onOrganization(operation: Guarded, cell: Cell): Expected {
  if (/^packages:/.test(operation.rule.needs)) return onPackages(operation, cell)
  if (/^(projects|columns):/.test(operation.rule.needs)) return onOrganizationProjects(operation, cell)
  if (mustSignIn(operation, cell)) return 401
  const insider = cell.role === "owner" || isSite(cell)
  if (isHidden(cell) || (cell.visibility === "private" && !insider)) return 404
  switch (operation.rule.needs) {
    case "visible":
      return "in"
    case "selfOrMember":
      if (isPersonHidden(cell)) return 404
      return insider ? "in" : 403
    case "member":
    case "createRepositories":
    case "owner":
      return insider ? "in" : 403
  }
  throw unknownRule(operation)
}

/** No team grants access to the projects; those of a public organisation are public. Callers who may not read them get 404, not 401. */
function onOrganizationProjects(operation: Guarded, cell: Cell): Expected {
  const insider = cell.role === "owner" || isSite(cell)
  if (isHidden(cell) || (cell.visibility !== "public" && !insider)) return 404
  if (mustSignIn(operation, cell)) return 401
  if (insider || operation.rule.needs === "projects:read") return "in"
  return operation.rule.needs === "columns:write" ? 403 : 404
}

/** No team grants access to the packages. Anonymous callers are refused before anything is looked up. */
function onPackages(operation: Guarded, cell: Cell): Expected {
  if (mustSignIn(operation, cell)) return 401
  const insider = cell.role === "owner" || isSite(cell)
  if (isHidden(cell) || (cell.visibility === "private" && !insider)) return 404
  return insider || operation.rule.needs === "packages:read" ? "in" : 403
}

/** A team without members, with the visibility of its organisation. */
function onTeam(operation: Guarded, cell: Cell): Expected {
  if (isPublicOnly(cell) && cell.visibility !== "public") return 404
  if (cell.role === "anonymous") return 401
  if (cell.role === "owner" || isSite(cell)) return "in"
  if (cell.visibility === "private") return 404
  switch (operation.rule.needs) {
    // A limited team is shown to members of the organisation only.
    case "read":
      return cell.visibility === "public" ? "in" : 404
    case "privileged":
      return 404
    case "owner":
      return 403
  }
  throw unknownRule(operation)
}

/** The rank of a role in the repositories: 1 may read what is visible to them, 2 write, 3 administer, 4 own. */
const RANK: Readonly<Record<Role, number>> = {
  anonymous: 1,
  stranger: 1,
  reader: 1,
  writer: 2,
  administrator: 3,
  owner: 4,
  siteAdministrator: 4,
  inactive: 0,
  prohibited: 0,
}

/** The rank that a rule takes. */
function rankFor(operation: Guarded): number {
  const { needs } = operation.rule
  if (needs === "reach" || needs.endsWith(":read")) return 1
  if (needs.endsWith(":write")) return 2
  // Only the owner is the author of the issue, and no caller asks about themselves.
  if (
    needs === "pullRequest:author" ||
    needs === "issue:author" ||
    needs === "comment:author" ||
    needs === "issue:contributor" ||
    needs === "issue:writeOrMissing"
  )
    return 2
  // Callers who are not the author need to be administrators.
  if (needs === "comment:writingAuthor" || needs.endsWith(":authorOrAdministrator")) return 3
  if (needs === "administrator" || needs.endsWith("selfOrAdministrator") || needs.endsWith(":administrator")) return 3
  if (needs === "owner") return 4
  throw unknownRule(operation)
}

function onRepository(operation: Guarded, cell: Cell): Expected {
  if (cell.role === "anonymous" && operation.rule.asksFirst) return 401
  if (isHidden(cell) || (cell.visibility === "private" && cell.role === "stranger")) return 404
  if (mustSignIn(operation, cell)) return 401
  // The owner wrote the review; write access to the pull request is not enough to change it.
  if (operation.rule.needs === "review:author") return cell.role === "owner" || isSite(cell) ? "in" : 403
  if (operation.rule.needs === "reviewers:choose")
    return isSite(cell) || ["reader", "writer", "administrator", "owner"].includes(cell.role) ? "in" : 403
  // The person of the path is none of the callers.
  if (operation.rule.needs === "issue:self") return isSite(cell) ? "in" : isPersonHidden(cell) ? 404 : 403
  if (operation.rule.needs === "issues:selfOrAdministrator" && isPersonHidden(cell)) return 404
  if (RANK[cell.role] >= rankFor(operation)) return "in"
  return operation.rule.needs === "issue:writeOrMissing" ? 404 : 403
}
