import type { FastifyInstance } from "fastify"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { LARGEST_SUMMARY, storeSummary } from "../../../features/actions/runs/summaries.ts"
import type { Masks } from "../../../features/actions/tasks/masks.ts"
import { sendRefusal } from "../../api/answer.ts"
import { requireTask } from "./twirp.ts"

/** Summaries of jobs, which newer runners send after each step. */

const PATH = "/api/actions_pipeline/_apis/pipelines/workflows/:run/jobs/:job/steps/:step/summary"
/** What a runner that knows no better calls Markdown. */
const TYPES = new Set(["text/markdown", "application/octet-stream", ""])

export async function registerSummaries(app: FastifyInstance, services: Services): Promise<void> {
  let masks: Masks | undefined
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: LARGEST_SUMMARY }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))

    scope.put<{ readonly Params: { readonly run: string; readonly job: string; readonly step: string } }>(PATH, async (request, reply) => {
      const { task, job, run, repository } = await requireTask(services, request)
      if (request.params.run !== String(run.id)) throw refuse.badRequest("run_id mismatch: this token belongs to another run")
      if (request.params.job !== String(job.id)) throw refuse.badRequest("job_id mismatch: this token belongs to another job")
      if (!/^\d{1,9}$/.test(request.params.step)) throw refuse.badRequest("step_index mismatch: steps are numbered from 0")
      const step = Number(request.params.step)
      const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
      if (!TYPES.has(type)) throw refuse.unsupportedMediaType("a summary is text/markdown")
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      // What reads secrets is loaded with the first job.
      const { openMasks, workOfMasking } = await import("../../../features/actions/tasks/masks.ts")
      masks ??= openMasks(services)
      const { mask } = await masks.of({ id: task.id, job_id: job.id, repository_id: repository.id })
      // What a database can't store is no text.
      const content = await mask(body.toString("utf8").replaceAll("\0", ""), workOfMasking(services))
      await services.database.write((tx) => storeSummary(tx, { taskId: task.id, runId: run.id, jobId: job.id, step, content }))
      return reply
        .type("application/json")
        .header("cache-control", "no-store")
        .send(JSON.stringify({ message: content === "" ? "cleared" : "success", sizeBytes: body.length, runAttempt: job.attempt }))
    })
  })
}
