import type { FastifyReply, FastifyRequest } from "fastify"
import { LRUCache } from "lru-cache"
import type { Actor, User } from "../../core/actor.ts"
import type { State } from "../../core/database/database.ts"
import type { Operation, Request } from "../../core/operation.ts"
import { actorFrom } from "../../core/origin.ts"
import type { Services } from "../../core/services.ts"
import type { Upload, UploadForm } from "../../core/upload.ts"
import { auditEntryOf, audited, type NewAuditEntry } from "../../features/site/administration/audit.ts"
import { clientAddress } from "../client/address.ts"
import { receiveUpload } from "../client/upload.ts"
import type { DeclaredRequest, DeclaredRoute } from "./routes.ts"

/*
 * The one way in. Whatever is declared, operation, page or file, is answered in these steps and in this order: who calls, what they call, whether they
 * may, what they sent; then it is done, and the answer is made. All up to reading happens before a byte of the body is read, except where the body
 * itself says who sends it.
 */

export interface Caller {
  readonly actor: Actor
  /** The administrator who acts in the caller's name. */
  readonly behind?: User | undefined
}

/** Sends an answer. */
export type Send = (reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

/** A record whose subject is located and whose caller is authorised by `open`. */
interface Declared<Opened> {
  readonly open: (request: Request) => Promise<Opened>
  readonly mayBeOld?: boolean
}

/** A request whose caller has been authorised. */
export interface Call<Record, C extends Caller, Opened> {
  readonly record: Record
  readonly caller: C
  readonly opened: Opened
  readonly request: DeclaredRequest
}

/** An answer that may be kept, and sent again. */
export interface Ready {
  readonly bytes: number
  readonly send: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
}

/** What differs between the kinds of records. */
export interface Kind<R extends Declared<Opened>, C extends Caller, Opened, Input, Answer extends object> {
  readonly route: (record: R) => Omit<DeclaredRoute, "admit" | "handle" | "fail">
  /** Who calls, with which credentials and in whose name. Refuses wrong credentials, and accounts that may not be used. */
  readonly who: (record: R, request: DeclaredRequest, reply: FastifyReply) => Promise<C | Send>
  /** Refuses callers who may ask for no such record, whatever it is about: the scope of their token, or sites that show nothing to anonymous callers. */
  readonly admit: (record: R, caller: C) => void
  readonly keeps?: {
    readonly answers: KeptAnswers
    /** What an answer depends on beside the state of the database; undefined where it is not kept. */
    readonly keyOf: (record: R, caller: C, request: DeclaredRequest) => string | undefined
  }
  /** The values of the path's parameters, as the record takes them. */
  readonly pathOf: (record: R, request: DeclaredRequest) => Readonly<Record<string, string>>
  /** Answers otherwise than the record says, such as by telling when a page changes. */
  readonly instead?: (record: R, asked: Request, request: DeclaredRequest) => Opened | undefined
  /** What is done instead for a caller who is refused, or led elsewhere; throws `error` where there is nothing. */
  readonly refused?: (record: R, caller: C, request: DeclaredRequest, error: unknown) => Promise<Opened>
  /** Query and body, by what the record declares. */
  readonly read: (record: R, request: DeclaredRequest) => Input
  /** How the record takes a file. */
  readonly uploadOf?: (record: R) => UploadForm | undefined
  /** The operation that is done, for the audit log. */
  readonly does?: (call: Call<R, C, Opened>) => Operation | undefined
  readonly handle: (call: Call<R, C, Opened>, input: Input, upload: Upload | undefined) => Promise<Answer> | Answer
  /** Has what was sent twice by accident done once. */
  readonly once?: (call: Call<R, C, Opened>, run: () => Promise<Answer>) => Promise<Answer>
  readonly present: (call: Call<R, C, Opened>, answer: Answer, input: Input) => Promise<Ready | Send> | Ready | Send
  readonly fail: DeclaredRoute["fail"]
}

/** The routes of records of one kind. */
export function routesOf<R extends Declared<Opened>, C extends Caller, Opened, Input, Answer extends object>(
  services: Services,
  kind: Kind<R, C, Opened, Input, Answer>,
  records: readonly R[],
): readonly DeclaredRoute[] {
  type Entered = { readonly call: Call<R, C, Opened>; readonly keep: (ready: Ready) => void } | Ready | Send
  const { keeps } = kind
  const entered = new WeakMap<FastifyRequest, Entered>()

  async function enter(record: R, request: DeclaredRequest, reply: FastifyReply): Promise<Entered> {
    const who = await kind.who(record, request, reply)
    if (typeof who === "function") return who
    const caller = request.method === "GET" ? who : { ...who, actor: actorFrom(who.actor, clientAddress(request), who.behind) }
    kind.admit(record, caller)
    const path = kind.pathOf(record, request)
    const key = keeps?.keyOf(record, caller, request)
    const state = key === undefined ? undefined : await services.database.state()
    const known = key === undefined || state === undefined ? undefined : keeps?.answers.get(key, state)
    if (known) return known
    const recent = record.mayBeOld ? services.database.recent() : undefined
    const asked: Request = { services, db: recent ?? services.database.read, actor: caller.actor, path }
    const opened = kind.instead?.(record, asked, request) ?? (await openFor(record, caller, request, asked))
    const keep = (ready: Ready) => {
      // The state is the primary's: what a replica has answered may be older.
      if (key !== undefined && state !== undefined && recent === undefined) keeps?.answers.keep(key, state, ready)
    }
    return { call: { record, caller, opened, request }, keep }
  }

  async function openFor(record: R, caller: C, request: DeclaredRequest, asked: Request): Promise<Opened> {
    try {
      return await record.open(asked)
    } catch (error) {
      if (kind.refused) return kind.refused(record, caller, request, error)
      throw error
    }
  }

  async function answer(call: Call<R, C, Opened>): Promise<Ready | Send> {
    const { record, caller, request } = call
    const input = kind.read(record, request)
    const form = kind.uploadOf?.(record)
    const receiving = form && (await receiveUpload(request.raw, form))
    const does = kind.does?.(call)
    const ip = clientAddress(request)
    const entry = does && auditEntryOf(does, { ...caller, path: request.url.split("?", 1)[0] ?? "", ip })
    const handle = async (): Promise<Answer> => kind.handle(call, input, receiving?.upload)
    const run = (): Promise<Answer> => recorded(services, entry, handle)
    const given = (kind.once ? kind.once(call, run) : run()).finally(() => receiving?.end())
    return kind.present(call, await given, input)
  }

  return records.map((record): DeclaredRoute => {
    const route = kind.route(record)
    return {
      ...route,
      // A form may bring the password of the person who sends it.
      ...(!route.signsInPlace && {
        admit: async (request, reply) => {
          entered.set(request, await enter(record, request, reply))
        },
      }),
      handle: async (request, reply) => {
        const known = entered.get(request) ?? (await enter(record, request, reply))
        if (typeof known === "function") return known(reply)
        if ("send" in known) return known.send(request, reply)
        const given = await answer(known.call)
        if (typeof given === "function") return given(reply)
        known.keep(given)
        return given.send(request, reply)
      },
      fail: kind.fail,
    }
  })
}

/** Does what a call asks for, and records it in the audit log where it belongs there. */
export async function recorded<Answer extends object>(
  services: Services,
  entry: NewAuditEntry | undefined,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  if (!entry) return handle()
  const { answered } = await audited(services, entry, async () => {
    const answered = await handle()
    return { answered, status: "status" in answered && typeof answered.status === "number" ? answered.status : 200 }
  })
  return answered
}

interface Kept {
  readonly state: State
  readonly until: number
  readonly ready: Ready
}

/**
 * Answers that are kept: the same request of the same caller in the same state of the database gets the same answer. Clients poll often for what has not
 * changed. Any write, in this process or another, voids all of them, so that no stale one is served.
 */
export interface KeptAnswers {
  /** The answer of that key if it was made in this state of the database. */
  readonly get: (key: string, state: State) => Ready | undefined
  /** `state` is the one from before the answer was made. */
  readonly keep: (key: string, state: State, ready: Ready) => void
}

const MOST_ASKED = 10_000

export interface KeepingLimits {
  /** Bytes of all answers together, and of one; a longer one is not kept. */
  readonly mostBytes: number
  readonly longest: number
  /** Keeps what is asked for a second time: keeping what is never asked for again costs more than it saves. */
  readonly isOftenAskedOnce?: boolean
  /** For how long, where an answer says how long ago something happened. */
  readonly seconds?: number
}

export function openKept(
  { now }: Services,
  { mostBytes, longest, seconds = Number.POSITIVE_INFINITY, isOftenAskedOnce = false }: KeepingLimits,
): KeptAnswers {
  const asked = new LRUCache<string, true>({ max: MOST_ASKED })
  const cache = new LRUCache<string, Kept>({
    maxSize: mostBytes,
    maxEntrySize: longest,
    sizeCalculation: ({ ready }, key) => Math.ceil(key.length + ready.bytes) + 200,
  })
  return {
    get: (key, state) => {
      const kept = cache.get(key)
      return kept?.state === state && now() < kept.until ? kept.ready : undefined
    },
    keep: (key, state, ready) => {
      if (isOftenAskedOnce && !asked.has(key)) asked.set(key, true)
      else cache.set(key, { state, until: now() + seconds, ready })
    },
  }
}
