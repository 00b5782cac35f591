/** Every file × every kind of caller × every visibility × every credential, and by sessions of browsers. */
import type { FastifyInstance } from "fastify"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { madeDownload } from "../../src/core/download.ts"
import type { File } from "../../src/core/file.ts"
import { openMetrics } from "../../src/core/metrics.ts"
import Type from "../../src/core/schema.ts"
import { files } from "../../src/files.ts"
import { openHttp } from "../../src/servers/http.ts"
import { sessionOf } from "../support/session.ts"
import { type Expected, expected } from "./expectation.ts"
import { buildWorld, credentials, PASSWORD, type Role, roles, type Visibility, visibilities, type World } from "./world.ts"

const LET_IN = "let in"

/** The file with its own access and, in place of its bytes, a word. */
const probe = (file: File): File => ({
  ...file,
  query: Type.Object({}),
  open: async (request) => {
    await file.open(request)
    return async () => madeDownload("text/plain", LET_IN)
  },
})

/** What a token must be allowed to read for the files whose subject says so. */
const SAID_BY_SUBJECT = { "attachments.file": ["issue"], "attachments.fileOfRepository": ["issue"] } as const
const scopeOf = ({ id, programs = [] }: File) => Object.entries(SAID_BY_SUBJECT).find(([known]) => known === id)?.[1] ?? programs

describe("the permission matrix of files", () => {
  let hearth: Hearth
  let world: World
  let app: FastifyInstance
  let url: string
  const cookies = new Map<Role, string>()
  const metrics = openMetrics()

  beforeAll(async () => {
    hearth = await startHearth({
      halted: true,
      memory: true,
      config: { security: { guesses: { perAccount: 100_000, perAddress: 100_000 } } },
    })
    world = await buildWorld(hearth)
    app = await openHttp(hearth.services, {
      operations: [],
      web: async () => ({ pages: [], files: files.map(probe) }),
      metrics,
    })
    url = await app.listen({ host: "127.0.0.1", port: 0 })
    for (const role of roles)
      if (!["anonymous", "inactive", "prohibited"].includes(role))
        cookies.set(role, await sessionOf(hearth.url, role.toLowerCase(), PASSWORD))
  })
  afterAll(async () => {
    await app?.close()
    metrics.close()
    await hearth?.close()
  })

  const addressOf = ({ address }: File, visibility: Visibility): string => {
    const known: Readonly<Record<string, string>> = { ...world.parameters(visibility), index: "2", diffType: "diff" }
    return address.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "1")
  }

  async function ask(path: string, headers: Readonly<Record<string, string>>): Promise<Expected> {
    const answer = await fetch(url + path, { headers, redirect: "manual" })
    const text = await answer.text()
    if (answer.status === 200 && text === LET_IN) return "in"
    if (answer.status === 401 || answer.status === 403 || answer.status === 404) return answer.status
    throw new Error(`${path} was answered with ${answer.status} ${text}`)
  }

  it.each(files.map((file) => [file.address, file] as const))("%s", async (_address, file) => {
    const scope = scopeOf(file)
    const guarded = { rule: file.rule, scope, publicOnly: "allowed", basicOnly: false } as const
    const wrong: string[] = []
    for (const visibility of file.rule.subject === "site" ? (["public"] as const) : visibilities)
      for (const role of roles) {
        for (const credential of role === "anonymous" ? (["password"] as const) : credentials) {
          const authorization = world.authorization(role, credential)
          // Where no credentials are looked at, all are anonymous; a token without the scope is not told what there is.
          const cell = { role: file.programs === undefined ? ("anonymous" as const) : role, credential, visibility }
          const isNarrow = credential === "narrow" && scope.length > 0 && !["anonymous", "inactive", "prohibited"].includes(cell.role)
          const wanted = isNarrow ? 404 : expected(guarded, cell)
          const got = await ask(addressOf(file, visibility), authorization ? { authorization } : {})
          if (got !== wanted) wrong.push(`${role} by ${credential} on ${visibility}: expected ${wanted}, got ${got}`)
        }
        const cookie = cookies.get(role)
        if (cookie === undefined) continue
        const wanted = expected(guarded, { role: file.programs === undefined ? "anonymous" : role, credential: "password", visibility })
        const got = await ask(addressOf(file, visibility), { cookie })
        if (got !== wanted) wrong.push(`${role} by session on ${visibility}: expected ${wanted}, got ${got}`)
      }
    expect(wrong).toEqual([])
  })
})
