import type { CommitsToKeep } from "../lifecycle/maintenance.ts"
import { findCommits } from "./store.ts"

/** What deleted branches named stays for as long as they can be restored. */
export const commitsOfDeletions: CommitsToKeep = async (db, repositoryId) =>
  (await findCommits(db, { repositoryId })).map(({ commit_id }) => commit_id)
