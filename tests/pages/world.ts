/** The example of `serve --demo` in a whole forge, with people signed in as browsers are. */
import { existsSync } from "node:fs"
import { copyFile, cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { fillDemo } from "../../src/demo/fill.ts"
import { type StoryClock, storyClock } from "../../src/demo/story.ts"
import { type FreshKind, freshUrl } from "../support/database.ts"
import { basic } from "../support/hearth.ts"
import { sessionOf } from "../support/session.ts"

export interface DemoWorld {
  readonly url: string
  /** Of mira, tomas and noor. */
  readonly password: string
  /** The Cookie header of a new session; empty for "anonymous". */
  readonly signIn: (name: Visitor) => Promise<string>
  /** A call of the API in a person's name: `call("mira", "POST /repos/…", {…})`. */
  readonly call: (name: string, route: string, body?: object) => Promise<Response>
  /** Stores a file at an address that is not the API's, in a person's name. */
  readonly store: (name: string, path: string, content: string) => Promise<void>
  /** Runs all background jobs that are due, and those that follow from them. */
  readonly settle: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Who looks: no one, someone who is not in the organisation, a member, and the administrator of the site. */
export const VISITORS = ["anonymous", "noor", "mira", "root"] as const
export type Visitor = (typeof VISITORS)[number]

const ROOT = "root-password-1"
/** What is sealed in one forge is read in its copies. */
const KEY = "c0".repeat(32)

/** On SQLite a copy of the one that is made once for a run; on the others a new one. */
export async function openDemoWorld(kind: FreshKind): Promise<DemoWorld> {
  const fresh = await freshUrl(kind, { empty: kind === "sqlite" })
  const copied = kind === "sqlite" ? await copyDemo(fresh.url) : undefined
  const { hearth, clock } = await startDemo(fresh.url)
  if (copied) await cp(copied.data, hearth.services.config.dataDir, { recursive: true })
  const password = copied?.password ?? (await fill(hearth, clock))
  const passwordOf = (name: string): string => (name === "root" ? ROOT : password)
  return {
    url: hearth.url,
    password,
    signIn: async (name) => (name === "anonymous" ? "" : sessionOf(hearth.url, name, passwordOf(name))),
    call: (name, route, body) => {
      const [method = "GET", path = "/"] = route.split(" ")
      return fetch(`${hearth.url}/api/v1${path}`, {
        method,
        headers: { authorization: basic(name, passwordOf(name)), "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    },
    store: async (name, path, content) => {
      const answer = await fetch(hearth.url + path, {
        method: "PUT",
        headers: { authorization: basic(name, passwordOf(name)) },
        body: content,
      })
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status}`)
    },
    settle: () => hearth.services.jobs.drain(),
    close: async () => {
      await hearth.close()
      await fresh.drop()
    },
  }
}

async function startDemo(databaseUrl: string): Promise<{ readonly hearth: Hearth; readonly clock: StoryClock }> {
  const clock = storyClock()
  const config = {
    databaseUrl,
    admin: { username: "root", password: ROOT },
    security: { contact: "security@dewpoint.example", secretKey: KEY },
  }
  return { hearth: await startHearth({ halted: true, memory: true, now: clock.now, config }), clock }
}

const fill = ({ services }: Hearth, clock: StoryClock): Promise<string> => fillDemo({ services, clock, progress: () => {} })

/** Puts the example's database at an address; gives the data folder that belongs to it, and the password of its people. */
async function copyDemo(databaseUrl: string): Promise<{ readonly data: string; readonly password: string }> {
  const folder = join(inject("sqliteFolder"), "demo")
  if (!existsSync(folder)) await makeDemo(folder)
  await copyFile(join(folder, "hearth.db"), databaseUrl.replace("sqlite:", ""))
  return { data: join(folder, "data"), password: await readFile(join(folder, "password"), "utf8") }
}

async function makeDemo(folder: string): Promise<void> {
  const draft = await mkdtemp(`${folder}-`)
  const fresh = await freshUrl("sqlite")
  const { hearth, clock } = await startDemo(fresh.url)
  await writeFile(join(draft, "password"), await fill(hearth, clock))
  await cp(hearth.services.config.dataDir, join(draft, "data"), { recursive: true })
  await hearth.close()
  // Closed, the database is one file.
  await copyFile(fresh.url.replace("sqlite:", ""), join(draft, "hearth.db"))
  await fresh.drop()
  // Another process may have made one at the same time: either will do.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
}
