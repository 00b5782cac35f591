import { connect } from "node:net"
import { performance } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import { expect } from "vitest"
import { appendLog } from "../../src/features/actions/runs/logs.ts"
import { addRunner, commitWorkflow, takeJob } from "../../src/features/actions/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { collectGarbage } from "../support/garbage.ts"

/** A hundred people open the page of a job whose log grows, and their connections take nothing: 20 MB for all of them. */

const READERS = 100

/** What this process holds, once nothing happens in it any more. */
async function held(): Promise<number> {
  for (let quiet = 0; quiet < 2; ) {
    const before = performance.eventLoopUtilization()
    await setTimeout(400)
    quiet = performance.eventLoopUtilization(before).utilization < 0.2 ? quiet + 1 : 0
  }
  // Everything, also what is held weakly and compiled code that is not in use.
  collectGarbage({ flavor: "last-resort" })
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_000_000
}

withHearth("readers of a growing log who take nothing", { people: ["ann"] }, ({ test, forge, ann }) => {
  test("need 20 MB for a hundred", async () => {
    const { services, url } = forge.hearth
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, "ann/lamp")
    const runner = await addRunner(forge, "/repos/ann/lamp", { name: "worker" })
    const repository = await services.database.read.selectFrom("repositories").select(["id", "storage"]).executeTakeFirstOrThrow()
    const at = "/repos/ann/lamp/actions"
    const { body } = await forge.call(ann, `POST ${at}/workflows/build.yml/dispatches?return_run_details=true`, { ref: "main" })
    const run: number = body.workflow_run_id
    const job = Number((await forge.call(ann, `GET ${at}/runs/${run}/jobs`)).body.jobs[0].id)
    const taskId = await takeJob(forge, job, runner, [["Run echo hello", "running"]])
    const content = "what a compiler says of a file, and then some"
    const lines = Array.from({ length: 20_000 }, () => ({ seconds: 1_700_000_000, nanos: 0, content }))
    for (let index = 0; index < 200_000; index += lines.length)
      await appendLog(services, { repository, taskId, index, lines, isLast: false })

    const { hostname, port } = new URL(url)
    const path = `/ann/lamp/actions/runs/${run}/jobs/${job}/events?task=${taskId}&from=0`
    const open = async (many: number) => {
      const begun: string[] = []
      const sockets = Array.from({ length: many }, () => {
        const buffer = Buffer.alloc(1024)
        const callback = (size: number) => {
          begun.push(buffer.toString("latin1", 0, size))
          // Takes nothing more.
          return false
        }
        const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } })
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
        return socket
      })
      await expect.poll(() => begun.length).toBe(many)
      expect(begun.filter((text) => !text.includes("text/event-stream"))).toEqual([])
      return sockets
    }
    // What readers need is loaded and compiled with the first of them, and is not what each one holds.
    for (const socket of await open(READERS)) socket.destroy()
    const before = await held()
    const sockets = await open(READERS)
    const after = await held()
    for (const socket of sockets) socket.destroy()
    expect(after - before).toBeLessThan(20)
  })
})
