/** What a rule of access may need. Each has words in `access/words.ts`, for those who ask why. */

type Unit = "code" | "issues" | "pulls" | "releases" | "wiki" | "projects" | "packages" | "actions"

type OfSite = "nothing" | "signIn" | "siteAdministrator"
type OfAccounts = "known" | "visible" | "self" | "selfOrMember" | "member" | "createRepositories" | "columns:write"
type OfTeams = "read" | "privileged"
type OfRepositories = "reach" | "administrator" | "owner" | "selfOrAdministrator"
type OfUnits = `${Unit}:${"read" | "write"}` | `issuesOrPulls:${"read" | "write"}`
type OfIssues =
  | `issue:${"read" | "write" | "author" | "authorOrAdministrator" | "administrator" | "contributor" | "self" | "writeOrMissing"}`
  | `comment:${"read" | "author" | "writingAuthor" | "authorOrAdministrator"}`
  | "issues:selfOrAdministrator"
  | "attachment:read"
type OfPulls =
  | "pullRequests:read"
  | `pullRequest:${"read" | "author"}`
  | `review:${"read" | "author" | "administrator"}`
  | "reviewers:choose"

export type Need = OfSite | OfAccounts | OfTeams | OfRepositories | OfUnits | OfIssues | OfPulls
