/**
 * Three servers of which one is killed, stopped for a while, or cut off from the database or from the object store, while people write and push.
 * `HEARTH_TEST_KILLS=100` does that so many times.
 * Slow: each of the servers is a process of its own, and one that was killed is started again.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { lockRow } from "../../src/core/database/lock.ts"
import { maintainKind } from "../../src/features/code/repositories/maintain-job.ts"
import { client, ok, writeHistory } from "../../src/git/testing.ts"
import { until } from "../faults/workers.ts"
import { send } from "../support/http.ts"
import { type Machine, type Machines, openMachines } from "./support/machines.ts"
import type { Harm } from "./support/proxy.ts"

const ROUNDS = Number(process.env["HEARTH_TEST_KILLS"] ?? 5)
const WRITERS = { issues: 5, files: 3 }
/** For what hangs: a round takes some seconds. */
const LIMIT_MS = 300_000 + ROUNDS * 60_000
/** How long a server is stopped or cut off, in milliseconds. */
const AWAY_MS = 3_000
/** After which a client gives up on an answer, in milliseconds. */
const PATIENCE_MS = 12_000

let site: Machines
beforeAll(async () => {
  site = await openMachines(3)
})
afterAll(() => site.close())

async function cloneOf(name: string, folder: string, machine?: Machine): Promise<string> {
  await site.ok(site.folder, "clone", "-q", site.address(name, machine), folder)
  return join(site.folder, folder)
}

interface Pusher {
  readonly branch: string
  readonly clone: string
  /** The commit that was acknowledged last. */
  acknowledged: string | undefined
}

/** What was acknowledged, and how all else was answered. */
interface Ledger {
  readonly issues: Map<number, string>
  readonly files: Set<string>
  readonly pushers: readonly Pusher[]
  readonly refused: Map<string, number>
}

/** Counts what was answered otherwise, without what differs each time. */
const note = ({ refused }: Ledger, answer: string) => {
  const words = answer.replaceAll(/http\S+/g, "…")
  refused.set(words, (refused.get(words) ?? 0) + 1)
}

