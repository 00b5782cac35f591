import { stat } from "node:fs/promises"
import { migrateQuarantine } from "../incoming/quarantine.ts"
import { hasCode } from "../model/errors.ts"
import type { Context } from "../process/context.ts"
import { updateReferences } from "../refs/references.ts"
import { hasLeftBehind } from "../repositories/left-behind.ts"
import { maintain, needsMaintenance, packReferences } from "../repositories/maintenance.ts"
import {
  createRepository,
  existsRepository,
  forkRepository,
  locate,
  openRepository,
  removeRepository,
  repositorySize,
  setHead,
  sweepRepositories,
} from "../repositories/repository.ts"
import type { RepositoryStore } from "./store.ts"

/** Repositories as folders below the root, as git has them: files are what counts, and references move by themselves. */
export const openLocalStore = (context: Context): RepositoryStore => ({
  at: (key, format) => locate(context, key, format),
  open: (key) => openRepository(context, key),
  ready: undefined,
  renew: undefined,
  create: (key, options) => createRepository(context, key, options),
  remove: (repository) => removeRepository(context, repository),
  exists: existsRepository,
  isGone: async ({ directory }) =>
    stat(directory).then(
      () => false,
      (error: unknown) => {
        if (hasCode(error, "ENOENT")) return true
        throw error
      },
    ),
  sweep: () => sweepRepositories(context),
  size: repositorySize,
  fork: (from, key, keep) => forkRepository(context, from, key, keep),
  setHead: (repository, ref) => setHead(context, repository, ref),
  update: (repository, updates, options) => updateReferences(context, repository, updates, options),
  begin: async () => undefined,
  receiving: async (repository) => repository,
  migrate: (quarantined) => migrateQuarantine(context, quarantined),
  needsMaintenance,
  packReferences: (repository, signal) => packReferences(context, repository, signal),
  hasLeftBehind: (repository, before) => hasLeftBehind(context, repository, before),
  maintain: (repository, how) => maintain(context, repository, how),
})
