import type { Operation } from "../../../core/operation.ts"
import { organizationLabelOperations } from "./organization-operations.ts"
import { repositoryLabelOperations } from "./repository-operations.ts"

/** The labels of repositories and organisations. */
export const labelOperations: readonly Operation[] = [...repositoryLabelOperations, ...organizationLabelOperations]
