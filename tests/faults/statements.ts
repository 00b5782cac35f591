import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import type { Database, ObservedStatement } from "../../src/core/database/database.ts"
import type { Operation } from "../../src/core/operation.ts"
import { prepareCall } from "../examples/prepare.ts"
import { checkAnswers } from "../support/answers.ts"
import { foldersOf, rowsOf, storagesOf } from "../support/content.ts"
import { type FreshKind, type FreshUrl, freshUrl, isTouch } from "../support/database.ts"
import { openWorld, type World } from "../support/world.ts"

const SECRET = "the disk with serial number 4711 is full"

/** The result in the audit log is written after the answer is made; the entry itself was written before. */
const isAfterwards = ({ name }: ObservedStatement): boolean => name === "audit.setStatus"

/** A task that was asked for is started once that is stored, and its failure is in the list of tasks. */
const isOfTheClock = ({ name }: ObservedStatement): boolean => name?.startsWith("schedule.") === true && name !== "schedule.putDue"

interface Fault {
  /** The statement that failed, if it was run; whether it was outside a transaction, and another transaction came before it. */
  readonly stop: () => { readonly struck: string | undefined; readonly afterWriting: boolean }
}

/** Makes the `nth` statement from now on fail. */
function failStatement(database: Database, nth: number): Fault {
  let count = 0
  let wrote = false
  let struck: string | undefined
  let afterWriting = false
  const stop = database.observe((statement) => {
    if ([isTouch, isOfTheClock, isAfterwards].some((isBeside) => isBeside(statement))) return
    count++
    if (count === nth) {
      struck = `${statement.name ?? statement.sql}, number ${nth},`
      afterWriting = wrote && !statement.inTransaction
      throw new Error(SECRET)
    }
    wrote ||= statement.inTransaction
  })
  return {
    stop() {
      stop()
      return { struck, afterWriting }
    },
  }
}

const MOST_STATEMENTS = 200

/** So many operations are asked of one server: the whole content is compared, and grows with every test. */
const OF_ONE_SERVER = 12

const inGroups = (writes: readonly Operation[]) =>
  Array.from({ length: Math.ceil(writes.length / OF_ONE_SERVER) }, (_, group) => {
    const some = writes.slice(group * OF_ONE_SERVER, (group + 1) * OF_ONE_SERVER)
    return { first: some[0], writes: some }
  })

/** The end of the year 9999. */
const FAR_OFF = 253_402_300_799

/** What fails is told elsewhere than by the status: a task in the list of tasks; the announcements read anew are tried again by the next page; of a batch by the result of the operation. */
const STARTS_WORK: ReadonlySet<string> = new Set([
  "adminCronRun",
  "adminCreateAnnouncement",
  "adminEditAnnouncement",
  "adminDeleteAnnouncement",
  "runBatch",
])

/** Clean-up jobs that are stored before what they clean up, so that they remain after a failure. */
const TIDYING: readonly string[] = ["attachments.removeFiles"]

/** All rows but those of jobs that only tidy up. */
async function contentOf(database: Database) {
  const rows = await rowsOf(database)
  const isTidying = (job: string) => TIDYING.some((kind) => job.includes(`"kind":${JSON.stringify(kind)}`))
  return { ...rows, jobs: rows["jobs"]?.filter((job) => !isTidying(job)) }
}

/**
 * Every write is tried with its first statement failing, then with its second, and so on until it gets through. After a failure the
 * answer is an error without details, and no row has changed.
 */
export const describeFailingStatements = (kind: FreshKind, all: readonly Operation[]) =>
  describe.each(inGroups(all))(`a failing statement (${kind}), from $first.path`, ({ writes }) => {
    const check = checkAnswers()
    let fresh: FreshUrl
    let hearth: Hearth
    let world: World
    beforeAll(async () => {
      fresh = await freshUrl(kind)
      hearth = await startHearth({ halted: true, memory: true, config: { databaseUrl: fresh.url }, onAnswer: check.onAnswer })
      world = openWorld(hearth)
    })
    afterAll(async () => {
      await hearth.close()
      await fresh.drop()
    })

    it.each(writes.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
      const { services } = hearth
      let strikes = 0
      let prepared = await prepare(operation)
      for (let nth = 1; nth < MOST_STATEMENTS; nth++) {
        const fault = failStatement(services.database, nth)
        const answer = await prepared.call.send()
        const { struck, afterWriting } = fault.stop()
        if (struck === undefined) {
          expect(prepared.call.isRight(answer.status), `it answered ${answer.status} ${answer.text}`).toBe(true)
          expect(check.mismatches()).toEqual([])
          expect(strikes).toBeGreaterThan(0)
          break
        }
        strikes++
        if (await isJournalled()) {
          // References are outside the database. Once they may have changed, the journal completes the push after any failure.
          expect(answer.text).not.toContain("serial number")
          await settle()
          prepared = await prepare(operation)
          continue
        }
        if (!STARTS_WORK.has(operation.id)) expect([500, 503], `${struck} failed`).toContain(answer.status)
        expect(answer.text).not.toContain("serial number")
        // Committed changes stay, though the answer could not be made: the next attempt uses a new subject.
        if (afterWriting) prepared = await prepare(operation)
        else if ((await services.database.state()) !== prepared.state)
          expect(await contentOf(services.database), `${struck} failed`).toEqual(prepared.before)
      }
      // The workers may be recovering from the fault just now, and finish that before their next round.
      await services.jobs.drain()
      await services.jobs.drain()
      expect(await foldersOf(services)).toEqual(await storagesOf(services))
    })

    const JOURNALS = ["push.settle", "wiki.settle", "branch.rename", "pulls.align"] as const
    const journal = () =>
      hearth.services.database.read.selectFrom("jobs").select("id").where("kind", "in", JOURNALS).where("state", "=", "waiting")

    const isJournalled = async (): Promise<boolean> => (await journal().execute()).length > 0

    /** Runs the journal's job now, and compares the branch rows with the references. */
    async function settle(): Promise<void> {
      const { database, git } = hearth.services
      await runJournals()
      expect(await isJournalled()).toBe(false)
      const repositories = await database.read.selectFrom("repositories").select(["id", "storage", "object_format"]).execute()
      for (const { id, storage, object_format } of repositories) {
        const tips = (await git.references.list(git.at(storage, object_format), "refs/heads/")).map((tip) => `${tip.name} ${tip.id}`)
        const rows = await database.read.selectFrom("branches").select(["name", "commit_id"]).where("repository_id", "=", id).execute()
        expect(rows.map(({ name, commit_id }) => `refs/heads/${name} ${commit_id}`).sort()).toEqual(tips.sort())
      }
    }

    async function runJournals(): Promise<void> {
      const { database, jobs } = hearth.services
      await database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("kind", "in", JOURNALS).execute())
      await jobs.drain()
    }

    async function prepare(operation: Operation) {
      const { database } = hearth.services
      const call = await prepareCall(world, operation)
      await runJournals()
      // Jobs that wait for their time, or for another attempt, would run and change rows during the following calls.
      await database.write((tx) => tx.updateTable("jobs").set({ run_at: FAR_OFF }).where("state", "=", "waiting").execute())
      const before = await contentOf(database)
      return { call, before, state: await database.state() }
    }
  })
