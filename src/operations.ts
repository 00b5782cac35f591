import { type Operation, registry } from "./core/operation.ts"

/** Every operation that the service can do. */
export const operations: readonly Operation[] = registry()
