import { randomInt } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { openReceiver, type Receiver } from "../../src/features/events/webhooks/testing.ts"
import { basic, must, send } from "../support/http.ts"
import { freePort } from "../support/ports.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { git } from "./load.ts"
import { allWorkers, isThere, until } from "./workers.ts"

/**
 * Workers of a server are killed at random while people write and push, and their supervisor now and then, after which the server is started again.
 * `HEARTH_TEST_KILLS=100` kills so many workers, and a supervisor for every ten.
 * Slow: each kill is followed by the start of a process.
 */

const KILLS = Number(process.env["HEARTH_TEST_KILLS"] ?? 6)
const SUPERVISOR_EVERY = KILLS < 10 ? Math.ceil(KILLS / 2) : 10
const PROCESSES = 3
const JOBS_AT_ONCE = 4
const PASSWORD = "root-pass-1"
const authorization = basic("root", PASSWORD)

interface Pushed {
  readonly branch: string
  readonly clone: string
  /** The commit that was acknowledged last, and the one that is being pushed. */
  acknowledged: string
  pushing: string
}

/** What was acknowledged. */
interface Ledger {
  /** Titles of issues by their numbers. */
  readonly issues: Map<number, string>
  readonly comments: Map<number, string>
  readonly stars: Set<string>
  readonly pushes: readonly Pushed[]
}

