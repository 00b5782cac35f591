/** A site with real runners, and what tests of runs need of it. */
import { expect, vi } from "vitest"
import type { ConfigOverrides } from "../../../src/core/config.ts"
import { databaseKinds, type FreshKind } from "../../support/database.ts"
import { type Given, withWorld } from "../../support/fixture.ts"
import { type Caller, freshHearth, type TestHearth } from "../../support/hearth.ts"
import { type Machine, type MachineOptions, openMachine } from "./machine.ts"
import { PENDING } from "./pending.ts"

/** A run of a workflow takes seconds; more on a busy machine. */
const PATIENCE_MS = 90_000

export interface Job {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly conclusion: string | null
  readonly runner_name?: string
  readonly steps: readonly { readonly name: string; readonly status: string; readonly conclusion: string | null }[]
}

export interface Run {
  readonly id: number
  readonly run_number: number
  readonly run_attempt: number
  readonly event: string
  readonly display_title: string
  readonly head_branch?: string
  readonly head_sha: string
  readonly path: string
  readonly status: string
  readonly conclusion: string | null
}

/** A run that has ended. */
export interface Ended {
  readonly run: Run
  readonly jobs: readonly Job[]
  /** The conclusions of its jobs by name. */
  readonly conclusions: Readonly<Record<string, string | null>>
  /** The lines of a job's log without their times; of the only job unless it is named. */
  readonly log: (name?: string) => Promise<readonly string[]>
}

/** Which of the runs of a repository: the last one that has all of these members. */
export type Which = Partial<Pick<Run, "id" | "event" | "head_sha" | "head_branch" | "run_number" | "run_attempt">> & {
  readonly file?: string
}

export interface CommitOptions {
  readonly branch?: string
  readonly newBranch?: string
  readonly message?: string
  readonly by?: Caller
}

/** Texts by path. */
export type Files = Readonly<Record<string, string>>

export interface Site extends TestHearth {
  /** Registers a runner, for the whole site unless `place` says otherwise ("/repos/root/app", "/orgs/acme"), and starts it. */
  readonly machine: (options?: Partial<MachineOptions> & { readonly place?: string; readonly isStopped?: boolean }) => Promise<Machine>
  readonly registrationToken: (place?: string) => Promise<string>
  /** Makes a repository of root with these files in one commit, and gives its full name. */
  readonly repository: (name: string, files?: Files, more?: object) => Promise<string>
  /** Writes files in one commit, and gives its id. */
  readonly commit: (repository: string, files: Files, options?: CommitOptions) => Promise<string>
  /** A call that must succeed, for its body. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly must: (caller: Caller, route: string, body?: unknown) => Promise<any>
  readonly runs: (repository: string, which?: Which) => Promise<readonly Run[]>
  readonly jobs: (repository: string, run: Pick<Run, "id">) => Promise<readonly Job[]>
  /** The log of a job with its times. */
  readonly rawLog: (repository: string, job: Pick<Job, "id">) => Promise<string>
  /** Waits for a run until all its jobs have ended. */
  readonly ended: (repository: string, which?: Which) => Promise<Ended>
  /** Waits until a run is there, and in the state that `fits`. */
  readonly reaches: (repository: string, fits: (run: Run) => boolean, which?: Which) => Promise<Run>
}

export interface RunnerOptions {
  readonly people?: readonly string[]
  readonly config?: ConfigOverrides
  /** The runners that are there from the beginning. */
  readonly machines?: readonly (Partial<MachineOptions> & { readonly name: string })[]
}

interface GivenSite extends Pick<Given<Site>, "test"> {
  readonly site: Site
  /** A test of a numbered check of the facts. Those of a file run side by side. */
  readonly check: (title: string, run: () => Promise<void>) => void
  readonly machine: (name: string) => Machine
}

/** SQLite, or the databases that `HEARTH_TEST_DATABASE` names, with commas between them: these tests take minutes on each. */
export const databasesOfRunners = (): readonly (typeof databaseKinds)[number][] => {
  const named = (process.env["HEARTH_TEST_DATABASE"] ?? "sqlite").split(",")
  const kinds = databaseKinds.filter((kind) => named.includes(kind))
  if (kinds.length !== named.length) throw new Error(`HEARTH_TEST_DATABASE should name some of ${databaseKinds.join(", ")}`)
  return kinds
}

/** Describes a site with runners. They all serve the whole site. */
export function withRunner(title: string, { people = [], config, machines = [] }: RunnerOptions, define: (given: GivenSite) => void): void {
  const opened = new Map<string, Machine>()
  // Runners wait for what jobs do.
  const open = async (kind: FreshKind): Promise<Site> => {
    const site = openSite(await freshHearth(kind, config, { running: true }))
    for (const name of people) await site.person(name)
    for (const options of machines) opened.set(`${kind} ${options.name}`, await site.machine(options))
    return site
  }
  withWorld(title, { open, on: databasesOfRunners() }, ({ kind, test, world }) =>
    define({
      site: world,
      test,
      check: (name, run) => {
        const reason = PENDING[name]
        if (reason === undefined) test.concurrent(name, run)
        else test.skip(`${name} (pending: ${reason})`, run)
      },
      machine: (name) => {
        const found = opened.get(`${kind} ${name}`)
        if (!found) throw new Error(`there is no runner ${name}`)
        return found
      },
    }),
  )
}

