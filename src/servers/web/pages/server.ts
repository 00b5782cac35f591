import { Readable } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import { actorId, anonymous, signedInAs } from "../../../core/actor.ts"
import { callerKey } from "../../../core/caller.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { once } from "../../../core/forms/once.ts"
import { Html } from "../../../core/html.ts"
import type { Language } from "../../../core/language/language.ts"
import { textIn } from "../../../core/language/message.ts"
import type { Page as ListPage, Request } from "../../../core/operation.ts"
import {
  type Away,
  type Kept,
  MissingWithin,
  type Moved,
  type Page,
  type PageAnswer,
  type PageInput,
  type Reader,
  type SentEvents,
  type SentFile,
  type SessionText,
  type Shown,
} from "../../../core/page.ts"
import type { TObject } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { requireTaskGit } from "../../../core/task-token.ts"
import { totalsOfUsers } from "../../../features/events/notifications/threads-store.ts"
import type { Session } from "../../../features/people/sign-in/sessions/sessions.ts"
import { ownPath, queryOf } from "../../../web/address.ts"
import { dismissedIn, type Flash, frame, type Surroundings } from "../../../web/layout.ts"
import { asRefusal, movedTo, sendRefusal } from "../../api/answer.ts"
import { logFault, requestDetails, retryAfter } from "../../api/faults.ts"
import { readBody, readQuery } from "../../api/input.ts"
import { encodingFor, wantsPage } from "../../client/accepts.ts"
import { clientAddress } from "../../client/address.ts"
import { cookieOf, keep, keptBy } from "../../client/cookies.ts"
import { sessionOf, sessionText, setSession } from "../../client/session.ts"
import { sendDownload } from "../../files/send.ts"
import { admitToPage } from "../../routing/admission.ts"
import { callerByHeader } from "../../routing/callers.ts"
import { type Caller, type Kind, openKept, type Ready, routesOf, type Send } from "../../routing/pipeline.ts"
import { leadTo, sendAway, unnoticed } from "../../routing/redirect.ts"
import { type DeclaredRequest, type DeclaredRoute, declaredRoute, pathOf } from "../../routing/routes.ts"
import type { SendStream } from "../../streams.ts"
import { filesFirst } from "./attach.ts"
import { enterByProxy } from "./by-proxy.ts"
import { errorPage } from "./errors.ts"
import { eventStream } from "./events.ts"
import { leadToFactor, requireFactor } from "./factor.ts"
import { FLASH, flashCookie, flashIn, isNavigation, LONGEST_FLASH, noFlash, type Undoable, undoableIn } from "./flash.ts"
import { askInPlace, confirmInPlace, signInPlace } from "./in-place.ts"
import { isFollowed, type LivePages, openLivePages } from "./live.ts"
import { beginningOf } from "./long.ts"
import { NOT_SHARED, NOT_STORED, notStored, pageHeaders } from "./policy.ts"
import { type ReadyText, readyText, sendReady } from "./ready.ts"
import { cameFrom, chosenTheme, diffsFor, languageFor, surroundings, VARY } from "./surroundings.ts"
import { toLogin } from "./to-login.ts"

/** The routes of the declared pages. */
export function pageRoutes(services: Services, pages: readonly Page[], sendStream: SendStream): readonly DeclaredRoute[] {
  const live = openLivePages(services, totalsOfUsers)
  const serving: Serving = { sendStream, live, undoable: undoableIn(pages) }
  return routesOf(services, kindOf(services, serving), pages)
}

interface Serving {
  readonly sendStream: SendStream
  readonly live: LivePages
  readonly undoable: Undoable
}

/** Who asks for a page, and how they want it. */
interface Visitor extends Caller {
  readonly session: Session | undefined
  /** The session that the request itself has begun. */
  readonly begun: SessionText | undefined
  /** Whether a program asks, which has signed in with a header. */
  readonly isProgram: boolean
  readonly flash: Flash | undefined
  readonly kept: Partial<Kept>
  readonly language: Language
  readonly diffs: string | undefined
  /** Why a form is shown again without being done. */
  readonly unsent: Refusal | undefined
}

type Answering = (input: PageInput) => Promise<PageAnswer>
type Fields = Pick<PageInput, "query" | "page">

