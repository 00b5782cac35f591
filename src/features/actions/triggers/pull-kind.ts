import { randomUUID } from "node:crypto"
import type { Transaction } from "../../../core/database/database.ts"
import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"

/** Workflows that start when something happens to a pull request; what the job does stands in on-pull.ts. */

const StartForPull = Type.Object({
  /** Tells this from everything else that happened, so that nothing is started twice. */
  cause: Type.String(),
  issueId: int64(),
  actorId: int64(),
  /** As workflows name it. */
  action: Type.String(),
  /** The head that it is about; "" for the one that there is by then. */
  headId: Type.String(),
})

export const startForPull = jobKind({ kind: "actions.startForPull", payload: StartForPull })
export type StartForPull = Static<typeof StartForPull>

/** What workflows call the things that happen, by what webhooks call them. */
const ACTIONS: Readonly<Record<string, string>> = {
  opened: "opened",
  closed: "closed",
  reopened: "reopened",
  edited: "edited",
  assigned: "assigned",
  unassigned: "unassigned",
  label_updated: "labeled",
  label_cleared: "unlabeled",
  milestoned: "milestoned",
  demilestoned: "demilestoned",
  synchronized: "synchronize",
  review_requested: "review_requested",
  review_request_removed: "review_request_removed",
}

/** Has workflows started that wait for this, once the transaction is committed: they are read from git. */
export async function startWorkflowsForPull(
  tx: Transaction,
  { jobs }: Pick<Services, "jobs">,
  { issueId, actorId, action: said, headId = "" }: { issueId: number; actorId: number; action: string; headId?: string | undefined },
): Promise<void> {
  const action = Object.hasOwn(ACTIONS, said) ? ACTIONS[said] : undefined
  if (action) await jobs.enqueue(tx, startForPull, { cause: randomUUID(), issueId, actorId, action, headId })
}
