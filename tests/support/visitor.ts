import { PASSWORD, type TestHearth } from "./hearth.ts"
import { sessionOf } from "./session.ts"

/** For tests: someone who reads pages and sends forms, signed in as in a browser. */
export interface Visitor {
  readonly get: (path: string) => Promise<Seen>
  readonly send: (path: string, fields?: Readonly<Record<string, string | readonly string[]>>) => Promise<Seen>
}

export interface Seen {
  readonly status: number
  /** Where it leads, as a path. */
  readonly to: string | undefined
  readonly html: string
}

export async function visit({ hearth }: Pick<TestHearth, "hearth">, login: string, password = PASSWORD): Promise<Visitor> {
  const cookie = await sessionOf(hearth.url, login, password)
  const ask = async (path: string, init: RequestInit = {}): Promise<Seen> => {
    const headers = { accept: "text/html", cookie, "sec-fetch-site": "same-origin" }
    const answer = await fetch(hearth.url + path, { ...init, redirect: "manual", headers })
    return { status: answer.status, to: answer.headers.get("location") ?? undefined, html: await answer.text() }
  }
  return {
    get: (path) => ask(path),
    send: (path, fields = {}) => {
      const body = new URLSearchParams()
      for (const [name, given] of Object.entries(fields))
        for (const value of typeof given === "string" ? [given] : given) body.append(name, value)
      return ask(path, { method: "POST", body })
    },
  }
}
