import { jobKind } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { PushStep } from "../pushes/step.ts"
import { findPushMirrorsOnCommit } from "./store.ts"

/** Makes another server's copy agree with the repository. */
export const pushMirror = jobKind({ kind: "mirrors.push", payload: Type.Object({ pushMirrorId: int64() }) })

/** Those who push often push again at once; both go out together then. Seconds. */
const PAUSE = 2

/** Mirrors that want to know of every commit are pushed to soon. */
export const pushToMirrors: PushStep =
  async ({ services: { config, jobs } }) =>
  async (tx, { repository, now }) => {
    if (!config.mirror.enabled) return
    for (const { id } of await findPushMirrorsOnCommit(tx, { repositoryId: repository.id }))
      await enqueueOnce(tx, jobs, pushMirror, { pushMirrorId: id }, { runAt: now + PAUSE })
  }
