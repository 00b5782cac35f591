import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { type Event, spreadJob } from "./jobs.ts"

/**
 * Keeps a mail for each of these people in the transaction of what it tells of. Does nothing where no mail server is set up.
 */
export async function announce(
  tx: Transaction,
  { config, jobs }: Pick<Services, "config" | "jobs">,
  event: Event,
  receivers: readonly number[],
): Promise<void> {
  if (config.mail.host === "" || receivers.length === 0) return
  await jobs.enqueue(tx, spreadJob, { ...event, receivers: [...receivers] })
}
