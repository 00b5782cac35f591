import type { Owned } from "../../../../access/permission.ts"
import { anonymous } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { EventOf } from "../../../../core/events/catalogue.ts"
import { disabledWorkflows } from "../../../actions/definitions/store.ts"
import { readCommit } from "../../../actions/runs/checked-commit.ts"
import { presentJobs, presentRun } from "../../../actions/runs/present.ts"
import type { ActionWorkflowJob } from "../../../actions/runs/records.ts"
import { isDone, presentState } from "../../../actions/runs/status.ts"
import { presentWorkflow } from "../../../actions/workflows/present.ts"
import { presentOrganization } from "../../../people/organizations/present.ts"
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
        ...organizationOf(site, home),
      }),
    }),
  )
  const ofRun: Announcement = {
    event: "workflow_run",
    sender,
    payload: async (home) => ({
      action: actionOf(run.state),
      workflow: await workflowOf(tx, site, home, run),
      workflow_run: await presentRun(tx, site, anonymous, run, { withPulls: true }),
      ...organizationOf(site, home),
    }),
  }
  return isRunChanged ? [...ofJobs, ofRun] : ofJobs
}

const actionOf = (state: RunEvent["run"]["state"]): "requested" | "in_progress" | "completed" =>
  isDone(state) ? "completed" : state === "running" || state === "cancelling" ? "in_progress" : "requested"

const organizationOf = (site: Needed["site"], { owner }: Owned) =>
  owner.kind === "organization" ? { organization: presentOrganization(site, owner, anonymous) } : {}

const workflowOf = async (tx: Transaction, site: Needed["site"], home: Owned, run: RunEvent["run"]) =>
  presentWorkflow(site, home, {
    file: run.workflow,
    folder: run.workflow_folder,
    name: run.workflow_name,
    isDisabled: (await disabledWorkflows(tx, run.repository_id)).has(run.workflow),
    writtenAt: readCommit(run.checked_commit).author.when,
  })
