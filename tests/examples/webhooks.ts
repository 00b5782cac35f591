import { type Person, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"

/** No server listens there, and the guard refuses it anyway. */
const body = { type: "gitea", config: { url: "http://127.0.0.1:9/in", content_type: "json" }, name: "bell", events: ["push", "issues"] }

interface Scope {
  readonly prefix: string
  readonly make: (world: World) => Promise<{ readonly who: Person | "root"; readonly path: Readonly<Record<string, string>> }>
}

const scopes = {
  admin: { prefix: "/admin", make: async () => ({ who: "root", path: {} }) },
  org: {
    prefix: "/orgs/{org}",
    make: async (world) => {
      const owner = await world.person()
      return { who: owner, path: { org: (await world.organization(owner)).name } }
    },
  },
  user: { prefix: "/user", make: async (world) => ({ who: await world.person(), path: {} }) },
  repo: {
    prefix: "/repos/{owner}/{repo}",
    make: async (world) => {
      const who = await world.person()
      const { owner, repo } = await world.repository(who, { auto_init: true })
      return { who, path: { owner, repo } }
    },
  },
} as const satisfies Readonly<Record<string, Scope>>

const fill = (route: string, path: Readonly<Record<string, string>>): string =>
  route.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "")

/** So many webhooks in a scope, the first of them with as many deliveries. */
async function hooked(world: World, { prefix, make }: Scope, size = 1) {
  const { who, path } = await make(world)
  const hooks = await times(size, () =>
    world.must<{ readonly id: number }>(who, `POST ${fill(prefix, path)}/hooks`, {
      ...body,
      config: { ...body.config, is_system_webhook: "true" },
    }),
  )
  const id = hooks[0]?.id ?? 0
  const { database, now } = world.hearth.services
  const rows = Array.from({ length: size }, (_, index) => ({
    webhook_id: id,
    uuid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    event: "push",
    payload: "{}",
    state: "failed" as const,
    created_at: now(),
    started_at: now(),
    next_attempt_at: 0,
  }))
  const deliveries = await database.write((tx) => tx.insertInto("webhook_deliveries").values(rows).returning("id").execute())
  return {
    ...(who !== "root" && { authorization: who.authorization }),
    path: { ...path, id, delivery_id: deliveries[0]?.id ?? 0 },
  }
}

function examplesOf(name: string, scope: Scope): Examples {
  const one: MakeExample = (world) => hooked(world, scope)
  const many: MakeExample = (world, size) => hooked(world, scope, size)
  return {
    [`${name}ListHooks`]: many,
    [`${name}CreateHook`]: async (world) => ({ ...(await hooked(world, scope)), body }),
    [`${name}GetHook`]: one,
    [`${name}EditHook`]: async (world) => ({ ...(await hooked(world, scope)), body: { active: true, events: ["release"] } }),
    [`${name}DeleteHook`]: one,
    [`${name}ListHookDeliveries`]: many,
    [`${name}GetHookDelivery`]: one,
    [`${name}RedeliverHookDelivery`]: one,
  }
}

const script =
  (status: number): MakeExample =>
  async (world) => {
    const { path, ...rest } = await hooked(world, scopes.repo)
    return { ...rest, path: { ...path, id: "pre-receive" }, status }
  }

export const webhookExamples: Examples = {
  ...examplesOf("admin", scopes.admin),
  ...examplesOf("org", scopes.org),
  ...examplesOf("user", scopes.user),
  ...examplesOf("repo", scopes.repo),
  repoTestHook: (world) => hooked(world, scopes.repo),
  repoListGitHooks: (world) => hooked(world, scopes.repo),
  repoGetGitHook: script(404),
  repoEditGitHook: async (world, size) => ({ ...(await script(403)(world, size)), body: { content: "" } }),
  repoDeleteGitHook: script(404),
}
