import { onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, type Operation, operation } from "../../../core/operation.ts"
import { readsPulls } from "./operations.ts"
import { presentJobs, presentRun } from "./present.ts"
import { ActionWorkflowJob, ActionWorkflowRun } from "./records.ts"
import { rerun } from "./rerun.ts"

const shared = {
  tag: "repository",
  scope: ["repository"],
  access: onRepositoryUnit("actions", "write"),
  archived: "refused",
  refuses: ["badRequest", "notFound", "conflict"],
} as const

/** Reruns. Each is a new attempt; the earlier ones can still be read. */
export const rerunOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "rerunWorkflowRun",
    route: "POST /repos/{owner}/{repo}/actions/runs/{run}/rerun",
    summary: "Re-run a workflow run",
    description: "It must have ended.",
    answers: { 201: ActionWorkflowRun },
    handle: async ({ services, db, actor, path, me, repository, owner, permission }) => {
      const asked = { repository, runId: path.run, actorId: me.id, selection: { of: "all" } } as const
      const { run } = await services.database.write((tx) => rerun(tx, services, asked))
      const record = await presentRun(db, services.site, actor, run, { withPulls: readsPulls({ repository, owner, permission }) })
      if (!record) throw refuse.notFound()
      return created(record)
    },
  }),

  operation({
    ...shared,
    id: "rerunFailedWorkflowRun",
    route: "POST /repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs",
    summary: "Re-run the failed jobs of a run and those that need them",
    description: "The others keep their outcome. It must have ended.",
    answers: { 201: null },
    handle: async ({ services, path, me, repository }) => {
      const asked = { repository, runId: path.run, actorId: me.id, selection: { of: "failed" } } as const
      await services.database.write((tx) => rerun(tx, services, asked))
      return created(undefined)
    },
  }),

  operation({
    ...shared,
    id: "rerunWorkflowJob",
    route: "POST /repos/{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun",
    summary: "Re-run a job and those that need it",
    description: "The others keep their outcome. The run must have ended, and the job be one of its last attempt.",
    answers: { 201: ActionWorkflowJob },
    handle: async ({ services, db, path, me, repository }) => {
      const selection = { of: "job", jobId: path.job_id } as const
      const asked = { repository, runId: path.run, actorId: me.id, selection }
      const { job } = await services.database.write((tx) => rerun(tx, services, asked))
      const [record] = job ? await presentJobs(db, services.site, [job]) : []
      if (!record) throw refuse.notFound()
      return created(record)
    },
  }),
]
