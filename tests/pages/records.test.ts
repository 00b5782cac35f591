import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { operations } from "../../src/operations.ts"
import { type DemoWorld, openDemoWorld } from "./world.ts"

/** Members of records that hold addresses for people, or of what can be downloaded. */
const MEMBERS =
  /^(html_url|compare_url|avatar_url|download_url|browser_download_url|raw_url|diff_url|patch_url|zipball_url|tarball_url|badge_url|target_url|external_url|original_url)$/

/** Answers that say nothing of other records, or are no records. */
const LEFT_OUT =
  /^\/(?:swagger|markdown|markup|version|settings|gitignore|licenses|label\/templates|admin|nodeinfo|signing-key)|\/archive\/|\/raw\/|\/media\/|\{diffType\}|token/

/** The API's records lead to pages: for those who may see them, and for no one else. */
describe("addresses in records", () => {
  let world: DemoWorld
  let cookie: string
  /** Each address with an operation and a member that give it. */
  const addresses = new Map<string, string>()

  beforeAll(async () => {
    world = await openDemoWorld("sqlite")
    cookie = await world.signIn("mira")
    const values = await valuesOf(world)
    for (const { method, path } of operations) {
      if (method !== "GET" || LEFT_OUT.test(path)) continue
      const route = path.replace(/\{(\w+)\}/g, (_, name: string) => valueFor(path, name, values))
      const answer = await world.call("mira", `GET ${route}`)
      const text = await answer.text()
      if (answer.status !== 200 || !answer.headers.get("content-type")?.startsWith("application/json;")) continue
      const found: unknown = JSON.parse(text)
      collect(found, (member, address) => {
        if (address.startsWith(world.url) && !address.startsWith(`${world.url}/api/`) && !addresses.has(address))
          addresses.set(address, `${member} of ${path}`)
      })
    }
  })
  afterAll(() => world?.close())

  const ask = async (address: string, reader: string): Promise<number> => {
    const answer = await fetch(address, { redirect: "manual", headers: { accept: "text/html", cookie: reader } })
    await answer.arrayBuffer()
    return answer.status
  }

  /** Those that are answered otherwise than they should be. */
  async function wrongOf(reader: string, wanted: readonly number[], among: readonly string[]): Promise<readonly string[]> {
    const wrong: string[] = []
    for (const address of among) {
      const status = await ask(address, reader)
      if (!wanted.includes(status)) wrong.push(`${status} ${address.slice(world.url.length)} (${addresses.get(address)})`)
    }
    return wrong
  }

  test("lead a member to pages", async () => {
    expect(addresses.size).toBeGreaterThan(40)
    expect(await wrongOf(cookie, [200, 302, 303], [...addresses.keys()])).toEqual([])
  })

  test("are missing for others once the repository is private", async () => {
    expect((await world.call("mira", "PATCH /repos/dewpoint/sprinkle", { private: true })).status).toBe(200)
    const inside = [...addresses.keys()].filter((address) => address.startsWith(`${world.url}/dewpoint/sprinkle`))
    expect(inside.length).toBeGreaterThan(20)
    expect(await wrongOf("", [404], inside)).toEqual([])
    expect(await wrongOf(await world.signIn("anonymous"), [404], inside)).toEqual([])
    expect(await wrongOf(cookie, [200, 302, 303], inside)).toEqual([])
  })
})

function collect(value: unknown, found: (member: string, address: string) => void): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found)
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      // The tag of a draft is not there yet.
      if ("draft" in value && value.draft === true && /^(zip|tar)ball_url$/.test(name)) continue
      if (MEMBERS.test(name) && typeof member === "string" && member !== "") found(name, member)
      else collect(member, found)
    }
}

type Values = Readonly<Record<string, string>>

/** What stands for the names in paths of operations. */
async function valuesOf(world: DemoWorld): Promise<Values> {
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const record = async (route: string): Promise<any> => (await world.call("mira", `GET ${route}`)).json()
  const at = "/repos/dewpoint/sprinkle"
  const [commit] = await record(`${at}/commits`)
  const [comment] = await record(`${at}/issues/comments`)
  const [release] = await record(`${at}/releases`)
  const [team] = await record("/orgs/dewpoint/teams")
  const [review] = await record(`${at}/pulls/7/reviews`)
  const [column] = await record(`${at}/projects/1/columns`)
  return {
    owner: "dewpoint",
    repo: "sprinkle",
    username: "mira",
    user: "mira",
    org: "dewpoint",
    filepath: "README.md",
    branch: "main",
    sha: commit.sha,
    ref: "main",
    tag: "v0.2.0",
    index: "1",
    basehead: "v0.1.0...main",
    pageName: "Home",
    comment: String(comment.id),
    release: String(release.id),
    team: String(team.id),
    review: String(review.id),
    column: String(column?.id ?? 1),
    base: "main",
    head: "balcony",
    topic: "gardening",
    collaborator: "tomas",
  }
}

function valueFor(path: string, name: string, values: Values): string {
  if (name === "index" && path.includes("/pulls/")) return "7"
  if (name === "id") {
    const [, subject = ""] = /\/(\w+?)s\/\{id\}/.exec(path) ?? []
    return values[subject] ?? "1"
  }
  return values[name] ?? values[name.replace(/_id$/, "")] ?? "1"
}
