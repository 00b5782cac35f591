import type { Transaction } from "../../../../core/database/database.ts"
import type { EventOf } from "../../../../core/events/event.ts"
import { organizationIn, runPayload } from "../../../actions/runs/payload.ts"
import { presentJobs } from "../../../actions/runs/present.ts"
import type { ActionWorkflowJob } from "../../../actions/runs/records.ts"
import { presentState } from "../../../actions/runs/status.ts"
import type { Announcement, Needed } from "../announce.ts"

type RunEvent = EventOf<"run.changed">

/** The events of the jobs of a run, and then of the run itself. */
export function runAnnouncements(
  tx: Transaction,
  { site }: Needed,
  { run, jobs, isRunChanged, actor: sender }: RunEvent,
): readonly Announcement[] {
  let records: Promise<readonly ActionWorkflowJob[]> | undefined
  const recordOf = async (id: number) => {
    records ??= presentJobs(tx, site, jobs)
    return (await records).find((record) => record.id === id)
  }
  const ofJobs = jobs.map(
    (job): Announcement => ({
      event: "workflow_job",
      sender,
      payload: async (home) => ({
        action: presentState(job.state).status,
        workflow_job: await recordOf(job.id),
        ...organizationIn({ site }, home),
      }),
    }),
  )
  const ofRun: Announcement = {
    event: "workflow_run",
    sender,
    payload: (home) => runPayload(tx, { site }, home, run),
  }
  return isRunChanged ? [...ofJobs, ofRun] : ofJobs
}
