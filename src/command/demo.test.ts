import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { type FreshUrl, freshUrl } from "../../tests/support/database.ts"
import { type Serving, serveHearth } from "../app.ts"
import { describeExample, fillExample, requireFresh, storyClock } from "./demo.ts"
import { openShell, type Shell } from "./testing.ts"

const execute = promisify(execFile)
const DAY = 86_400_000
const SPRINKLE = "/repos/dewpoint/sprinkle"

describe.each(["sqlite"] as const)("hearth serve --demo (%s)", (kind) => {
  let shell: Shell
  let fresh: FreshUrl
  let server: Serving
  const out: string[] = []
  const states: string[] = []
  beforeAll(async () => {
    shell = await openShell()
    fresh = await freshUrl(kind)
    const clock = storyClock()
    server = await serveHearth({ env: environment(shell, fresh), now: clock.now })
    await requireFresh(server.services.database.read)
    const shown = terminal(out, states)
    describeExample(shown, server, await fillExample(shown, server, clock))
  })
  afterAll(async () => {
    await server.close()
    await shell.close()
    await fresh.drop()
  })

  async function get(path: string, as?: string): Promise<unknown> {
    const password = /password of each is (\S+) and/.exec(out.join("\n"))?.[1] ?? ""
    const headers = as === undefined ? undefined : { authorization: `Basic ${Buffer.from(`${as}:${password}`).toString("base64")}` }
    const response = await fetch(`${server.url}/api/v1${path}`, headers && { headers })
    return response.json()
  }

  test("says how far it is, and that it is for a fresh server only", async () => {
    expect(states.at(0)).toMatch(/^filling in the example: step 1 of \d+$/)
    expect(states.at(-1)).toBe("")
    await expect(requireFresh(server.services.database.read)).rejects.toThrow("The example is for a fresh server")
    expect(readdirSync(shell.dataDir).filter((name) => name.startsWith("demo-"))).toEqual([])
  })

  test("three people sign in, of an organisation with a team", async () => {
    for (const name of ["mira", "tomas", "noor"])
      expect(await get("/user", name)).toMatchObject({ login: name, is_admin: false, location: expect.stringMatching(/\S/) })
    expect(await get("/orgs/dewpoint/teams", "mira")).toMatchObject([{ name: "Owners" }, { name: "builders" }])
    expect(await get(`${SPRINKLE}/teams`, "mira")).toMatchObject([{ name: "Owners" }, { name: "builders" }])
    expect(await get(SPRINKLE)).toMatchObject({
      empty: false,
      private: false,
      default_branch: "main",
      language: "JavaScript",
      licenses: ["MIT"],
      stars_count: 2,
      topics: ["command-line", "gardening", "javascript", "sensors", "weather"],
      open_issues_count: 2,
      open_pr_counter: 1,
      release_counter: 2,
    })
  })

  test("issues have labels, a milestone and a board", async () => {
    expect(await get(`${SPRINKLE}/issues?type=issues&state=all&milestones=0.3`)).toMatchObject([
      { number: 8, state: "open", labels: [{ name: "enhancement" }], comments: 1, assignees: [{ login: "tomas" }] },
      { number: 5, state: "closed", labels: [{ name: "bug" }], comments: 2 },
      { number: 4, state: "closed", labels: [{ name: "enhancement" }] },
      { number: 3, state: "closed", labels: [{ name: "enhancement" }], assignees: [{ login: "noor" }] },
    ])
    expect(await get(`${SPRINKLE}/milestones`)).toMatchObject([{ title: "0.3", open_issues: 1, closed_issues: 4 }])
    const board = `${SPRINKLE}/projects/${firstId(await get(`${SPRINKLE}/projects`))}`
    const columns = await get(`${board}/columns`)
    expect(columns).toMatchObject([{ title: "To do" }, { title: "In progress" }, { title: "Done" }])
    const cards = await Promise.all(ids(columns).map((id) => get(`${board}/columns/${id}/issues`)))
    expect(cards).toMatchObject([[{ number: 8 }], [{ number: 9 }], [{ number: 3 }, { number: 5 }, { number: 4 }]])
  })

  test("one pull request is reviewed and merged, and closed what it was for; another waits", async () => {
    expect(await get(`${SPRINKLE}/pulls?state=all`)).toMatchObject([
      { number: 9, state: "open", mergeable: true, requested_reviewers: [{ login: "tomas" }] },
      { number: 7, state: "closed", merged: true, merged_by: { login: "mira" }, user: { login: "tomas" } },
    ])
    expect(await get(`${SPRINKLE}/pulls/7/reviews`)).toMatchObject([
      { state: "REQUEST_CHANGES", comments_count: 1, user: { login: "mira" } },
      { state: "APPROVED", user: { login: "mira" } },
    ])
    expect(await get(`${SPRINKLE}/issues/4/timeline`)).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "close" }), expect.objectContaining({ type: "pull_ref" })]),
    )
  })

  test("releases have notes, and the next one is drafted", async () => {
    const notes = expect.stringContaining("\n- ")
    expect(await get(`${SPRINKLE}/releases`)).toMatchObject([
      { tag_name: "v0.2.0", body: notes },
      { tag_name: "v0.1.0", body: notes },
    ])
    expect(await get(`${SPRINKLE}/releases`, "mira")).toMatchObject([{ tag_name: "v0.3.0", draft: true, body: notes }, {}, {}])
  })

  test("it happened over five weeks, the last of it yesterday at the latest", async () => {
    const feed = await get(`${SPRINKLE}/activities/feeds?limit=50`)
    const moments = [...times(feed, "created"), ...times([await get(SPRINKLE)], "created_at")]
    expect(Date.now() - Math.min(...moments)).toBeGreaterThan(36 * DAY)
    expect(Date.now() - Math.max(...moments)).toBeGreaterThan(0)
    expect(Date.now() - Math.max(...moments)).toBeLessThan(3 * DAY)
    expect(new Set(moments.map((moment) => Math.floor(moment / DAY))).size).toBeGreaterThan(15)
    const jobs = server.services.database.read.selectFrom("jobs").select(["kind", "state"])
    expect(await jobs.where("state", "!=", "done").execute()).toEqual([])
  })

  test("the repository can be cloned, and has a history worth looking at", async () => {
    const clone = join(shell.dataDir, "clone")
    const git = async (...args: readonly string[]) => (await execute("git", ["-C", clone, ...args])).stdout.trim().split("\n")
    await execute("git", ["clone", "-q", `${server.url}/dewpoint/sprinkle.git`, clone])
    expect((await git("rev-list", "--all")).length).toBeGreaterThanOrEqual(60)
    expect((await git("log", "--format=%an", "--all")).toSorted()).toEqual(
      expect.arrayContaining(["Mira Holm", "Noor Haddad", "Tomás Reyes"]),
    )
    expect(await git("log", "--format=%s", "--merges", "-1")).toEqual([
      "Merge pull request 'Write down what each bed got' (#7) from csv-export into main",
    ])
    expect(await git("tag")).toEqual(["v0.1.0", "v0.2.0"])
    expect(await git("ls-remote", "--heads", "origin")).toEqual(
      ["balcony", "main"].map((name) => expect.stringMatching(`\trefs/heads/${name}$`)),
    )
    expect(await git("ls-tree", "--name-only", "HEAD")).toEqual(expect.arrayContaining(["LICENSE", "README.md", "src"]))
    expect(await git("fsck", "--strict")).toEqual([""])
    // The commits are as old as the events about them.
    const [first = 0] = (await git("log", "--format=%ct", "--reverse")).map((seconds) => Number(seconds) * 1000)
    expect(Math.floor((first - times([await get(SPRINKLE)], "created_at").reduce((a, b) => a + b)) / DAY)).toBe(0)
    // The example is a working program: its own tests pass.
    await execute(process.execPath, ["--test"], { cwd: clone, env: { PATH: process.env.PATH } })
  })
})