/** Writes and pushes until it is over. What is not acknowledged may be done or not, and is not repeated. */
async function work(ledger: Ledger, isOver: () => boolean): Promise<void> {
  const ask = async (path: string, body: unknown): Promise<{ readonly [name: string]: unknown } | undefined> => {
    const answer = await fetch(`${site.url}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: site.authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch(() => undefined)
    const text = await answer?.text().catch(() => undefined)
    if (answer?.ok && text !== undefined) return JSON.parse(text)
    note(ledger, answer ? `${answer.status} ${text}` : "no answer")
    return undefined
  }
  const endlessly = async (step: (count: number) => Promise<void>): Promise<void> => {
    for (let count = 0; !isOver(); count++) {
      await step(count)
      await sleep(50)
    }
  }
  const several = (number: number, step: (writer: number, count: number) => Promise<void>) =>
    Array.from({ length: number }, (_, writer) => endlessly((count) => step(writer, count)))
  await Promise.all([
    ...several(WRITERS.issues, async (writer, count) => {
      const title = `${writer} ${count}`
      const made = await ask("/repos/root/told/issues", { title })
      if (made) ledger.issues.set(Number(made["number"]), title)
    }),
    ...several(WRITERS.files, async (writer, count) => {
      const path = `${writer}/${count}`
      const made = await ask(`/repos/root/told/contents/${path}`, { content: Buffer.from(path).toString("base64"), message: path })
      if (made) ledger.files.add(path)
    }),
    ...ledger.pushers.map((pusher) => endlessly((count) => push(ledger, pusher, count))),
  ])
}

async function push(ledger: Ledger, pusher: Pusher, count: number): Promise<void> {
  const { branch, clone } = pusher
  const from = pusher.acknowledged === undefined && count === 0 ? undefined : `refs/heads/${branch}^0`
  // Every tenth is large, and goes by the store.
  const content = count % 10 === 9 ? randomBytes(300_000).toString("hex") : String(count)
  const [commit] = await writeHistory(clone, [{ branch, files: { [`${count}`]: content }, ...(from && { from }) }])
  const { code, err } = await site.git(clone, "push", "--quiet", site.address("told"), branch)
  if (code === 0) pusher.acknowledged = commit
  else note(ledger, said(err))
}

/** What a client was told. */
const said = (err: string): string => /\((.*)\)|fatal: (.*)|error: (.*)/.exec(err)?.slice(1).find(Boolean) ?? err

type Mishap = "killed" | "stopped" | "without the database" | "with a frozen database" | "without the store"
const mishaps: readonly Mishap[] = ["killed", "stopped", "without the database", "without the store", "with a frozen database"]

/** Begins a mishap, and gives how it ends. */
async function befall(machine: Machine, mishap: Mishap): Promise<() => Promise<void>> {
  const away = sleep(AWAY_MS)
  switch (mishap) {
    case "killed":
      await machine.process().kill()
      return () => machine.restart()
    case "stopped":
      machine.process().signal("SIGSTOP")
      return async () => {
        await away
        machine.process().signal("SIGCONT")
      }
    case "without the database":
    case "with a frozen database":
      if (mishap === "without the database") machine.database.cut()
      else machine.database.freeze()
      return async () => {
        await away
        machine.database.join()
      }
    case "without the store":
      machine.store.disturb(() => "cut")
      return async () => {
        await away
        machine.store.disturb(undefined)
      }
  }
}

/** A push to another server, right after a mishap. */
interface Push {
  readonly mishap: Mishap
  readonly ms: number
}

/** Lets the mishaps happen one after another, while there is load. */
async function mishapsAmid(ledger: Ledger, probe: Pusher): Promise<readonly Push[]> {
  const took: Push[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = ledger.issues.size + ledger.files.size
    await until(() => ledger.issues.size + ledger.files.size >= before + 10)
    const mishap = mishaps[round % mishaps.length] ?? "killed"
    const machine = site.at(round + Math.floor(round / 3))
    const others = site.all.filter((each) => each !== machine)
    const end = await befall(machine, mishap)
    const [commit] = await writeHistory(probe.clone, [
      { branch: "probe", files: { [`${round}`]: "x" }, ...(round > 0 && { from: "refs/heads/probe^0" }) },
    ])
    const began = performance.now()
    const pushed = await site.git(probe.clone, "push", "--quiet", site.address("told", others[round % 2]), "probe")
    if (pushed.code === 0) {
      took.push({ mishap, ms: performance.now() - began })
      probe.acknowledged = commit
    } else console.info(`a push elsewhere failed after one was ${mishap}: ${pushed.err}`)
    await end()
  }
  const before = ledger.pushers.map(({ acknowledged }) => acknowledged)
  await until(() => ledger.pushers.every(({ acknowledged }, index) => acknowledged !== before[index]))
  return took
}

test(`of three servers one is ${mishaps.join(", ")}, and nothing that was acknowledged is lost`, { timeout: LIMIT_MS }, async () => {
  await site.repository("told", { auto_init: true })
  const pushers: Pusher[] = []
  for (const branch of ["left", "right", "probe"]) {
    const clone = join(site.folder, branch)
    await ok(site.folder, "init", "-q", `--initial-branch=${branch}`, clone)
    pushers.push({ branch, clone, acknowledged: undefined })
  }
  const [left, right, probe] = pushers
  if (!left || !right || !probe) throw new Error("there are three")
  const ledger: Ledger = { issues: new Map(), files: new Set(), pushers: [left, right], refused: new Map() }
  let isOver = false
  const load = work(ledger, () => isOver)
  let took: readonly Push[] = []
  try {
    took = await mishapsAmid(ledger, probe)
  } finally {
    isOver = true
    await load
  }

  for (const mishap of mishaps) {
    const all = took.filter((each) => each.mishap === mishap).map(({ ms }) => Math.round(ms))
    console.info(`the next push elsewhere took ${all.slice(0, 20).join(", ")} ms after one was ${mishap}, at most ${Math.max(...all)}`)
  }
  console.info(
    `${ROUNDS} mishaps: ${ledger.issues.size} issues and ${ledger.files.size} files acknowledged; otherwise: ${JSON.stringify(Object.fromEntries(ledger.refused))}`,
  )
  await expectAll({ ...ledger, pushers })
  expect(took).toHaveLength(ROUNDS)
  // What fails is refused in words, and is no surprise to the server.
  expect([...ledger.refused.keys()].filter((words) => /^500|internal/.test(words))).toEqual([])
  expect(Math.max(...took.map(({ ms }) => ms))).toBeLessThan(20_000)
})

/** What was acknowledged is there on each server, numbers follow each other, and references and objects are whole. */
async function expectAll(ledger: Ledger): Promise<void> {
  for (const [index, machine] of site.all.entries()) {
    const copy = join(site.folder, `told-${index}`)
    await site.ok(site.folder, "clone", "-q", "--mirror", site.address("told", machine), copy)
    if (index === 0) await ok(copy, "fsck", "--strict", "--no-dangling")
    const files = new Set((await ok(copy, "ls-tree", "-r", "--name-only", "main")).split("\n"))
    expect([...ledger.files].filter((path) => !files.has(path))).toEqual([])
    for (const { branch, acknowledged = "" } of ledger.pushers)
      expect((await client(copy, ["merge-base", "--is-ancestor", acknowledged, branch])).code).toBe(0)
  }
  const cold = await site.cold()
  try {
    const { database, git } = cold.services
    const told = await database.read.selectFrom("repositories").selectAll().where("name", "=", "told").executeTakeFirstOrThrow()
    const issues = await database.read
      .selectFrom("issues")
      .select(["number", "title"])
      .where("repository_id", "=", told.id)
      .orderBy("number")
      .execute()
    expect(issues.map(({ number }) => number)).toEqual(issues.map((_, index) => index + 1))
    expect(new Set(issues.map(({ title }) => title)).size).toBe(issues.length)
    const titles = new Map(issues.map(({ number, title }) => [number, title]))
    expect([...ledger.issues].filter(([number, title]) => titles.get(number) !== title)).toEqual([])
    const repository = git.at(told.storage, told.object_format)
    expect(await git.maintenance.check(repository)).toEqual([])
    // What is told of branches without git is what git has.
    const branches = await database.read.selectFrom("branches").select(["name", "commit_id"]).where("repository_id", "=", told.id).execute()
    const heads = (await git.references.list(repository, "refs/heads/")).map(({ name, id }) => ({
      name: name.slice("refs/heads/".length),
      commit_id: id,
    }))
    expect(branches.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(heads)
  } finally {
    await cold.close()
  }
}

describe("the database is lost during a commit", () => {
  test.for(["before", "answer"] as const)("of a push (%s): the client is told to look", async (when) => {
    const name = `lost-${when}`
    await site.repository(name, { auto_init: true })
    const machine = site.at(0)
    const work = await cloneOf(name, name, machine)
    const [id = ""] = await writeHistory(work, [{ branch: name, files: { a: "a" }, from: "refs/heads/main^0" }])
    const lost = machine.database.loseCommit(when, `refs/heads/${name}`)
    const { code, err } = await site.git(work, "push", site.address(name, machine), name)
    await lost
    expect([code, err]).toEqual([1, expect.stringContaining("look whether it is there")])
    const told = when === "before" ? "" : `${id}\trefs/heads/${name}`
    for (const each of site.all) expect(await site.ok(work, "ls-remote", site.address(name, each), name)).toBe(told)
    await site.ok(work, "push", "-q", site.address(name, machine), name)
    expect(await site.ok(work, "ls-remote", site.address(name, site.at(1)), name)).toBe(`${id}\trefs/heads/${name}`)
  })

  test.for(["before", "answer"] as const)("of a call (%s): the answer says so, and not when to repeat it", async (when) => {
    const title = `unknown ${when}`
    await site.repository(`call-${when}`)
    const lost = site.at(0).database.loseCommit(when, title)
    const calling = { authorization: site.authorization, body: { title } }
    const { status, headers, text } = await send(site.at(0).url(), "POST", `/repos/root/call-${when}/issues`, calling)
    await lost
    expect([status, headers.get("retry-after"), text]).toEqual([503, null, expect.stringContaining("look whether it is there")])
    const issues = await send(site.at(1).url(), "GET", `/repos/root/call-${when}/issues`, { authorization: site.authorization })
    expect(JSON.parse(issues.text)).toHaveLength(when === "before" ? 0 : 1)
  })
})

test("locks of a server that has stopped keep others waiting for no more than two seconds", async () => {
  await site.repository("held", { auto_init: true })
  const { id } = await site.ask<{ readonly id: number }>("GET", "/repos/root/held")
  const cold = await site.cold()
  const [stopped, other] = [site.at(0), site.at(1)]
  const work = await cloneOf("held", "held")
  await writeHistory(work, [
    { branch: "one", files: { a: "a" }, from: "refs/heads/main^0" },
    { branch: "two", files: { b: "b" }, from: "refs/heads/main^0" },
  ])
  // Its transaction has the row of the repository by then.
  const held = stopped.database.stopBefore("refs/heads/one", () => stopped.process().signal("SIGSTOP"))
  const first = site.git(work, "push", site.address("held", stopped), "one")
  await held
  try {
    const began = performance.now()
    const passed = () => Math.round(performance.now() - began)
    // A push takes longer on a busy machine, and a lock does not.
    const free = cold.services.database.write((tx) => lockRow(tx, "repositories", id)).then(passed)
    await site.ok(work, "push", "-q", site.address("held", other), "two")
    console.info(`a push took ${passed()} ms while a server had stopped with the lock, which was free after ${await free} ms`)
    expect(await free).toBeLessThan(2_000)
    expect(await site.ok(work, "ls-remote", site.address("held", other), "one")).toBe("")
  } finally {
    stopped.process().signal("SIGCONT")
    await cold.close()
  }
  // Its transaction has left nothing, and is run again.
  expect((await first).code).toBe(0)
  expect(await site.ok(work, "ls-remote", site.address("held", other), "one")).toContain("refs/heads/one")
})

describe("a store that is disturbed", () => {
  // A server would repack what earlier tests have pushed half a minute later, and ask the store while its requests are counted.
  beforeAll(async () => {
    const cold = await site.cold()
    try {
      const { jobs } = cold.services
      expect(await jobs.tasks.run("git_gc_repos")).toBe("ok")
      await until(async () => (await jobs.counts()).every(({ kind, state }) => kind !== maintainKind.kind || state !== "running"))
    } finally {
      await cold.close()
    }
  })
  afterEach(() => {
    for (const machine of site.all) machine.store.disturb(undefined)
  })
  let written: string[] = []
  const disturb = (harm: Harm): void => {
    for (const machine of site.all)
      machine.store.disturb((method, path) => {
        if (method === "PUT") written.push(path)
        return harm
      })
  }
  const noise = () => randomBytes(400_000).toString("hex")

  test.for<Harm>(["late", "twice", "lost", "failing"])("%s: small pushes go on, and of large ones nothing is half there", async (harm) => {
    const name = `store-${harm}`
    await site.repository(name, { auto_init: true })
    const work = await cloneOf(name, name, site.at(0))
    disturb(harm)
    written = []
    await writeHistory(work, [{ files: { small: "small" }, from: "refs/heads/main^0" }])
    await site.ok(work, "push", "-q", site.address(name, site.at(0)), "main")
    expect([written, (await site.ok(work, "ls-remote", site.address(name, site.at(1)), "main")).slice(0, 40)]).toEqual([
      [],
      await ok(work, "rev-parse", "main"),
    ])
    await site.ok(site.folder, "clone", "-q", site.address(name, site.at(1)), `${name}-small`)

    const [large = ""] = await writeHistory(work, [{ branch: "large", files: { large: noise() }, from: "refs/heads/main^0" }])
    const began = performance.now()
    const { code, err } = await site.git(work, "push", site.address(name, site.at(0)), "large")
    console.info(
      `a large push took ${Math.round(performance.now() - began)} ms with a store that was ${harm}: ${code === 0 ? "done" : said(err)}`,
    )
    const told = (await site.ok(work, "ls-remote", site.address(name, site.at(1)), "large")).slice(0, 40)
    expect([told, code === 0]).toEqual([code === 0 ? large : "", code === 0])
    if (harm === "failing") {
      expect(err).toContain("the store of files is not available")
      for (const machine of site.all) machine.store.disturb(undefined)
      await site.ok(work, "push", "-q", site.address(name, site.at(0)), "large")
      disturb(harm)
      // What is cached is served; what is not is refused, whole.
      await site.ok(site.folder, "clone", "-q", site.address(name, site.at(0)), `${name}-cached`)
      const refused = await site.git(site.folder, "clone", site.address(name, site.at(2)), `${name}-refused`)
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/503|not available/)])
      for (const machine of site.all) machine.store.disturb(undefined)
    }
    const copy = await cloneOf(name, `${name}-copy`, site.at(2))
    await ok(copy, "fsck", "--strict")
    expect((await ok(copy, "branch", "-r")).includes("origin/large")).toBe(code === 0 || harm === "failing")
  })
})
