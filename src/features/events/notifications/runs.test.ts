import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { commitWorkflow, finishRun } from "../../actions/testing.ts"

withHearth("notifications about runs", { people: ["ann", "ben"] }, ({ test, forge, call, ann, ben }) => {
  const threads = async (by: string, query = "") => (await call(by, `GET /notifications${query}`)).body
  const runs = async () => (await call(ann, "GET /repos/ann/lamp/actions/runs")).body.workflow_runs
  const dispatch = (by: string) => call(by, "POST /repos/ann/lamp/actions/workflows/build.yml/dispatches", { ref: "main" })

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "lamp", private: true, auto_init: true, default_branch: "main" })
    await call(ann, "PUT /repos/ann/lamp/collaborators/ben", { permission: "write" })
    await commitWorkflow(forge, ann, "ann/lamp")
  })
  test.beforeEach(async () => {
    await forge.hearth.services.database.write((tx) => tx.deleteFrom("notifications").execute())
  })

  test("go to the one whose run has failed, and to no one else", async () => {
    const [pushed] = await runs()
    await finishRun(forge, pushed.id, "success")
    expect(await threads(ann)).toEqual([])
    await dispatch(ben)
    const [run] = await runs()
    await finishRun(forge, run.id, "failure")
    expect(await threads(ann)).toEqual([])
    const [thread] = await threads(ben)
    expect(thread).toMatchObject({
      unread: true,
      repository: { full_name: "ann/lamp" },
      subject: { title: "build has failed: add build", type: "Commit", state: "", url: run.url, html_url: run.html_url },
    })
    expect(await threads(ben, "?subject-type=commit")).toHaveLength(1)
    expect(await threads(ben, "?subject-type=issue")).toEqual([])
    expect((await call(ben, "GET /notifications/new")).body).toEqual({ new: 1 })
    expect((await call(ben, `GET /notifications/threads/${thread.id}`)).body).toEqual(thread)
  })

  test("are one for each run: a further attempt that fails makes it unread again, and one that goes well changes its words", async () => {
    await dispatch(ben)
    const [run] = await runs()
    await finishRun(forge, run.id, "failure")
    const [thread] = await threads(ben)
    expect((await call(ben, `PATCH /notifications/threads/${thread.id}`)).status).toBe(205)
    expect(await threads(ben)).toEqual([])
    expect((await call(ben, `POST /repos/ann/lamp/actions/runs/${run.id}/rerun`)).status).toBe(201)
    await finishRun(forge, run.id, "failure")
    expect((await threads(ben)).map(({ id, unread }: { id: number; unread: boolean }) => [id, unread])).toEqual([[thread.id, true]])
    await call(ben, `POST /repos/ann/lamp/actions/runs/${run.id}/rerun`)
    await finishRun(forge, run.id, "success")
    expect((await threads(ben))[0].subject.title).toBe("build: add build")
  })

  test("are gone with the run, and not shown to those who may not read actions any more", async () => {
    await dispatch(ben)
    const [run] = await runs()
    await finishRun(forge, run.id, "failure")
    const [thread] = await threads(ben)
    await call(ann, "PATCH /repos/ann/lamp", { has_actions: false })
    expect(await threads(ben)).toEqual([])
    expect((await call(ben, `GET /notifications/threads/${thread.id}`)).status).toBe(404)
    await call(ann, "PATCH /repos/ann/lamp", { has_actions: true })
    expect(await threads(ben)).toHaveLength(1)
    expect((await call(ann, `DELETE /repos/ann/lamp/actions/runs/${run.id}`)).status).toBe(204)
    expect(await threads(ben)).toEqual([])
    expect((await call(ben, "GET /notifications/new")).body).toEqual({ new: 0 })
  })
})
