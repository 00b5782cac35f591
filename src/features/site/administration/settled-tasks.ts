import type { Task } from "../../../core/jobs/jobs.ts"

/**
 * Tasks that clients know by name, and that have nothing to do here: what they restore elsewhere can't be out of step. They can be started like
 * all others, and say why nothing was done.
 */
const SETTLED: Readonly<Record<string, string>> = {
  deleted_branches_cleanup: "a deleted branch leaves nothing behind",
  sync_external_users: "there are no external sources of users",
  update_migration_poster_id: "authors are matched to accounts during a migration",
  resync_all_sshkeys: "keys are read from the database at every sign-in",
  resync_all_sshprincipals: "there are no principals",
  resync_all_hooks: "repositories have no hook files",
  delete_generated_repository_avatars: "no pictures of repositories are generated",
  update_checker: "no other server is asked for anything by itself; releases are announced where the program comes from",
  rebuild_issue_indexer: "the index is changed in the transaction of every write",
}

export const settledTasks: readonly Task[] = Object.entries(SETTLED).map(([name, why]) => ({
  name,
  run: () => Promise.resolve(`nothing to do: ${why}`),
}))