describe("hearth serve --demo, where a name of its people is taken", () => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  test.each([
    ["mira", /^\[username\]: .*mira/],
    ["dewpoint", /^mira, POST \/orgs: 422 /],
  ])("says so of %s, and leaves neither a folder nor a stopped clock behind", async (name, words) => {
    const shell = await openShell()
    closing.push(shell.close)
    const fresh = await freshUrl("sqlite")
    closing.push(fresh.drop)
    const clock = storyClock()
    const server = await serveHearth({ env: { ...environment(shell, fresh), HEARTH_ADMIN_USERNAME: name }, now: clock.now })
    closing.push(async () => void (await server.close()))
    await expect(fillExample(terminal([], []), server, clock)).rejects.toThrow(words)
    expect(Math.abs(Date.now() / 1000 - clock.now())).toBeLessThan(3600)
    expect(readdirSync(shell.dataDir).filter((entry) => entry.startsWith("demo-"))).toEqual([])
  })
})

const environment = (shell: Shell, fresh: FreshUrl) => ({
  HEARTH_DATA_DIR: shell.dataDir,
  HEARTH_DATABASE_URL: fresh.url,
  HEARTH_LOG_LEVEL: "silent",
  HEARTH_HTTP_PORT: "0",
  HEARTH_SSH_PORT: "0",
})

const terminal = (out: string[], states: string[]) => ({
  out: (line: string) => void out.push(line),
  say: () => {},
  progress: (state: string) => void states.push(state),
  interactive: false,
  ask: async () => "",
  input: async () => "",
})

const members = (list: unknown, name: string): unknown[] =>
  Array.isArray(list) ? list.map((item: unknown) => (typeof item === "object" && item !== null ? Reflect.get(item, name) : undefined)) : []
const ids = (list: unknown): readonly number[] => members(list, "id").map(Number)
const firstId = (list: unknown): number => ids(list)[0] ?? 0
const times = (list: unknown, name: string): readonly number[] => members(list, name).map((text) => Date.parse(String(text)))
