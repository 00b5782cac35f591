import { locateKnown } from "../../../access/policies/people.ts"
import { locateRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import { callerKey } from "../../../core/caller.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Renamed, refuse } from "../../../core/errors.ts"
import { logName, positionText, resumedFrom } from "../../../core/events/position.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { CallRequest } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import type { Streamed } from "../../../core/streamed.ts"
import type { Item } from "./items.ts"
import type { Filter } from "./judge.ts"
import { KINDS } from "./names.ts"
import { type Follower, streamsOf } from "./streams.ts"

/**
 * Milliseconds of silence after which a stream says where it is: proxies cut connections on which nothing moves. Each waits a little shorter by chance, so that those who were told
 * something together don't all say it at once.
 */
const QUIET_MS = 15_000
const quietMs = (): number => QUIET_MS * (0.8 + Math.random() / 5)
/** A reader that takes what was sent later than this part of the time after which it is cut off is told to resume: ten seconds. */
const SLOW_PART = 1 / 6
/** The most repositories, owners or kinds that one stream asks for. */
const MOST_NAMES = 100

export interface Asked {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly request: CallRequest
  readonly query: {
    readonly after?: string
    readonly wait?: number
    readonly repository?: string
    readonly owner?: string
    readonly kind?: string
    readonly involved?: boolean
  }
}

/** The answer to who asks for events: a stream of server-sent events where they accept that, else what there is by now as JSON Lines. */
export async function answerEvents(asked: Asked): Promise<Streamed> {
  const { services, actor, query, request } = asked
  if (request.behind) throw refuse.forbidden("events can't be followed in somebody else's name")
  const isStream = /\btext\/event-stream\b/.test(request.header?.("accept") ?? "")
  const lastId = isStream ? request.header?.("last-event-id") : undefined
  const after = await (lastId ? resumedFrom(services, lastId, "Last-Event-ID") : resumedFrom(services, query.after, "after"))
  const filter = await filterOf(asked)
  const name = await logName(services)()
  const who = callerKey()
  const follow = (signal: AbortSignal) => streamsOf(services).follow({ who, actor, filter, after }, signal)
  return isStream
    ? {
        type: "text/event-stream",
        begin: async (signal) => ({ pieces: eventsOf(follow(signal), name, services.config.http.stallSeconds * 1000 * SLOW_PART) }),
      }
    : { type: "application/jsonl", begin: (signal) => linesOf(follow(signal), name, (query.wait ?? 0) * 1000) }
}

/** What there is, at once or as soon as there is something, and where to go on. */
async function linesOf(follower: Follower, name: string, milliseconds: number) {
  try {
    const arrival = await follower.next(milliseconds)
    if (arrival.kind === "over" && arrival.isRefused) throw refuse.unauthenticated()
    const text = arrival.kind === "told" ? arrival.items.map((item) => `${item.text}\n`).join("") : ""
    return { headers: { "x-hearth-position": positionText(name, follower.position()) }, pieces: once(text) }
  } finally {
    follower.leave()
  }
}

async function* once(text: string) {
  if (text !== "") yield text
}

/** What is sent of events, made once for all who are told the same. An event is its record with its position as id. */
const sentOf = onFirstUseOf((items: readonly Item[]) =>
  Buffer.from(items.map(({ position, text }) => `id: ${position}\ndata: ${text}\n\n`).join("")),
)

/** A stream says when it begins (`ready`), and why it ends if not by its reader (`resume`, `end`). */
async function* eventsOf(follower: Follower, name: string, slowMs: number): AsyncGenerator<string | Uint8Array, void> {
  const here = () => positionText(name, follower.position())
  const said = (event: "ready" | "resume" | "end", words: object) => {
    const position = here()
    return `event: ${event}\nid: ${position}\ndata: ${JSON.stringify({ position, ...words })}\n\n`
  }
  try {
    let sentAt = performance.now()
    yield `retry: 1000\n${said("ready", {})}`
    for (;;) {
      if (performance.now() - sentAt > slowMs) return yield said("resume", { message: "you read too slowly: go on from this position" })
      const arrival = await follower.next(quietMs())
      sentAt = performance.now()
      if (arrival.kind === "quiet") yield `id: ${here()}\n\n`
      else if (arrival.kind === "told") yield sentOf(arrival.items)
      else if (arrival.isRefused) return yield said("end", { message: "you may not follow events any more: sign in again" })
      else return
    }
  } finally {
    follower.leave()
  }
}

// --- filters -------------------------------------------------------------------------------------------------------------------------

/** What most ask for. */
const EVERYTHING: Filter = { repositoryIds: new Set(), ownerIds: new Set(), kinds: [], isInvolved: false, text: "" }

async function filterOf({ services, db, actor, query }: Asked): Promise<Filter> {
  const [repositories, owners, kinds] = [
    namesIn(query.repository, "repository"),
    namesIn(query.owner, "owner"),
    namesIn(query.kind, "kind"),
  ]
  const unknown = kinds.find((beginning) => !KINDS.some((kind) => kind.startsWith(beginning)))
  if (unknown !== undefined) throw refuse.invalid("kind", "must be a kind of event, or the beginning of some, such as issue.")
  if (query.involved && actor.kind === "anonymous") throw refuse.unauthenticated()
  const repositoryIds = new Set<number>()
  for (const name of repositories) repositoryIds.add(await repositoryId(services, db, actor, name))
  const ownerIds = new Set<number>()
  for (const name of owners) ownerIds.add(await ownerId(db, actor, name))
  if (repositories.length + owners.length + kinds.length === 0 && !query.involved) return EVERYTHING
  const text = JSON.stringify([[...repositoryIds], [...ownerIds], kinds, query.involved ?? false])
  return { repositoryIds, ownerIds, kinds, isInvolved: query.involved ?? false, text }
}

function namesIn(values: string | undefined, field: string): readonly string[] {
  const names = (values ?? "").split(/[\n,]/).flatMap((name) => name.trim() || [])
  if (names.length > MOST_NAMES) throw refuse.invalid(field, "must be given no more than a hundred times")
  return names
}

async function repositoryId(services: Services, db: Handle, actor: Actor, name: string): Promise<number> {
  const [owner = "", repo = "", ...rest] = name.split("/")
  if (repo === "" || rest.length > 0)
    throw refuse.invalid("repository", "must be the name of an owner and of a repository, such as ada/home")
  try {
    return (await locateRepository(db, actor, owner, repo)).repository.id
  } catch (error) {
    if (!(error instanceof Renamed)) throw error
    const { owner: newOwner = owner, repo: newRepo = repo } = error.replace
    return repositoryId(services, db, actor, `${newOwner}/${newRepo}`)
  }
}

async function ownerId(db: Handle, actor: Actor, name: string): Promise<number> {
  try {
    return (await locateKnown(db, actor, name, "owner")).id
  } catch (error) {
    if (!(error instanceof Renamed)) throw error
    return ownerId(db, actor, error.replace["owner"] ?? "")
  }
}