describe("kill -9 of workers and of their supervisor under load", () => {
  let folder: string
  let receiver: Receiver
  let server: ServerProcess | undefined
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-workers-"))
    receiver = await openReceiver()
  })
  afterAll(async () => {
    await server?.kill()
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
  })

  it("loses nothing that was acknowledged, doubles no number and does no job twice", { timeout: 7_200_000 }, async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const start = async (): Promise<ServerProcess> => {
      server = await startServer({
        HEARTH_DATA_DIR: join(folder, "data"),
        HEARTH_ADMIN_PASSWORD: PASSWORD,
        HEARTH_PROCESSES: String(PROCESSES),
        HEARTH_HTTP_PORT: String(port),
        HEARTH_OUTGOING_ALLOWED_HOSTS: "loopback",
        HEARTH_JOBS_WORKERS: String(JOBS_AT_ONCE),
      })
      return server
    }
    let running = await start()
    const ledger = await prepare(url)
    let isOver = false
    const load = work(url, ledger, () => isOver)

    // While none is killed, each job is done once.
    await until(() => receiver.received.length >= 40)
    expect(repeated(receiver)).toEqual([])
    const calm = new Set(receiver.received.map(deliveryOf))

    let ended = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const workers = await allWorkers(running, PROCESSES)
      const before = ledger.issues.size
      await until(() => ledger.issues.size >= before + 3)
      await sleep(randomInt(300))
      const victim = workers[randomInt(workers.length)] ?? 0
      process.kill(victim, "SIGKILL")
      ended += 1
      await until(() => !running.workers().includes(victim))
      if (kill % SUPERVISOR_EVERY !== 0) continue
      await sleep(randomInt(300))
      await running.kill()
      ended += PROCESSES
      await until(() => !workers.some(isThere))
      running = await start()
    }
    const before = ledger.pushes.map(({ acknowledged }) => acknowledged)
    await until(() => ledger.pushes.every(({ acknowledged }, index) => acknowledged !== before[index]))
    isOver = true
    await load
    // Not stopped: what is interrupted by a stop counts no attempt.
    await running.kill()
    ended += PROCESSES

    const hearth = await startHearth({
      env: {},
      config: {
        dataDir: join(folder, "data"),
        http: { port: 0 },
        ssh: { port: 0 },
        log: { level: "silent" },
        outgoing: { allowedHosts: "loopback" },
      },
    })
    try {
      await expectAll(hearth, ledger)
      await expectOnce(hearth, { receiver, calm, ended })
    } finally {
      await hearth.close()
    }
    console.info(
      `${KILLS} workers and ${Math.floor(KILLS / SUPERVISOR_EVERY)} supervisors were killed while ${ledger.issues.size} issues, ` +
        `${ledger.comments.size} comments and ${ledger.stars.size} stars were acknowledged; ${receiver.received.length} deliveries, ` +
        `${repeated(receiver).length} of them again`,
    )
  })

  async function prepare(url: string): Promise<Ledger> {
    for (const name of ["told", "pushed"]) await must(url, "POST", "/user/repos", { authorization, body: { name } })
    await must(url, "POST", "/repos/root/told/issues", { authorization, body: { title: "discussed" } })
    const config = { url: receiver.url, content_type: "json" }
    const body = { type: "gitea", active: true, events: ["issues_only"], config }
    await must(url, "POST", "/repos/root/told/hooks", { authorization, body })
    const pushes: Pushed[] = []
    for (const branch of ["left", "right"]) {
      const clone = join(folder, branch)
      await git(folder, "init", "--quiet", `--initial-branch=${branch}`, clone)
      pushes.push({ branch, clone, acknowledged: "", pushing: "" })
    }
    return { issues: new Map(), comments: new Map(), stars: new Set(), pushes }
  }

  /** Eight people write and two push, until it is over. What has no answer may have been done or not, and is not repeated. */
  async function work(url: string, ledger: Ledger, isOver: () => boolean): Promise<void> {
    const ask = async (path: string, body: unknown): Promise<{ readonly [name: string]: unknown } | undefined> => {
      const answer = await send(url, "POST", path, { authorization, body }).catch(() => undefined)
      if (answer === undefined) return undefined
      if (answer.status >= 300) throw new Error(`POST ${path} was answered with ${answer.status} ${answer.text}`)
      return JSON.parse(answer.text)
    }
    const endlessly = async (step: (count: number) => Promise<void>): Promise<void> => {
      for (let count = 0; !isOver(); count++) {
        await step(count)
        await sleep(30)
      }
    }
    await Promise.all([
      ...[1, 2, 3, 4].map((writer) =>
        endlessly(async (count) => {
          const title = `${writer} ${count}`
          const made = await ask("/repos/root/told/issues", { title })
          if (made) ledger.issues.set(Number(made["number"]), title)
        }),
      ),
      ...[5, 6].map((writer) =>
        endlessly(async (count) => {
          const made = await ask("/repos/root/told/issues/1/comments", { body: `${writer} ${count}` })
          if (made) ledger.comments.set(Number(made["id"]), `${writer} ${count}`)
        }),
      ),
      ...[7, 8].map((writer) =>
        endlessly(async (count) => {
          const name = `starred-${writer}-${count}`
          if (!(await ask("/user/repos", { name }))) return
          const starred = await send(url, "PUT", `/user/starred/root/${name}`, { authorization }).catch(() => undefined)
          if (starred?.status === 204) ledger.stars.add(name)
        }),
      ),
      ...ledger.pushes.map((pushed) => endlessly((count) => push(url, pushed, count))),
    ])
  }

  /** Pushes a commit; after a failure the next one brings it along. */
  async function push(url: string, pushed: Pushed, count: number): Promise<void> {
    const { branch, clone } = pushed
    await git(clone, "commit", "--quiet", "--allow-empty", "-m", String(count))
    const commit = (await git(clone, "rev-parse", "HEAD")).trim()
    pushed.pushing = commit
    const header = `http.extraHeader=Authorization: ${authorization}`
    try {
      await git(clone, "-c", header, "push", "--quiet", `${url}/root/pushed.git`, `HEAD:${branch}`)
    } catch {
      return
    }
    pushed.acknowledged = commit
  }
})

