import {
  type OnProjects,
  onMyProjects,
  onOrganizationProjects,
  onOrganizationProjectsAsWriter,
  onRepositoryProjects,
  onRepositoryProjectsAsWriter,
} from "../../../access/policies/projects.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Access, Operation } from "../../../core/operation.ts"
import { ME, ORGANIZATION, type OwnerScope, REPOSITORY } from "../../../core/owner-scope.ts"

/** Where there are projects, and who may read and write them. */
export interface ProjectScope extends OwnerScope {
  readonly reading: Access<OnProjects>
  readonly writing: Access<OnProjects & Me>
}

const mine: ProjectScope = {
  ...ME,
  id: "userCurrent",
  scope: ["issue", "user"],
  reading: onMyProjects,
  writing: onMyProjects,
}

const ofOrganization: ProjectScope = {
  ...ORGANIZATION,
  scope: ["issue", "organization"],
  reading: onOrganizationProjects,
  writing: onOrganizationProjectsAsWriter,
}

const ofRepository: ProjectScope = {
  ...REPOSITORY,
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
