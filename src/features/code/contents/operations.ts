import type { Operation } from "../../../core/operation.ts"
import { contentsReadOperations } from "./read-operations.ts"
import { contentsWriteOperations } from "./write-operations.ts"

export const contentsOperations: readonly Operation[] = [...contentsReadOperations, ...contentsWriteOperations]
