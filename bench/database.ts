import { randomBytes } from "node:crypto"
import { join } from "node:path"
import pg from "pg"
import { type PostgresServer, startPostgres } from "../tests/support/postgres.ts"

/** Which database is measured: the embedded one, or with `--postgres` a PostgreSQL with durable commits, which the tests' own doesn't have. */
export const onPostgres = process.argv.includes("--postgres")

let postgres: Promise<PostgresServer> | undefined

/** The address of a new database for a server with this data folder. */
export async function freshDatabaseUrl(dataDir: string): Promise<string> {
  if (!onPostgres) return `sqlite:${join(dataDir, "hearth.db")}`
  postgres ??= startPostgres(["shared_buffers=256MB", "jit=off"])
  const url = new URL((await postgres).url)
  const name = `bench_${randomBytes(6).toString("hex")}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = `/${name}`
  return url.href
}

/** Stops the PostgreSQL that was started for this run, and removes its data. */
export const closeDatabases = async (): Promise<void> => (await postgres)?.stop()
