import { expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { freshHearth } from "../../../../tests/support/hearth.ts"
import { commitWorkflow, finishRun } from "../../actions/testing.ts"
import { mailConfig, openMailServer } from "./testing.ts"

async function open(kind: FreshKind) {
  const server = await openMailServer()
  const forge = await freshHearth(kind, { mail: mailConfig(server) })
  const close = async () => {
    await forge.close()
    await server.close()
  }
  return { ...forge, server, close }
}

withWorld("mails about failed runs", { open }, ({ test, world }) => {
  test("go to the one who started the run, when it has failed and only then", async () => {
    const ann = await world.person("ann")
    await world.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    await commitWorkflow(world, ann, "ann/lamp")
    const runs = async () => (await world.call(ann, "GET /repos/ann/lamp/actions/runs")).body.workflow_runs
    world.server.arrived.length = 0
    await finishRun(world, (await runs())[0].id, "success")
    await world.call(ann, "POST /repos/ann/lamp/actions/workflows/build.yml/dispatches", { ref: "main" })
    await finishRun(world, (await runs())[0].id, "failure")
    await world.hearth.services.jobs.drain()
    expect(world.server.arrived).toHaveLength(1)
    const [mail] = world.server.arrived
    expect(mail?.to).toBe("ann@example.com")
    expect(mail?.headers.get("subject")).toContain("[ann/lamp] build has failed")
    expect(mail?.parts.get("text/plain")).toContain("/ann/lamp/actions/runs/")
  })
})