/** Pages and forms: people come with a session of their browser, and get HTML. */
function kindOf(services: Services, serving: Serving): Kind<Page, Visitor, Answering, Fields, PageAnswer> {
  return {
    route: (page) => ({
      method: page.method,
      path: page.address,
      operation: page.id,
      // The file of an upload is read as a stream, and so are those that are attached to a text, see attach.ts.
      body: page.upload ? "streamed" : page.beforeSignIn ? "collected" : "files-streamed",
      bodyLimit: page.method === "POST" ? page.bytes : undefined,
      signsInPlace: page.method === "POST" && !page.upload && !page.beforeSignIn,
      fromAnySite: page.fromAnySite,
      asksToSignIn: page.asksToSignIn,
    }),
    who: (page, request, reply) => visitorOf(services, serving, page, request, reply),
    admit: (page, { actor }) => admitToPage(services, page, actor),
    keeps: {
      // Pages say how long ago things happened, exact to a minute.
      answers: openKept(services, { mostBytes: 16 * 1024 * 1024, longest: 512 * 1024, seconds: 60 }),
      keyOf: (page, { session, kept, language, diffs, flash, isProgram }, request) => {
        if (page.method !== "GET" || page.changesWithTime || page.beforeSignIn) return undefined
        if (flash !== undefined || isProgram || isFollowed(page, request)) return undefined
        const announced = services.announcements.shown(session !== undefined, dismissedIn(kept)).map(({ mark }) => mark)
        const looks = `${chosenTheme(kept) ?? ""} ${language.code} ${diffs ?? ""} ${announced.join("_")}`
        return `${page.id} ${session?.user.id ?? "-"} ${looks} ${request.url}`
      },
    },
    pathOf: pathOfPage,
    instead: (page, asked, request) =>
      isFollowed(page, request) ? async () => follow(services, serving, page, asked, request) : undefined,
    read: (page, request) => fieldsOf(services, page, request),
    uploadOf: ({ upload }) => upload,
    does: ({ record, caller }) => (caller.unsent ? undefined : record.does),
    handle: ({ caller, opened, request }, fields, upload) =>
      opened({
        ...fields,
        reader: readerOf(services, caller, request),
        ...(upload && { upload }),
        ...(caller.unsent && { unsent: caller.unsent }),
      }),
    once: ({ record, caller: { actor, unsent }, request }, run) =>
      record.once && !unsent && actor.kind === "user" && Buffer.isBuffer(request.body)
        ? once(services, { userId: actor.user.id, url: request.url, body: request.body }, run)
        : run(),
    present: ({ record, caller, request }, answered) => present(services, serving, record, caller, request, answered),
    fail: (error, request, reply) => sendErrorPage(services, request, reply, error),
  }
}

/** By the session, which a form may begin itself; by a header where programs ask for the page too. */
async function visitorOf(
  services: Services,
  { undoable }: Serving,
  page: Page,
  request: DeclaredRequest,
  reply: FastifyReply,
): Promise<Visitor | Send> {
  const given = page.method === "POST" && !page.beforeSignIn ? await signInPlace(services, request) : undefined
  const entered = (given?.kind === "asked" ? given.entered : given) ?? (await enterByProxy(services, request))
  if (entered) keep(services, setSession(services, reply, entered.cookie), { keeps: { person: entered.session.user.name } })
  if (given?.kind === "asked") return () => sendShown(services, request, reply, given.shown, entered?.session)
  const isProgram = page.programs !== undefined && request.headers.authorization !== undefined
  const session = isProgram ? undefined : (entered?.session ?? (await sessionOf(services, request)))
  const actor = isProgram ? await callerByHeader(services, request) : session ? signedInAs(session.user) : anonymous
  await requireTaskGit(actor, "git.fetch")
  const led = await leadToFactor(services, page, request, session)
  if (led) return led
  const kept = keptBy(services, request)
  return {
    actor,
    session,
    begun: entered?.cookie,
    isProgram,
    flash: isNavigation(request) ? flashIn(cookieOf(request, FLASH, LONGEST_FLASH), undoable) : undefined,
    kept,
    language: languageFor(request, session),
    diffs: diffsFor(kept, session?.user),
    unsent: await filesFirst(services, { page, request, actor, path: pathOfPage(page, request) }),
  }
}

/** Where someone pastes a clone address into a browser, the name ends in `.git`. */
function pathOfPage({ address }: Page, request: DeclaredRequest): Readonly<Record<string, string>> {
  const path = pathOf(address, request)
  const repo = path["repo"]?.replace(/\.git$/, "")
  return repo === undefined ? path : { ...path, repo }
}

const readerOf = (services: Services, { actor, begun, diffs, kept }: Visitor, request: DeclaredRequest): Reader => ({
  actor,
  url: request.url,
  requestId: request.id,
  ip: clientAddress(request),
  agent: request.headers["user-agent"],
  session: begun?.text ?? sessionText(services, request),
  diffs,
  kept,
  from: cameFrom(request),
})

/** The stream that tells a script when the page has changed; it ends with the session. */
function follow(services: Services, { live }: Serving, page: Page, asked: Request, request: DeclaredRequest): SentEvents {
  const userId = actorId(asked.actor)
  const followed = async () => {
    const session = await sessionOf(services, request)
    if ((session?.user.id ?? 0) !== userId) throw refuse.unauthenticated()
    await requireFactor(services, session)
    return page.live?.({ ...asked, actor: session ? signedInAs(session.user) : anonymous }) ?? []
  }
  return live.follow({ who: callerKey(), userId, followed })
}

