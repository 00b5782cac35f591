import { jobKind } from "../../../core/jobs/jobs.ts"
import { enqueueOnce, GATHERING } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { PushStep } from "../pushes/step.ts"
import { findPushMirrorsOnCommit } from "./store.ts"

/** Pushes the repository to a mirror on another server. */
export const pushMirror = jobKind({ kind: "mirrors.push", payload: Type.Object({ pushMirrorId: int64() }) })

/** Schedules pushes to mirrors that are updated on every commit. */
export const pushToMirrors: PushStep =
  async ({ services: { config, jobs } }) =>
  async (tx, { repository, now }) => {
    if (!config.mirror.enabled) return
    for (const { id } of await findPushMirrorsOnCommit(tx, { repositoryId: repository.id }))
      await enqueueOnce(tx, jobs, pushMirror, { pushMirrorId: id }, { runAt: now + GATHERING })
  }
