import type { Context } from "./process/context.ts"
import type { SharedStoreOptions } from "./store/shared/records.ts"
import { openSharedStore } from "./store/shared/store.ts"
import type { RepositoryStore } from "./store/store.ts"

/** For `openStore` of `openGit`: keeps repositories in a database and an object store; `root` is the folder of a cache then. Loaded only where it is used. */
export const sharedStore =
  (options: Omit<SharedStoreOptions, "root">) =>
  (context: Context): RepositoryStore =>
    openSharedStore(context, { ...options, root: context.root })
