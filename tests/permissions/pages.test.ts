/**
 * Every page and form × everyone × every visibility, by sessions of browsers.
 *
 * Slow: 10,000 requests are sent, and most refusals are whole pages.
 */
import type { FastifyInstance } from "fastify"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { openMetrics } from "../../src/core/metrics.ts"
import { type Page, sentText } from "../../src/core/page.ts"
import Type from "../../src/core/schema.ts"
import { otherwise, pages } from "../../src/pages.ts"
import { openHttp } from "../../src/servers/http.ts"
import { exchange } from "../support/http.ts"
import { type Expected, expected } from "./expectation.ts"
import { buildWorld, type Role, roles, type Visibility, visibilities, type World } from "./world.ts"

const LET_IN = "let in"

/** The page with its own access and, in place of its answer, a word: thousands of requests change nothing. */
const probe = (page: Page): Page => ({
  ...page,
  query: Type.Object({}),
  open: async (request) => {
    await page.open(request)
    return async () => sentText("text/plain", LET_IN)
  },
})

function fileIn(field: string): FormData {
  const form = new FormData()
  form.append(field, new Blob(["x"]), "x.txt")
  return form
}

/** Those who may not sign in have no session, and ask as anyone does. */
const visitors = roles.filter((role) => role !== "inactive" && role !== "prohibited")

/** Whether a page for those who have signed in leads everyone else to signing in, whatever there is. */
const asksFirst = ({ method, rule }: Page): boolean => method === "GET" && rule.signIn === "required"

/** The answer of a page to what the rule says: who could sign in is asked to, and what one may not see is missing. */
function answerTo(page: Page, wanted: Expected, role: Role): string {
  if (role === "anonymous" && asksFirst(page)) return "sign in"
  if (wanted === "in") return LET_IN
  if (wanted === 401 || (wanted === 404 && role === "anonymous" && page.asksToSignIn)) return "sign in"
  return String(wanted === 403 && page.method === "GET" ? 404 : wanted)
}

describe("the permission matrix of pages", () => {
  let hearth: Hearth
  let world: World
  let app: FastifyInstance
  let url: string
  const cookies = new Map<Role, string>()
  const metrics = openMetrics()

  beforeAll(async () => {
    hearth = await startHearth({ halted: true, memory: true })
    world = await buildWorld(hearth)
    app = await openHttp(hearth.services, {
      operations: [],
      web: async () => ({ pages: pages.map(probe), files: [] }),
      metrics,
    })
    url = await app.listen({ host: "127.0.0.1", port: 0 })
    for (const role of visitors) {
      if (role === "anonymous") continue
      const [login = "", password = ""] = Buffer.from(world.authorization(role, "password")?.split(" ")[1] ?? "", "base64")
        .toString()
        .split(/:(.*)/)
      const answer = await fetch(`${hearth.url}/user/login`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ login, password }),
      })
      const [cookie = ""] = answer.headers.getSetCookie().map((text) => text.split(";", 1)[0] ?? "")
      expect(cookie, `${role} could not sign in: ${answer.status}`).not.toBe("")
      cookies.set(role, cookie)
    }
  })
  afterAll(async () => {
    await app?.close()
    metrics.close()
    await hearth?.close()
  })

  const addressOf = ({ address, rule }: Page, visibility: Visibility): string => {
    const values = world.parameters(visibility)
    const owner = rule.subject === "organization" ? values["org"] : values["username"]
    const known: Readonly<Record<string, string | undefined>> = {
      ...values,
      username: owner,
      team: "team",
      ...(address.includes("/reviews/{id}") && { id: values["review_id"] }),
      ...(address.includes("/comments/{id}") && { id: values["comment_id"] }),
      index: /\/pulls?\/\{index\}/.test(address) ? "2" : "1",
    }
    return address.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "1")
  }

  async function ask(page: Page, path: string, role: Role): Promise<string> {
    const cookie = cookies.get(role)
    const answer = await exchange(url + path, {
      method: page.method,
      headers: { accept: "text/html", "sec-fetch-site": "same-origin", ...(cookie === undefined ? {} : { cookie }) },
      ...(page.method === "POST" ? { body: page.upload ? fileIn(page.upload.field) : new URLSearchParams() } : {}),
    })
    if (answer.status === 200 && answer.text === LET_IN) return LET_IN
    // A form asks for the sign-in in place, so that nothing that was typed is lost; a file has to be chosen again.
    const login = `/user/login?redirect_to=${encodeURIComponent(page.upload ? "/" : path)}`
    const asks =
      page.method === "GET" || page.upload ? answer.status === 303 && answer.headers.get("location") === login : answer.status === 401
    return asks ? "sign in" : String(answer.status)
  }

  it.each(pages.map((page) => [`${page.method} ${page.address}`, page] as const))("%s", async (_name, page) => {
    const guarded = { rule: page.rule, scope: [], publicOnly: "allowed", basicOnly: false } as const
    const wrong: string[] = []
    for (const visibility of page.rule.subject === "site" ? (["public"] as const) : visibilities)
      for (const role of visitors) {
        const wanted = answerTo(page, expected(guarded, { role, credential: "password", visibility }), role)
        const got = await ask(page, addressOf(page, visibility), role)
        if (got !== wanted) wrong.push(`${role} on ${visibility}: expected ${wanted}, got ${got}`)
      }
    expect(wrong).toEqual([])
  })

  /** The answer without the address, which it repeats. */
  async function missing(path: string, cookie: string): Promise<string> {
    const answer = await exchange(hearth.url + path, { headers: { accept: "text/html", cookie } })
    const text = answer.text || (answer.headers.get("location") ?? "")
    return `${answer.status} ${text
      .replaceAll(encodeURIComponent(path), "")
      .replaceAll(path, "")
      .replace(/name="q" value="[^"]*"/, "")}`
  }

  const ofRepositories = [...pages, ...otherwise].filter(
    ({ method, rule, address }) => method === "GET" && rule.subject === "repository" && address.includes("{repo}"),
  )
  it.each(ofRepositories.map((page) => [page.address, page] as const))(
    "a hidden repository looks like a missing one: %s",
    async (_name, page) => {
      const hidden = addressOf(page, "private")
      for (const cookie of ["", cookies.get("stranger") ?? ""]) {
        const answer = await missing(hidden, cookie)
        const asks = cookie === "" && (asksFirst(page) || page.asksToSignIn === true)
        expect(answer.startsWith(asks ? "303 /user/login?redirect_to=" : "404 ")).toBe(true)
        expect(answer).toBe(await missing(hidden.replace("/repo", "/gone"), cookie))
        expect(answer).toBe(await missing(hidden.replace("/org-private", "/org-nowhere"), cookie))
      }
    },
  )
})
