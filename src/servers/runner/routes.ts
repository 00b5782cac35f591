import type { FastifyInstance } from "fastify"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { openSignals } from "../../features/actions/tasks/signals.ts"

/** The protocol of runners: Connect RPC with unary calls, binary or JSON. */

const ROOT = "/api/actions"

/** Serves runners. What speaks the protocol is loaded at the first call: most servers have no runners when they start. */
export function registerRunners(app: FastifyInstance, services: Services): void {
  let opened: ReturnType<typeof open> | undefined
  async function open() {
    const { openConnect } = await import("./connect.ts")
    const signals = await openSignals(services.database)
    return { answer: openConnect(services, signals), signals }
  }
  // Runners in polls are not kept waiting when the server stops.
  app.addHook("preClose", async () => (await opened)?.signals.wake())
  app.addHook("onClose", async () => (await opened)?.signals.close())

  for (const service of ["ping.v1.PingService", "runner.v1.RunnerService"])
    app.all<{ Params: { method: string } }>(`${ROOT}/${service}/:method`, async (request, reply) => {
      opened ??= open()
      const { answer } = await opened.catch((error: unknown) => {
        opened = undefined
        throw error
      })
      const answered = answer(`/${service}/${request.params.method}`, request, reply)
      if (!answered) throw refuse.notFound()
      return answered
    })
}
