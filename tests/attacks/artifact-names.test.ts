/*
 * A job uploads artifacts called `.` and `..`: tools that unpack an artifact into a folder of its name write where they were not meant to. Both protocols refuse such names.
 */
import { expect } from "vitest"
import { runJob, twirp } from "../../src/servers/runner/results/testing.ts"
import { withHearth } from "../support/fixture.ts"

withHearth("artifacts called like folders", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  test("are refused in both protocols", async () => {
    await call(ann, "POST /user/repos", { name: "lamp", auto_init: true })
    const job = await runJob(forge, "ann/lamp")
    const byFiles = async (name: string) => {
      const answer = await fetch(`${forge.hearth.url}/api/actions_pipeline/_apis/pipelines/workflows/${job.runId}/artifacts`, {
        method: "POST",
        headers: { authorization: `Bearer ${job.token}`, "content-type": "application/json" },
        body: JSON.stringify({ Type: "actions_storage", Name: name }),
      })
      return answer.status
    }
    const byZip = async (name: string) =>
      (await twirp(forge, job.token, "ArtifactService/CreateArtifact", { workflow_run_backend_id: String(job.runId), name })).status
    for (const name of [".", "..", "../x", "a/../b"]) expect([name, await byFiles(name), await byZip(name)]).toEqual([name, 422, 400])
    for (const name of ["...", ".x", "x.."]) expect([name, await byFiles(name), await byZip(name)]).toEqual([name, 200, 200])
  })
})
