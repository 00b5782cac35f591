import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { queueRepository } from "../../review/queue/testing.ts"
import { commitWorkflow, finishRun, repositoryId } from "../testing.ts"

const WORKFLOW = "name: CI\non: {merge_group: {branches: [main]}}\njobs: {test: {runs-on: nowhere}}\n"

withHearth("workflows that test merge queues", { people: ["ann"] }, ({ test, forge, call, ann, settle }) => {
  const runs = async () =>
    forge.hearth.services.database.read
      .selectFrom("action_runs")
      .select(["id", "event", "ref", "commit_id", "state"])
      .where("repository_id", "=", await repositoryId(forge, "ann/kitchen"))
      .where("event", "=", "merge_group")
      .orderBy("id")
      .execute()

  test("run on the commit of a trial; they end with a trial that is dropped, and land one by their status", async () => {
    const repo = await queueRepository(forge, { name: "ann", as: ann }, "kitchen", {
      status_check_contexts: ["CI / test (pull_request)"],
    })
    await commitWorkflow(forge, ann, "ann/kitchen", { text: WORKFLOW })
    const number = await repo.pull("soup")
    await repo.lineUp(number)
    await settle()
    const { trial } = await repo.queue()
    const [first] = await runs()
    expect(first).toMatchObject({ ref: trial.ref, commit_id: trial.head_sha, state: "waiting" })
    await call(ann, `DELETE ${repo.at}/pulls/${number}/queue`)
    await settle()
    expect(await runs()).toMatchObject([{ state: "cancelled" }])

    await repo.lineUp(number)
    await settle()
    const [, second] = await runs()
    expect((await repo.queue()).trial.head_sha).toBe(second?.commit_id)
    await finishRun(forge, second?.id ?? 0, "success")
    await settle()
    expect([await repo.isMerged(number), await repo.tip()]).toEqual([true, second?.commit_id])
  })
})
