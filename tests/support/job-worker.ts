/**
 * A process that works on the outbox of a database: `node job-worker.ts <database url> <journal> <milliseconds>`. Each job writes a line when it
 * starts and one when it ends, so many milliseconds later. Prints "ready" and stays until it is killed.
 */
import { appendFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { openDatabase } from "../../src/core/database/open.ts"
import { defineJob, openJobs } from "../../src/core/jobs/jobs.ts"
import { openLog } from "../../src/core/log.ts"
import Type from "../../src/core/schema.ts"

const [url = "", journal = "", milliseconds = "0"] = process.argv.slice(2)
const payload = Type.Object({ name: Type.String() })
const remote = defineJob<typeof payload, undefined>({
  kind: "remote",
  payload,
  async run({ name }) {
    appendFileSync(journal, `start ${name}\n`)
    await sleep(Number(milliseconds))
    appendFileSync(journal, `end ${name}\n`)
  },
})

const database = await openDatabase({ url, migrate: false, poolSize: 3 })
const jobs = openJobs<undefined>({ database, log: openLog({ log: { level: "warn", format: "text" } }), workers: 2, leaseSeconds: 2 })
await jobs.begin(undefined, [remote], [])
process.stdout.write("ready\n")