/** What was acknowledged is there, numbers follow each other, and references and objects are whole. */
async function expectAll({ services }: Hearth, ledger: Ledger): Promise<void> {
  const { database, git: stored } = services
  const repositories = await database.read
    .selectFrom("repositories")
    .select(["id", "name", "storage", "object_format", "stars_count"])
    .execute()
  const told = repositories.find(({ name }) => name === "told")
  const issues = await database.read
    .selectFrom("issues")
    .select(["number", "title"])
    .where("repository_id", "=", told?.id ?? 0)
    .orderBy("number")
    .execute()
  expect(issues.map(({ number }) => number)).toEqual(issues.map((_, index) => index + 1))
  expect(new Set(issues.map(({ title }) => title)).size).toBe(issues.length)
  const titles = new Map(issues.map(({ number, title }) => [number, title]))
  expect([...ledger.issues].filter(([number, title]) => titles.get(number) !== title)).toEqual([])

  const comments = new Map(
    (await database.read.selectFrom("comments").select(["id", "content"]).execute()).map(({ id, content }) => [id, content]),
  )
  expect([...ledger.comments].filter(([id, body]) => comments.get(id) !== body)).toEqual([])
  const starred = new Set(repositories.flatMap(({ name, stars_count }) => (stars_count === 1 ? name : [])))
  expect([...ledger.stars].filter((name) => !starred.has(name))).toEqual([])

  const pushed = repositories.find(({ name }) => name === "pushed")
  if (!pushed) throw new Error("the repository is gone")
  const repository = stored.at(pushed.storage, pushed.object_format)
  await git(repository.directory, "fsck", "--strict", "--no-dangling")
  const heads = new Map((await stored.references.list(repository)).map(({ name, id }) => [String(name), id]))
  const branches = await database.read.selectFrom("branches").select(["name", "commit_id"]).where("repository_id", "=", pushed.id).execute()
  for (const { branch, acknowledged, pushing } of ledger.pushes) {
    const head = heads.get(`refs/heads/${branch}`)
    expect([acknowledged, pushing]).toContain(head)
    expect(branches).toContainEqual({ name: branch, commit_id: head })
  }
}

interface Observed {
  readonly receiver: Receiver
  /** The deliveries that came before any process had ended. */
  readonly calm: ReadonlySet<string>
  /** How many workers have ended. */
  readonly ended: number
}

/**
 * Each delivery has come, and as often as its job was claimed at most. A job was claimed again only where the worker had ended that held it: before any had,
 * none was, and afterwards no more jobs than the workers that ended can have held.
 */
async function expectOnce({ services }: Hearth, { receiver, calm, ended }: Observed): Promise<void> {
  const { database, jobs } = services
  await jobs.drain()
  const deliveries = await database.read.selectFrom("webhook_deliveries").select(["id", "uuid"]).execute()
  const rows = await database.read
    .selectFrom("jobs")
    .select(["payload", "attempts", "state"])
    .where("kind", "=", "webhooks.deliver")
    .execute()
  const claims = new Map(rows.map(({ payload, attempts }) => [Number(JSON.parse(payload).deliveryId), attempts]))
  expect(rows.filter(({ state }) => state !== "done")).toEqual([])
  const came = Map.groupBy(receiver.received, deliveryOf)
  const wrong = deliveries.filter(({ id, uuid }) => {
    const times = came.get(uuid)?.length ?? 0
    return times < 1 || times > (claims.get(id) ?? 0)
  })
  expect(wrong).toEqual([])
  const again = deliveries.filter(({ id }) => (claims.get(id) ?? 0) > 1)
  expect(again.filter(({ uuid }) => calm.has(uuid)).length).toBeLessThanOrEqual(PROCESSES * JOBS_AT_ONCE)
  expect(again.length).toBeLessThanOrEqual(ended * JOBS_AT_ONCE)
}

const deliveryOf = ({ headers }: Receiver["received"][number]): string => String(headers["x-gitea-delivery"])

/** The deliveries that came more than once. */
const repeated = ({ received }: Receiver): readonly string[] =>
  [...Map.groupBy(received, deliveryOf)].flatMap(([id, all]) => (all.length > 1 ? id : []))