export function openSite(forge: TestHearth): Site {
  const { call, root } = forge
  const machines: Machine[] = []
  let last = 0

  const must: Site["must"] = async (caller, route, body) => {
    const answer = await call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route} was answered with ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const registrationToken: Site["registrationToken"] = async (place = "/admin") =>
    (await must(root, `POST ${place}/actions/runners/registration-token`)).token
  const commit: Site["commit"] = async (repository, files, { branch = "main", newBranch, message = "change", by = root } = {}) => {
    const changes = await Promise.all(
      Object.entries(files).map(async ([path, text]) => {
        const before = await call(by, `GET /repos/${repository}/contents/${path}?ref=${branch}`)
        const known = before.status === 200 ? { operation: "update", sha: before.body.sha } : { operation: "create" }
        return { ...known, path, content: Buffer.from(text).toString("base64") }
      }),
    )
    const made = await must(by, `POST /repos/${repository}/contents`, {
      files: changes,
      message,
      branch,
      ...(newBranch && { new_branch: newBranch }),
    })
    return made.commit.sha
  }
  const runs: Site["runs"] = async (repository, { file, ...members } = {}) => {
    const { workflow_runs: all }: { readonly workflow_runs: readonly Run[] } = await must(
      root,
      `GET /repos/${repository}/actions/runs?limit=50`,
    )
    const fits = (run: Run) =>
      Object.entries({ ...run }).every(([name, value]) => !(name in members) || Reflect.get(members, name) === value)
    return all
      .filter((run) => fits(run) && (file === undefined || run.path.startsWith(`${file}@`)))
      .toSorted((one, other) => other.id - one.id)
  }
  const jobs: Site["jobs"] = async (repository, { id }) =>
    (await must(root, `GET /repos/${repository}/actions/runs/${id}/jobs?limit=100`)).jobs
  const rawLog: Site["rawLog"] = async (repository, { id }) => (await must(root, `GET /repos/${repository}/actions/jobs/${id}/logs`)) ?? ""
  const reaches: Site["reaches"] = (repository, fits, which = {}) =>
    vi.waitFor(
      async () => {
        const [run] = await runs(repository, which)
        if (run && fits(run)) return run
        const states = run
          ? (await jobs(repository, run)).map(({ name, status, conclusion }) => `${name} ${status} ${conclusion ?? ""}`)
          : []
        throw new Error(
          `${repository}: ${run ? `run ${run.id} is ${run.status} ${run.conclusion ?? ""}: ${states.join(", ")}` : "there is no such run"}`,
        )
      },
      { timeout: PATIENCE_MS, interval: 200 },
    )

  return {
    ...forge,
    must,
    registrationToken,
    commit,
    runs,
    jobs,
    rawLog,
    reaches,
    async machine({ place, isStopped = false, ...options } = {}) {
      const machine = await openMachine({
        url: forge.hearth.url,
        token: options.token ?? (await registrationToken(place)),
        name: `machine-${++last}`,
        ...options,
      })
      machines.push(machine)
      if (!isStopped) await machine.start()
      return machine
    },
    async repository(name, files = {}, more = {}) {
      await must(root, "POST /user/repos", { name, auto_init: true, default_branch: "main", ...more })
      if (Object.keys(files).length > 0) await commit(`root/${name}`, files)
      return `root/${name}`
    },
    async ended(repository, which) {
      const run = await reaches(repository, ({ status }) => status === "completed", which)
      const all = await jobs(repository, run)
      return {
        run,
        jobs: all,
        conclusions: Object.fromEntries(all.map(({ name, conclusion }) => [name, conclusion])),
        async log(name) {
          const named = all.filter((job) => name === undefined || job.name === name)
          expect(named.map((job) => job.name)).toHaveLength(1)
          return linesOf(await rawLog(repository, named[0] ?? { id: 0 }))
        },
      }
    },
    async close() {
      for (const machine of machines) await machine.close()
      await forge.close()
    },
  }
}

/** The lines of a log without their times. */
export const linesOf = (log: string): readonly string[] =>
  log
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/^\S+Z /, ""))

/** The path of a workflow's file. */
export const workflowPath = (name = "ci") => `.gitea/workflows/${name}.yml`

/** The only file of a repository: a workflow that is run by pushes. */
export const onPush = (jobs: string, on = "push"): Files => ({ [workflowPath()]: `name: CI\non: ${on}\njobs:\n${indented(jobs, 2)}` })

const indented = (text: string, by: number): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? line : " ".repeat(by) + line))
    .join("\n")

/** The lines that begin with this, without it. */
export const after = (lines: readonly string[], beginning: string): readonly string[] =>
  lines.flatMap((line) => (line.startsWith(beginning) ? [line.slice(beginning.length)] : []))
