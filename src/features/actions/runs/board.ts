import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import type { ActionJobsTable } from "../../../core/database/tables/actions.ts"
import type { Services } from "../../../core/services.ts"
import { type Contexts, type Fuel, newFuel } from "../definitions/expressions.ts"
import { type ContextsOf, callOf, readContexts, type Scope } from "./known.ts"
import { callersOf } from "./progress.ts"
import { changeJobs, findJobsOfAttempt, insertJobs, type Job, type Run } from "./store.ts"

type Change = Partial<Job>

/** The jobs of a run's last attempt while they are changed: changes are seen at once, and written together. */
export class Board {
  readonly tx: Transaction
  readonly services: Services
  readonly fuel: Fuel = newFuel()
  readonly run: Run
  #jobs: readonly Job[]
  readonly #changes = new Map<number, Change>()
  #contexts: Promise<ContextsOf> | undefined

  private constructor(tx: Transaction, services: Services, run: Run, jobs: readonly Job[]) {
    this.tx = tx
    this.services = services
    this.run = run
    this.#jobs = jobs
  }

  static async open(tx: Transaction, services: Services, run: Run): Promise<Board> {
    return new Board(tx, services, run, await findJobsOfAttempt(tx, { runId: run.id, attempt: run.attempt }))
  }

  /** Reads the jobs again. */
  async reload(): Promise<void> {
    await this.write()
    this.#jobs = await findJobsOfAttempt(this.tx, { runId: this.run.id, attempt: this.run.attempt })
  }

  get jobs(): readonly Job[] {
    return this.#jobs
  }

  /** The contexts of a job, without its needs. They are read once, when the first expression asks for them. */
  async contextsFor(job: Job): Promise<Contexts> {
    return this.contexts({ job, inputs: this.inputsOf(job) })
  }

  async contexts(scope: Scope): Promise<Contexts> {
    this.#contexts ??= readContexts(this.tx, this.services, this.run)
    return (await this.#contexts)(scope)
  }

  /** The inputs of the workflow that a job belongs to; undefined for the run's own. */
  inputsOf(job: Pick<Job, "parent_id">): Scope["inputs"] {
    const caller = callersOf(this.#jobs, job).at(-1)
    return caller && callOf(caller)?.inputs
  }

  change(id: number, change: Change): void {
    this.#changes.set(id, { ...this.#changes.get(id), ...change })
    this.seen(id, change)
  }

  /** A change that is written already. */
  seen(id: number, change: Change): void {
    this.#jobs = this.#jobs.map((job) => (job.id === id ? { ...job, ...change } : job))
  }

  async add(rows: readonly Insertable<ActionJobsTable>[]): Promise<void> {
    if (rows.length === 0) return
    const made = await insertJobs(this.tx, rows)
    this.#jobs = [...this.#jobs, ...made.toSorted((one, other) => one.id - other.id)]
  }

  /** Writes the changes: one statement for all jobs that change in the same way. */
  async write(): Promise<void> {
    const alike = Map.groupBy(this.#changes, ([, change]) => JSON.stringify(change))
    this.#changes.clear()
    for (const group of alike.values()) {
      const [first] = group
      if (!first) continue
      const ids = group.map(([id]) => id)
      await changeJobs(this.tx, ids, first[1])
    }
  }
}
