import type { Operation } from "../../../core/operation.ts"
import { administrationOperations } from "./administration-operations.ts"
import { profileOperations } from "./profile-operations.ts"
import { settingsOperations } from "./settings-operations.ts"

export const userOperations: readonly Operation[] = [...profileOperations, ...settingsOperations, ...administrationOperations]
