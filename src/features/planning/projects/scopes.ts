import {
  type OnProjects,
  onMyProjects,
  onOrganizationColumnsAsWriter,
  onOrganizationProjects,
  onOrganizationProjectsAsWriter,
  onRepositoryProjects,
  onRepositoryProjectsAsWriter,
} from "../../../access/policies/projects.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Access, Operation } from "../../../core/operation.ts"
import { ME, ORGANIZATION, type OwnerScope, REPOSITORY } from "../../../core/owner-scope.ts"

/** An owner scope that has projects, with its policies for reading and writing them. */
export interface ProjectScope extends OwnerScope {
  readonly reading: Access<OnProjects>
  readonly writing: Access<OnProjects & Me>
  /** For writing to their columns. */
  readonly writingColumns: Access<OnProjects & Me>
}

const mine: ProjectScope = {
  ...ME,
  id: "userCurrent",
  scope: ["issue", "user"],
  reading: onMyProjects,
  writing: onMyProjects,
  writingColumns: onMyProjects,
}

const ofOrganization: ProjectScope = {
  ...ORGANIZATION,
  scope: ["issue", "organization"],
  reading: onOrganizationProjects,
  writing: onOrganizationProjectsAsWriter,
  writingColumns: onOrganizationColumnsAsWriter,
}

const ofRepository: ProjectScope = {
  ...REPOSITORY,
  scope: ["issue"],
  reading: onRepositoryProjects,
  writing: onRepositoryProjectsAsWriter,
  writingColumns: onRepositoryProjectsAsWriter,
}

/** Declares operations for every owner scope. */
export const inEveryScope = (declare: (scope: ProjectScope) => readonly Operation[]): readonly Operation[] =>
  [mine, ofOrganization, ofRepository].flatMap(declare)

/** The common members of operations that read in a scope, of those that write, and of those that write to columns. */
export const readingIn = ({ tag, scope, reading }: ProjectScope) => ({ tag, scope, access: reading })
export const writingIn = ({ tag, scope, writing }: ProjectScope) => ({ tag, scope, access: writing, archived: "refused" }) as const
export const writingColumnsIn = (scope: ProjectScope) => ({ ...writingIn(scope), access: scope.writingColumns }) as const
