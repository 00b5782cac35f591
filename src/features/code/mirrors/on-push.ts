import { enqueueOnce } from "../../../core/jobs/once.ts"
import type { Consequence } from "../pushes/consequences.ts"
import { pushKind } from "./kinds.ts"
import { findPushMirrorsOnCommit } from "./store.ts"

/** Those who push often push again at once; both go out together then. Seconds. */
const PAUSE = 2

/** Mirrors that want to know of every commit are pushed to soon. */
export const pushToMirrors: Consequence =
  async ({ services: { config, jobs } }) =>
  async (tx, { repository, now }) => {
    if (!config.mirror.enabled) return
    for (const { id } of await findPushMirrorsOnCommit(tx, { repositoryId: repository.id }))
      await enqueueOnce(tx, jobs, pushKind, { pushMirrorId: id }, { runAt: now + PAUSE })
  }
