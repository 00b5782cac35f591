import type { OutgoingAnswer } from "../../../../core/outgoing/request.ts"
import Type, { Check, type Static, type TSchema } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { parseJson } from "../../../../core/text/json.ts"
import { allowedAddress, RemoteRefused, RemoteTrouble } from "../../../code/mirrors/remote.ts"
import { type Fault, WaitUntil } from "./origin.ts"

/** Another server's REST API. Its answers are not trusted: they are checked, and only what is needed is read. */

/** Bytes of one answer. */
const MOST_BYTES = 32 * 2 ** 20
const TIMEOUT_MS = 60_000
/** How long is waited where a server that refuses for now does not say how long, in seconds; and the longest wait that is believed. */
const PAUSE = 60
const LONGEST_PAUSE = 2 * 3600

export interface RestOptions {
  /** Without a slash at its end. */
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
}

export interface RestAnswer<T> {
  readonly record: T
  readonly headers: Readonly<Record<string, string>>
}

export interface Rest {
  /** What is at a path; undefined where the server has nothing there. Throws {@link WaitUntil}, {@link RemoteRefused} and {@link RemoteTrouble}. */
  get<S extends TSchema>(path: string, schema: S, signal: AbortSignal): Promise<RestAnswer<Static<S>> | undefined>
  post<S extends TSchema>(path: string, body: unknown, schema: S, signal: AbortSignal): Promise<RestAnswer<Static<S>> | undefined>
}

export function openRest(services: Services, { base, headers }: RestOptions): Rest {
  async function ask<S extends TSchema>(
    method: "GET" | "POST",
    path: string,
    body: unknown,
    schema: S,
    signal: AbortSignal,
  ): Promise<RestAnswer<Static<S>> | undefined> {
    const url = path.startsWith("https://") || path.startsWith("http://") ? path : `${base}/${path}`
    if (new URL(url).origin !== new URL(base).origin) throw new RemoteRefused("the server sends to another one for its records")
    // For a refusal with a message; the request itself pins the address that the host resolves to.
    await allowedAddress(services, url)
    const answer = await services.outgoing.send({
      method,
      url,
      headers: { accept: "application/json", ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_BYTES,
      signal,
    })
    const what = new URL(url).pathname
    const until = waitOf(answer, services.now())
    if (until !== undefined) throw new WaitUntil(until)
    if (answer.status >= 500) throw new RemoteTrouble(`the server answered ${answer.status} for ${what}`)
    if (answer.status === 404 || answer.status === 410) return undefined
    if (answer.status === 401) throw new RemoteRefused("the server does not accept the credentials")
    if (answer.status !== 200) throw new RemoteRefused(`the server answered ${answer.status} for ${what}`)
    const record = answer.cut ? undefined : parsed(answer.body)
    if (!Check(schema, record)) throw new RemoteRefused(`what the server has at ${what} can't be read`)
    return { record, headers: answer.headers }
  }
  return {
    get: (path, schema, signal) => ask("GET", path, undefined, schema, signal),
    post: (path, body, schema, signal) => ask("POST", path, body, schema, signal),
  }
}

/** When a request may be sent again that was refused because there were too many; undefined where it was answered. */
function waitOf({ status, headers, body }: OutgoingAnswer, now: number): number | undefined {
  const isOver = headers["x-ratelimit-remaining"] === "0" || headers["ratelimit-remaining"] === "0"
  const isSlowedDown = status === 403 && (isOver || headers["retry-after"] !== undefined || body.includes("rate limit"))
  if (status !== 429 && !isSlowedDown) return undefined
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? Number.NaN)
  const after = Number(headers["retry-after"] ?? Number.NaN)
  const at = Number.isFinite(after) ? now + after : isOver && Number.isFinite(reset) ? reset : now + PAUSE
  return Math.ceil(Math.min(Math.max(at, now + 1), now + LONGEST_PAUSE))
}

/** The address of the next page by the header Link; undefined on the last. */
export const nextPage = ({ link = "" }: Readonly<Record<string, string>>): string | undefined =>
  /<([^<>]+)>\s*;[^,]*\brel="?next"?/.exec(link)?.[1]

/** The elements of a list that can be read, and those that can't. */
export function readEach<S extends TSchema, T>(
  list: readonly unknown[],
  schema: S,
  present: (record: Static<S>) => T | undefined,
): { readonly records: readonly T[]; readonly faults: readonly Fault[] } {
  const records: T[] = []
  const faults: Fault[] = []
  for (const element of list) {
    const record = Check(schema, element) ? present(element) : undefined
    if (record !== undefined) records.push(record)
    else faults.push({ key: keyOf(element), why: "it can't be read" })
  }
  return { records, faults }
}

/** What is read, or nothing and why not where the server refuses it: some lists are shown to administrators alone, and the rest comes without them. */
export async function orUnseen<T extends { readonly faults: readonly Fault[] }>(what: string, read: Promise<T>) {
  try {
    return await read
  } catch (error) {
    if (!(error instanceof RemoteRefused)) throw error
    return { records: [], faults: [{ key: "", why: `the server does not show ${what}: ${error.message}` }], next: undefined, total: null }
  }
}

const Keyed = Type.Object({ id: Type.Union([Type.String(), Type.Integer()]) })
const keyOf = (element: unknown): string => (Check(Keyed, element) ? String(element.id) : "")

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString("utf8"))
  } catch {
    return undefined
  }
}
