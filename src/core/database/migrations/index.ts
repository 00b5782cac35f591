import type { Migration } from "../migrate.ts"
import { foundation } from "./0001-foundation.ts"
import { issues } from "./0002-issues.ts"
import { search } from "./0003-search.ts"
import { protections } from "./0004-protections.ts"
import { releases } from "./0005-releases.ts"
import { pulls } from "./0006-pulls.ts"
import { projects } from "./0007-projects.ts"
import { keys } from "./0008-keys.ts"
import { webhooks } from "./0009-webhooks.ts"
import { actions } from "./0010-actions.ts"
import { audit } from "./0011-audit.ts"
import { mirrors } from "./0012-mirrors.ts"
import { lfs } from "./0013-lfs.ts"
import { events } from "./0014-events.ts"

/** The migrations, oldest first. A released one is never changed. */
export const migrations: readonly Migration[] = [
  foundation,
  issues,
  search,
  protections,
  releases,
  pulls,
  projects,
  keys,
  webhooks,
  actions,
  audit,
  mirrors,
  lfs,
  events,
]
