/**
 * Lists and records, spread over many addresses with writes in between: `node bench/reads.ts`, `--postgres` for PostgreSQL that flushes. With `--beside http://name:password@host` each is
 * asked of another server that speaks the same API too, in turn: an empty one, where that person administers and is named `root`. `BENCH_SECONDS=4` for each figure.
 */

import { besideGiven } from "./beside.ts"
import { closeDatabases, onPostgres } from "./database.ts"
import { tokenOf } from "./light.ts"
import { startServer } from "./server.ts"
import { makeBusy, readFigures } from "./spread.ts"

const server = await startServer()
try {
  await makeBusy(server)
  const beside = await besideGiven()
  const headers = { authorization: `token ${await tokenOf(server)}` }
  console.log(`| ${onPostgres ? "PostgreSQL" : "SQLite"} | goal | requests/s | p99 | the other | times |\n|---|---|---|---|---|---|`)
  for (const { name, goal, load, beside: other } of await readFigures(server, headers, beside)) {
    const compared = other ? `${Math.round(other.perSecond)} | ${(load.perSecond / other.perSecond).toFixed(1)}` : " | "
    console.log(`| ${name} | ${goal} | ${Math.round(load.perSecond)} | ${load.p99.toFixed(1)} ms | ${compared} |`)
  }
} finally {
  await server.stop()
  await closeDatabases()
}
