import type { Operation } from "../../../core/operation.ts"
import { creationOperations } from "./create-operations.ts"
import { editOperations } from "./edit-operations.ts"
import { forkOperations } from "./fork-operations.ts"
import { transferOperations } from "./transfer-operations.ts"

export const lifecycleOperations: readonly Operation[] = [
  ...creationOperations,
  ...editOperations,
  ...transferOperations,
  ...forkOperations,
]
