import { describe, expect, it } from "vitest"
import { routeRefusals } from "./routes.ts"

const LIST = [
  "servers/protocols.ts",
  'import { registerLfs } from "./lfs/routes.ts"\nimport { registerHealth } from "./health.ts"\n',
] as const
const route = (file: string, text = 'export const register = (app: FastifyInstance) => app.get("/x", answer)\n') => [file, text] as const

describe("the check of routes", () => {
  it.each(["servers/lfs/transfers.ts", "servers/health.ts", "servers/routing/routes.ts"])("lets those of a protocol pass: %s", (file) => {
    expect(routeRefusals([LIST, route(file)])).toEqual([])
  })
  it.each(["servers/web/raw.ts", "servers/http.ts", "servers/healthy.ts", "features/people/avatars/routes.ts"])(
    "refuses those of others with a sentence that says what to do instead: %s",
    (file) => {
      expect(routeRefusals([LIST, route(file)])).toEqual([expect.stringContaining(`${file}:1 registers a route: declare an operation`)])
    },
  )
  it("knows an application by whatever name it has, and takes nothing else for one", () => {
    const scoped = "function register(app: FastifyInstance) {\n  app.register(async (inner) => {\n    inner.route<Params>({})\n  })\n}\n"
    expect(routeRefusals([LIST, route("servers/web/raw.ts", scoped)])).toHaveLength(1)
    const other = 'function open(app: FastifyInstance) {\n  app.addHook("onRequest", hook)\n  return cache.get("/x")\n}\n'
    expect(routeRefusals([LIST, route("servers/web/pages/events.ts", other)])).toEqual([])
  })
})
