/** The example of `serve --demo` in a whole forge, with people signed in as browsers are. */
import { startHearth } from "../../src/app.ts"
import { fillDemo } from "../../src/demo/fill.ts"
import { storyClock } from "../../src/demo/story.ts"
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
  readonly close: () => Promise<void>
}

/** Who looks: nobody, somebody who is not in the organisation, a member, and the administrator of the site. */
export const VISITORS = ["anonymous", "noor", "mira", "root"] as const
export type Visitor = (typeof VISITORS)[number]

const ROOT = "root-password-1"

export async function openDemoWorld(kind: FreshKind): Promise<DemoWorld> {
  const fresh = await freshUrl(kind)
  const clock = storyClock()
  const hearth = await startHearth({
    halted: true,
    memory: true,
    now: clock.now,
    config: { databaseUrl: fresh.url, admin: { username: "root", password: ROOT }, security: { contact: "security@dewpoint.example" } },
  })
  const password = await fillDemo({ services: hearth.services, clock, progress: () => {} })
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
    close: async () => {
      await hearth.close()
      await fresh.drop()
    },
  }
}
