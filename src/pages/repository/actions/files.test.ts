import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { commitWorkflow, finishRun } from "../../../features/actions/testing.ts"

withHearth("badges of workflows", { people: ["ann", "eve"] }, ({ test, forge, ann, eve, call }) => {
  test.beforeAll(async () => {
    for (const name of ["open", "closed"]) {
      await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main", private: name === "closed" })
      await commitWorkflow(forge, ann, `ann/${name}`)
    }
  })
  const badge = async (path: string, who?: string) => {
    const answer = await fetch(`${forge.hearth.url}/ann/${path}`, { redirect: "manual", ...(who && { headers: { authorization: who } }) })
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
  }

  test("say the state of the last run under the name of the workflow", async () => {
    const at = "open/actions/workflows/build.yml/badge.svg"
    expect(await badge(at)).toMatchObject({
      status: 200,
      type: "image/svg+xml",
      text: expect.stringContaining("<title>build: waiting</title>"),
    })
    const { body } = await call(ann, "GET /repos/ann/open/actions/runs")
    await finishRun(forge, body.workflow_runs[0].id, "success")
    expect((await badge(at)).text).toContain("build: success")
    expect((await badge(`${at}?label=${encodeURIComponent("<b>&")}`)).text).toContain("<title>&lt;b&gt;&amp;: success</title>")
    for (const query of ["branch=other", "event=schedule"]) expect((await badge(`${at}?${query}`)).text).toContain("build: no status")
    expect((await badge("open/actions/workflows/sub%2Fnothing.yml/badge.svg")).text).toContain("sub/nothing: no status")
  })

  test("of private repositories are for those who may read them", async () => {
    const at = "closed/actions/workflows/build.yml/badge.svg"
    expect((await badge(at)).status).toBe(404)
    expect((await badge(at, eve)).status).toBe(404)
    expect((await badge(at, ann)).status).toBe(200)
    expect((await badge("nothing/actions/workflows/build.yml/badge.svg")).status).toBe(404)
  })

  test("lead on when the repository was renamed", async () => {
    await call(ann, "PATCH /repos/ann/open", { name: "wide" })
    const { status } = await badge("open/actions/workflows/build.yml/badge.svg?branch=main")
    expect(status).toBe(307)
    expect((await badge("wide/actions/workflows/build.yml/badge.svg")).status).toBe(200)
  })
})