async function present(
  services: Services,
  { sendStream }: Serving,
  page: Page,
  { session, flash, language }: Visitor,
  request: DeclaredRequest,
  given: PageAnswer,
): Promise<Ready | Send> {
  const answered = given.kind === "shown" ? await beginningOf(page.method === "POST" ? unfollowed(given) : given) : given
  if (answered.kind === "file") return (reply) => sendDownload(request, reply, answered.file)
  if (answered.kind === "events") return (reply) => sendStream(reply, eventStream(answered, language))
  const held = answered.kind === "moved" && answered.asksToConfirm && session ? await confirmInPlace(services, request, session) : undefined
  if (held) return (reply) => sendShown(services, request, reply, held, session)
  const keeping: Pick<Moved, "session" | "keeps"> = answered.kind === "text" ? {} : answered
  const kept = (reply: FastifyReply): FastifyReply =>
    keep(services, keeping.session ? setSession(services, reply, keeping.session) : reply, keeping)
  if (answered.kind === "away") return (reply) => sendAway(kept(reply), answered.to)
  if (answered.kind === "moved")
    return (reply) => sendMoved(request, page.beforeSignIn ? unnoticed(kept(reply)) : kept(reply).headers(NOT_SHARED), answered, language)
  const { rest } = answered.kind === "shown" ? answered : {}
  if (answered.kind === "shown" && rest) return (reply) => sendLong(services, request, kept(reply), session, { ...answered, rest, flash })
  const shownTo = page.beforeSignIn && page.method === "POST" ? await sessionOf(services, request) : session
  const ready = await readyOf(services, request, shownTo, answered, flash)
  const isPrivate = (answered.kind === "shown" && answered.isPrivate) || page.beforeSignIn || flash !== undefined
  const isUnfinished = answered.kind === "shown" && answered.isUnfinished
  if (ready.status === 200 && !isPrivate && !isUnfinished && !keeping.session && !keeping.keeps)
    // An encoded form adds about a quarter.
    return { bytes: ready.plain.length * 1.5 + 300, send: (request, reply) => sendReady(request, reply, ready) }
  const sent = isPrivate && answered.kind === "shown" ? { ...ready, headers: { ...ready.headers, ...NOT_STORED } } : ready
  return (reply) => sendReady(request, flash === undefined ? kept(reply) : forgetFlash(kept(reply)), sent)
}

/** The answer to a form has the form's address, at which there is no page to follow. */
const unfollowed = (shown: Shown): Shown => ({ ...shown, modules: shown.modules?.filter((name) => name !== "live") ?? [] })

async function readyOf(
  services: Services,
  request: FastifyRequest,
  session: Session | undefined,
  answered: Exclude<PageAnswer, Moved | Away | SentFile | SentEvents>,
  flash: Flash | undefined,
): Promise<ReadyText> {
  if (answered.kind === "text") {
    const policy = answered.type.startsWith("text/html") ? {} : { "content-security-policy": "default-src 'none'; sandbox" }
    return readyText(
      200,
      { "cache-control": "private, no-cache", ...policy, ...answered.headers, "content-type": answered.type },
      answered.body instanceof Html ? answered.body.in(languageFor(request, session)) : answered.body,
    )
  }
  const around = await surroundings(services, request, session, flash)
  const { before, after } = frame(answered, around)
  return readyText(answered.status ?? 200, pageHeaders(answered), before.in(around.language) + after.in(around.language))
}

/** Sends a page that is not declared, such as one that asks for the sign-in in place; no one stores it. */
const sendShown = async (
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Shown,
  session?: Session,
): Promise<FastifyReply> => sendFramed(reply, shown, await surroundings(services, request, session ?? (await sessionOf(services, request))))

function sendFramed(reply: FastifyReply, shown: Shown, around: Surroundings): FastifyReply {
  const { before, after } = frame(shown, around)
  reply.code(shown.status ?? 200).headers(pageHeaders(shown))
  return notStored(reply.header("vary", VARY)).send(before.in(around.language) + after.in(around.language))
}

