/**
 * Lists and records, spread over many addresses with writes in between: `node bench/reads.ts`, `--postgres` for PostgreSQL that flushes. With `--beside http://name:password@host` each is
 * asked of another server that speaks the same API too, in turn: an empty one, where that person administers and is named `root`. `BENCH_SECONDS=4` for each figure.
 */

import { closeDatabases, onPostgres } from "./database.ts"
import { tokenOf } from "./light.ts"
import { ADMIN, apiAt, startServer } from "./server.ts"
import { makeBusy, readFigures } from "./spread.ts"

const besideUrl = process.argv[process.argv.indexOf("--beside") + 1]
const server = await startServer()
try {
  await makeBusy(server)
  const beside = process.argv.includes("--beside") && besideUrl ? await otherAt(new URL(besideUrl)) : undefined
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

async function otherAt(address: URL) {
  const target = { url: address.origin, api: apiAt(address.origin, { name: address.username, password: address.password }) }
  if (address.username !== ADMIN.name) throw new Error(`the administrator of the other server must be named ${ADMIN.name}`)
  await makeBusy(target)
  return { target, headers: { authorization: `token ${await tokenOf(target)}` } }
}
