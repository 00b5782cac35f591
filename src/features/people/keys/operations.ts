import type { Operation } from "../../../core/operation.ts"
import { gpgKeyOperations } from "./gpg-key-operations.ts"
import { publicKeyOperations } from "./public-key-operations.ts"

export const keyOperations: readonly Operation[] = [...publicKeyOperations, ...gpgKeyOperations]
