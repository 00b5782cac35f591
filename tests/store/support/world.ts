/** A whole server whose files are in an object store. */
import { openWorld, type World } from "../../../src/servers/git-http/testing.ts"
import type { FreshKind } from "../../support/database.ts"
import { openTestStore, type TestStore } from "./store.ts"

export interface StoreWorld extends World {
  readonly store: TestStore
}

export async function openStoreWorld(kind: FreshKind): Promise<StoreWorld> {
  const store = await openTestStore()
  const world = await openWorld(kind, { storage: store.storage })
  return {
    ...world,
    store,
    async close() {
      await world.close()
      await store.close()
    },
  }
}
