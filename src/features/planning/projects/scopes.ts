import {
  type OnProjects,
  onMyProjects,
  onOrganizationProjects,
  onOrganizationProjectsAsWriter,
  onRepositoryProjects,
  onRepositoryProjectsAsWriter,
} from "../../../access/policies/projects.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Access, Operation, ScopeCategory } from "../../../core/operation.ts"

/**
 * A place that has projects. All three offer the same operations, which are declared once, as functions of the scope: what differs is written
 * here.
 */
export interface ProjectScope {
  /** What stands in the path before /projects. */
  readonly prefix: string
  /** What the operations' ids begin with. */
  readonly id: string
  /** Whose they are, for the summaries: "a repository’s". */
  readonly whose: string
  readonly tag: string
  readonly scope: readonly ScopeCategory[]
  readonly reading: Access<OnProjects>
  readonly writing: Access<OnProjects & Me>
}

const mine: ProjectScope = {
  prefix: "/user",
  id: "userCurrent",
  whose: "your",
  tag: "user",
  scope: ["issue", "user"],
  reading: onMyProjects,
  writing: onMyProjects,
}

const ofOrganization: ProjectScope = {
  prefix: "/orgs/{org}",
  id: "org",
  whose: "an organisation’s",
  tag: "organization",
  scope: ["issue", "organization"],
  reading: onOrganizationProjects,
  writing: onOrganizationProjectsAsWriter,
}

const ofRepository: ProjectScope = {
  prefix: "/repos/{owner}/{repo}",
  id: "repo",
  whose: "a repository’s",
  tag: "repository",
  scope: ["issue"],
  reading: onRepositoryProjects,
  writing: onRepositoryProjectsAsWriter,
}

/** The operations that `declare` makes for one scope, for all of them. */
export const inEveryScope = (declare: (scope: ProjectScope) => readonly Operation[]): readonly Operation[] =>
  [mine, ofOrganization, ofRepository].flatMap(declare)

/** What operations that read have in common in a scope, and what those have that write. */
export const readingIn = ({ tag, scope, reading }: ProjectScope) => ({ tag, scope, access: reading })
export const writingIn = ({ tag, scope, writing }: ProjectScope) => ({ tag, scope, access: writing, archived: "refused" }) as const
