import { generic } from "./generic/registry.ts"
import { npm } from "./npm/registry.ts"
import type { Registry } from "./packages/registry.ts"

/** The registries that there are. */
export const registries: readonly Registry[] = [generic, npm]