/** Sends a page whose rest is still being made. */
async function sendLong(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session | undefined,
  { rest, flash, ...shown }: Shown & { readonly rest: AsyncIterable<Html>; readonly flash: Flash | undefined },
): Promise<FastifyReply> {
  const around = await surroundings(services, request, session, flash)
  const { before, after } = frame(shown, around)
  async function* whole() {
    yield before.in(around.language)
    for await (const part of rest) yield part.in(around.language)
    yield after.in(around.language)
  }
  reply
    .code(shown.status ?? 200)
    .headers(pageHeaders(shown))
    .header("vary", `${VARY}, Accept-Encoding`)
  const encoding = encodingFor(request)
  if (encoding !== "gzip" && encoding !== "br") return reply.send(Readable.from(whole()))
  const { createGzip, constants } = await import("node:zlib")
  // What is there is sent at once: the reader begins to read while the rest is made.
  const zip = createGzip({ level: 5, flush: constants.Z_SYNC_FLUSH })
  const source = Readable.from(whole())
  source.on("error", (error) => zip.destroy(error))
  zip.on("close", () => source.destroy())
  return reply.header("content-encoding", "gzip").send(source.pipe(zip))
}

const forgetFlash = (reply: FastifyReply): FastifyReply => reply.header("set-cookie", noFlash)

/** What a script accepts that sends a form itself and goes on: browsers don't tell scripts where a redirect leads. */
const MOVED = "application/vnd.hearth.moved+json"

function sendMoved(
  request: FastifyRequest,
  reply: FastifyReply,
  { to, status = 303, flash, undo }: Moved,
  language: Language,
): FastifyReply {
  const isTold = request.headers.accept === MOVED
  // What other scripts ask for, no one sees.
  if (flash !== undefined && (isTold || isNavigation(request))) reply.header("set-cookie", flashCookie(textIn(language, flash), undo))
  return isTold ? reply.type(MOVED).send(JSON.stringify({ to: ownPath(to) })) : leadTo(reply, to, status)
}

/** The form itself holds the bounds, so that a text that is too long comes back with it. */
const BY_FORM = { textBytes: Number.POSITIVE_INFINITY, listItems: 10_000 }

function fieldsOf({ config }: Services, page: Page, request: FastifyRequest): Fields {
  const parameters = queryOf(request.url)
  const number = Math.min(Math.max(1, Number(/^\d{1,9}$/.exec(parameters.get("page") ?? "")?.[0] ?? 1)), 1_000_000)
  const limit = Math.min(page.rows, config.api.maxPageSize)
  const rows: ListPage = { number, limit, offset: (number - 1) * limit }
  if (page.method === "GET") return { query: readable(page.query, parameters), page: rows }
  const body = Buffer.isBuffer(request.body) ? request.body : undefined
  return { query: readBody(page.query, body, request.headers["content-type"], BY_FORM), page: rows }
}

/** The values of a query that can be read: someone may have typed the others, or an older link may have them. */
function readable(schema: TObject, parameters: URLSearchParams): unknown {
  try {
    return readQuery(schema, parameters)
  } catch (error) {
    const name = error instanceof Refusal && error.field?.split(".")[0]
    if (!name || !parameters.has(name)) throw error
    const others = new URLSearchParams(parameters)
    others.delete(name)
    return readable(schema, others)
  }
}

/** Whether the one who asks is known not to be signed in. */
const isNobody = (services: Services, request: FastifyRequest): Promise<boolean> =>
  sessionOf(services, request).then(
    (session) => session === undefined,
    () => false,
  )

/** Sends the page of a refusal; those who are not signed in are asked to do so first where that may help. */
export async function sendErrorPage(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  if (error instanceof Renamed)
    return leadTo(reply, movedTo(request, error), request.method === "GET" || request.method === "HEAD" ? 302 : 307)
  const given = asRefusal(error)
  if (given.kind === "unauthenticated") {
    const shown = declaredRoute(request)?.signsInPlace ? await askInPlace(services, request) : undefined
    return shown ? sendShown(services, request, reply, shown) : toLogin(reply, request)
  }
  // What one may not see is missing, as far as pages tell.
  const refusal = given.kind === "forbidden" && request.method !== "POST" ? refuse.notFound() : given
  if (refusal.kind === "notFound" && declaredRoute(request)?.asksToSignIn && (await isNobody(services, request)))
    return toLogin(reply, request)
  const session = await sessionOf(services, request).catch(() => undefined)
  // Programs that ask for a page's address need no page to see that it is not there. What has a session is a script, which shows the words to the reader.
  if (!wantsPage(request))
    return sendRefusal(services, request, reply, given === refusal ? error : refusal, session && languageFor(request, session))
  logFault(services.log, given, error, requestDetails(request, "a page failed"))
  const within = error instanceof MissingWithin ? await error.page().catch(() => undefined) : undefined
  const shown =
    within ??
    errorPage(refusal, {
      method: request.method,
      url: request.url,
      back: cameFrom(request),
      requestId: request.id,
      isSignedIn: session !== undefined,
    })
  const seconds = retryAfter(refusal)
  // Without the database the header can't count what is unread.
  const around = await surroundings(services, request, session).catch(() => surroundings(services, request, undefined))
  return sendFramed(reply, { ...shown, ...(seconds !== undefined && { retryAfter: seconds }) }, around)
}
