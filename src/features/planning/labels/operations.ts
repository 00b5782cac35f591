import type { Operation } from "../../../core/operation.ts"
import { issueLabelOperations } from "./issue-operations.ts"
import { organizationLabelOperations } from "./organization-operations.ts"
import { repositoryLabelOperations } from "./repository-operations.ts"

export const labelOperations: readonly Operation[] = [...repositoryLabelOperations, ...organizationLabelOperations, ...issueLabelOperations]
