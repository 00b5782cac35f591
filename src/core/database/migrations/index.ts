import type { Migration } from "../migrate.ts"
import { foundation } from "./0001-foundation.ts"
import { issues } from "./0002-issues.ts"
import { search } from "./0003-search.ts"

/** The history of the tables, oldest first. A step that was released is never changed. */
export const migrations: readonly Migration[] = [foundation, issues, search]
