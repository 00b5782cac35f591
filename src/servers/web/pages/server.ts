import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { type Actor, anonymous, signedInAs } from "../../../core/actor.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { once } from "../../../core/forms/once.ts"
import type { Html } from "../../../core/html.ts"
import { isRawPath, type Page as ListPage, lastSegment } from "../../../core/operation.ts"
import type { Away, Moved, Page, PageAnswer, PageInput, Reader, SentEvents, SentFile, Shown } from "../../../core/page.ts"
import type { TObject } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findHeaderNews } from "../../../features/events/notifications/header.ts"
import { totalsOfUsers } from "../../../features/events/notifications/threads.ts"
import type { Authenticator } from "../../../features/people/authentication/authenticate.ts"
import type { Session } from "../../../features/people/sessions/sessions.ts"
import type { SignIn } from "../../../features/people/sign-in/sign-in.ts"
import { avatarUrl } from "../../../features/people/users/present.ts"
import { auditEntryOf, audited } from "../../../features/site/administration/audit.ts"
import { loginFor, ownPath, path, queryOf } from "../../../web/address.ts"
import { ASSETS_PATH, findAsset } from "../../../web/assets.ts"
import { dismissedIn, type Flash, frame, type Surroundings } from "../../../web/layout.ts"
import { asRefusal, movedTo, sendRefusal } from "../../api/answer.ts"
import { sendDownload } from "../../api/download.ts"
import { logFault, requestDetails, retryAfter } from "../../api/faults.ts"
import { readBody, readQuery } from "../../api/input.ts"
import { receiveUpload } from "../../api/upload.ts"
import { clientAddress } from "../../client/address.ts"
import { leadTo, sendAway, unnoticed } from "../../routing/redirect.ts"
import { type DeclaredRequest, type DeclaredRoute, declaredRoute } from "../../routing/routes.ts"
import { actorOf, mayReadCategory } from "../actor.ts"
import { cookieOf, keep, keptBy } from "../cookies.ts"
import { sessionOf, sessionText, setSession } from "../session.ts"
import { filesFirst } from "./attach.ts"
import { encodingFor, openPageCache, type PageCache, type Ready, readyText, sendReady } from "./cache.ts"
import { errorPage, wantsPage } from "./errors.ts"
import { openEventStreams, type SendEvents } from "./events.ts"
import { FLASH, flashCookie, flashIn, isNavigation, LONGEST_FLASH, noFlash, type Undoable, undoableIn } from "./flash.ts"
import { registerGoGet } from "./go-get.ts"
import { askInPlace, signInPlace } from "./in-place.ts"
import { type LivePages, openLivePages } from "./live.ts"
import { beginningOf } from "./long.ts"
import { notStored, pageHeaders } from "./policy.ts"
import { cameFrom, chosenTheme, diffsFor, themeFor } from "./reader.ts"

const YEAR = 31_536_000

/** Serves what pages load, and gives the routes of the declared ones. */
export function registerPages(
  app: FastifyInstance,
  services: Services,
  pages: readonly Page[],
  { signIn, authenticator }: Pick<Serving, "signIn" | "authenticator">,
): readonly DeclaredRoute[] {
  const sendEvents = openEventStreams(app)
  const live = openLivePages(services, totalsOfUsers)
  const serving: Serving = { services, cache: openPageCache(), signIn, authenticator, sendEvents, live, undoable: undoableIn(pages) }
  registerGoGet(app, services)
  app.get<{ Params: { file: string } }>(`${ASSETS_PATH}/:file`, async (request, reply) => {
    const asset = findAsset(request.params.file)
    if (!asset) throw refuse.notFound()
    const encoding = encodingFor(request)
    if (encoding) reply.header("content-encoding", encoding)
    return reply
      .header("cache-control", `public, max-age=${YEAR}, immutable`)
      .header("vary", "Accept-Encoding")
      .type(asset.type)
      .send(await asset.bytes(encoding))
  })

  return pages.map((page) => ({
    method: page.method,
    path: page.address,
    operation: page.id,
    // The file of an upload is read as a stream, and so are those that are attached to a text, see attach.ts.
    body: page.upload ? "streamed" : page.beforeSignIn ? "collected" : "files-streamed",
    bodyLimit: page.method === "POST" ? page.bytes : undefined,
    signsInPlace: page.method === "POST" && !page.upload && !page.beforeSignIn,
    fromAnySite: page.fromAnySite,
    asksToSignIn: page.asksToSignIn,
    handle: (request, reply) => servePage(serving, page, request, reply),
    fail: (error, request, reply) => sendErrorPage(services, request, reply, error),
  }))
}

function pathOf({ address }: Page, { params, url }: DeclaredRequest): Readonly<Record<string, string>> {
  // A clone address that somebody pastes into a browser.
  const repo = params["repo"]?.replace(/\.git$/, "")
  const last = /\{(\w+)\}$/.exec(address)?.[1]
  const raw = last !== undefined && isRawPath(last) ? { [last]: lastSegment(url) } : {}
  return { ...params, ...raw, ...(repo === undefined ? {} : { repo }) }
}

interface Serving {
  readonly services: Services
  readonly cache: PageCache
  readonly signIn: SignIn
  readonly authenticator: Authenticator
  readonly sendEvents: SendEvents
  readonly live: LivePages
  readonly undoable: Undoable
}

async function servePage(
  { services, cache, signIn, authenticator, sendEvents, live, undoable }: Serving,
  page: Page,
  request: DeclaredRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const entered = page.method === "POST" && !page.beforeSignIn ? await signInPlace(services, signIn, request) : undefined
  if (entered?.kind === "shown") return sendShown(services, request, reply, entered)
  if (entered) setSession(services, reply, entered.cookie)
  const program = page.programs && request.headers.authorization !== undefined ? await actorOf(request, services, authenticator) : undefined
  const session = program ? undefined : (entered?.session ?? (await sessionOf(services, request)))
  const actor: Actor = program ?? (session ? signedInAs(session.user) : anonymous)
  // Before anything is looked up: what is hidden or missing leads there as everything else does.
  const isClosed = services.config.security.requireSignIn && !page.beforeSignIn
  const asksFirst = isClosed || page.rule.signIn === "required"
  if (asksFirst && actor.kind === "anonymous" && page.method === "GET") return toLogin(reply, request)
  if (page.programs?.some((category) => !mayReadCategory(services, actor, category))) throw refuse.notFound()
  if (page.live && queryOf(request.url).has("live")) return followPage({ services, live, sendEvents }, page, request, reply)
  const flash = isNavigation(request) ? flashIn(cookieOf(request, FLASH, LONGEST_FLASH), undoable) : undefined
  const isCached = page.method === "GET" && !page.changesWithTime && !page.beforeSignIn && flash === undefined && program === undefined
  const state = isCached ? await services.database.state() : undefined
  const kept = keptBy(services, request)
  const diffs = diffsFor(kept, session?.user)
  const announced = services.announcements.shown(session !== undefined, dismissedIn(kept)).map(({ mark }) => mark)
  const key = `${page.id} ${session?.user.id ?? "-"} ${chosenTheme(kept) ?? ""} ${diffs ?? ""} ${announced.join("_")} ${request.url}`
  const now = services.now()
  const cached = state && cache.get(key, state, now)
  if (cached) return sendReady(request, reply, cached)
  const path = pathOf(page, request)
  // No name has it, and PostgreSQL takes it in no text.
  if (Object.values(path).some((value) => value.includes("\0"))) throw refuse.notFound()
  const unsent = await filesFirst(services, { page, request, actor, path })
  // A form asks for the sign-in in place, once it has been read.
  if (isClosed && actor.kind === "anonymous") throw refuse.unauthenticated()
  const answer = await page.open({ services, db: services.database.read, actor, path })
  const reader: Reader = {
    actor,
    url: request.url,
    requestId: request.id,
    ip: clientAddress(request),
    agent: request.headers["user-agent"],
    session: entered?.cookie.text ?? sessionText(services, request),
    diffs,
    kept,
    from: cameFrom(request),
  }
  const given = await answerTo(services, unsent ? { ...page, does: undefined, once: false } : page, request, actor, (received) =>
    answer({ ...inputOf(services, page, request), reader, ...received, ...(unsent && { unsent }) }),
  )
  const answered = given.kind === "shown" ? await beginningOf(page.method === "POST" ? unfollowed(given) : given) : given
  if (answered.kind === "shown" || answered.kind === "moved" || answered.kind === "away") {
    keep(services, reply, answered)
    if (answered.session) setSession(services, reply, answered.session)
  }
  if (answered.kind === "away") return sendAway(reply, answered.to)
  if (answered.kind === "moved") return sendMoved(request, reply, answered, page.beforeSignIn)
  if (answered.kind === "file") return sendDownload(request, reply, answered.file)
  if (answered.kind === "events") return sendEvents(reply, answered)
  if (answered.kind === "shown" && answered.rest)
    return sendLong(services, request, reply, session, { ...answered, rest: answered.rest, flash })
  const shownTo = page.beforeSignIn && page.method === "POST" ? await sessionOf(services, request) : session
  const ready = await readyOf(services, request, shownTo, answered, flash)
  if (state && ready.status === 200 && !(answered.kind === "shown" && answered.isPrivate)) cache.keep(key, state, now, ready)
  if (flash !== undefined) forgetFlash(reply)
  const sent = sendReady(request, reply, ready)
  if (answered.kind === "shown" && (answered.isPrivate || page.beforeSignIn || flash !== undefined)) notStored(reply)
  return sent
}

/** The answer to a form has the form's address, at which there is no page to follow. */
const unfollowed = (shown: Shown): Shown => ({ ...shown, modules: shown.modules?.filter((name) => name !== "live") ?? [] })

/** The stream that tells a script when the page has changed; it ends with the session. */
async function followPage(
  { services, live, sendEvents }: Pick<Serving, "services" | "live" | "sendEvents">,
  page: Page,
  request: DeclaredRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = pathOf(page, request)
  const { live: topics } = page
  if (!topics || Object.values(path).some((value) => value.includes("\0"))) throw refuse.notFound()
  const userId = (await sessionOf(services, request))?.user.id ?? 0
  const followed = async () => {
    const session = await sessionOf(services, request)
    if ((session?.user.id ?? 0) !== userId) throw refuse.unauthenticated()
    return topics({ services, db: services.database.read, actor: session ? signedInAs(session.user) : anonymous, path })
  }
  return sendEvents(reply, live.follow({ who: userId === 0 ? clientAddress(request) : `user ${userId}`, userId, followed }))
}

/** Has a page answered; a form once however often it is sent, in the audit log where its operation is, and with its file. */
async function answerTo(
  services: Services,
  page: Pick<Page, "method" | "upload" | "once"> & { readonly does?: Page["does"] | undefined },
  request: FastifyRequest,
  actor: Actor,
  answer: (received: Pick<PageInput, "upload">) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  if (page.method === "GET") return answer({})
  const receiving = page.upload && (await receiveUpload(request.raw, page.upload))
  const perform = () => answer(receiving ? { upload: receiving.upload } : {}).finally(receiving?.end)
  const path = request.url.split("?", 1)[0] ?? ""
  const deed = page.does && auditEntryOf(page.does, { actor, path, ip: clientAddress(request) })
  const run = async (): Promise<PageAnswer> => {
    if (!deed) return perform()
    const recorded = await audited(services, deed, async () => {
      const answered = await perform()
      return { answered, status: "status" in answered ? (answered.status ?? 200) : 200 }
    })
    return recorded.answered
  }
  if (!page.once || actor.kind !== "user" || !Buffer.isBuffer(request.body)) return run()
  return once(services, { userId: actor.user.id, url: request.url, body: request.body }, run)
}

const retryHeader = ({ retryAfter }: Shown): Readonly<Record<string, string>> =>
  retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }

const HTML = "text/html;charset=utf-8"

async function readyOf(
  services: Services,
  request: FastifyRequest,
  session: Session | undefined,
  answered: Exclude<PageAnswer, Moved | Away | SentFile | SentEvents>,
  flash: Flash | undefined,
): Promise<Ready> {
  if (answered.kind === "text") {
    const policy = answered.type.startsWith("text/html") ? {} : { "content-security-policy": "default-src 'none'; sandbox" }
    return readyText(
      200,
      { "cache-control": "private, no-cache", ...policy, ...answered.headers, "content-type": answered.type },
      answered.body,
    )
  }
  const { before, after } = frame(answered, await surroundings(services, request, session, flash))
  return readyText(
    answered.status ?? 200,
    { ...pageHeaders(answered.formTargets), ...retryHeader(answered), "content-type": HTML },
    `${before}${after}`,
  )
}

/** Sends a page that is not declared, such as one of the steps of a sign-in; nobody stores it. */
export async function sendShown(services: Services, request: FastifyRequest, reply: FastifyReply, shown: Shown): Promise<FastifyReply> {
  const { before, after } = frame(shown, await surroundings(services, request, await sessionOf(services, request)))
  const { status = 200, formTargets } = shown
  return notStored(reply.code(status).headers(pageHeaders(formTargets)).header("vary", "Cookie")).send(`${before}${after}`)
}

/** Sends a page whose rest is still being made. */
async function sendLong(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session | undefined,
  { rest, flash, ...shown }: Shown & { readonly rest: AsyncIterable<Html>; readonly flash: Flash | undefined },
): Promise<FastifyReply> {
  const { before, after } = frame(shown, await surroundings(services, request, session, flash))
  async function* whole() {
    yield String(before)
    for await (const part of rest) yield String(part)
    yield String(after)
  }
  reply
    .code(shown.status ?? 200)
    .headers(pageHeaders(shown.formTargets))
    .header("vary", "Cookie, Accept-Encoding")
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

async function surroundings(
  services: Services,
  request: FastifyRequest,
  session: Session | undefined,
  flash?: Flash,
): Promise<Surroundings> {
  const user = session?.user
  const news = user && (await findHeaderNews(services.database.read, user))
  const timer = news?.timer
  const kept = keptBy(services, request)
  return {
    siteName: "Hearth",
    viewer: user && {
      login: user.name,
      full_name: user.full_name,
      avatar_url: avatarUrl(services.site, user),
      isAdministrator: user.is_admin === 1,
    },
    unread: news?.unread ?? 0,
    timer: timer && {
      since: timer.since,
      seconds: Math.max(0, services.now() - timer.since),
      title: timer.title,
      issue: `${timer.owner}/${timer.repository}#${timer.number}`,
      path: path(timer.owner, timer.repository, timer.isPull === 1 ? "pulls" : "issues", timer.number),
      back: request.method === "POST" ? cameFrom(request) : request.url,
    },
    theme: themeFor(kept, user),
    url: request.url,
    mayRegister: services.config.users.registration === "open",
    flash: flash ?? (isNavigation(request) ? flashIn(cookieOf(request, FLASH, LONGEST_FLASH), new Map()) : undefined),
    announcements: services.announcements.shown(user !== undefined, dismissedIn(kept)),
  }
}

const forgetFlash = (reply: FastifyReply): FastifyReply => reply.header("set-cookie", noFlash)

/** What a script accepts that sends a form itself and goes on: browsers don't tell scripts where a redirect leads. */
const MOVED = "application/vnd.hearth.moved+json"

function sendMoved(
  request: FastifyRequest,
  reply: FastifyReply,
  { to, status = 303, flash, undo }: Moved,
  isUnnoticed = false,
): FastifyReply {
  const isTold = request.headers.accept === MOVED
  // What other scripts ask for, nobody sees.
  if (flash !== undefined && (isTold || isNavigation(request))) reply.header("set-cookie", flashCookie(flash, undo))
  if (isUnnoticed) unnoticed(reply)
  else reply.header("cache-control", "private, no-cache")
  return isTold ? reply.type(MOVED).send(JSON.stringify({ to: ownPath(to) })) : leadTo(reply, to, status)
}

const toLogin = (reply: FastifyReply, request: FastifyRequest): FastifyReply =>
  leadTo(reply.header("cache-control", "no-store"), loginFor(request.method === "GET" ? request.url : cameFrom(request)))

/** The form itself holds the bounds, so that a text that is too long comes back with it. */
const BY_FORM = { textBytes: Number.POSITIVE_INFINITY, listItems: 10_000 }

function inputOf({ config }: Services, page: Page, request: FastifyRequest): { readonly query: unknown; readonly page: ListPage } {
  const parameters = queryOf(request.url)
  const number = Math.min(Math.max(1, Number(/^\d{1,9}$/.exec(parameters.get("page") ?? "")?.[0] ?? 1)), 1_000_000)
  const limit = Math.min(page.rows, config.api.maxPageSize)
  const rows: ListPage = { number, limit, offset: (number - 1) * limit }
  if (page.method === "GET") return { query: readable(page.query, parameters), page: rows }
  const body = Buffer.isBuffer(request.body) ? request.body : undefined
  return { query: readBody(page.query, body, request.headers["content-type"], BY_FORM), page: rows }
}

/** The values of a query that can be read: somebody may have typed the others, or an older link may have them. */
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
    const shown = declaredRoute(request)?.signsInPlace ? askInPlace(request) : undefined
    return shown ? sendShown(services, request, reply, shown) : toLogin(reply, request)
  }
  // What one may not see is missing, as far as pages tell.
  const refusal = given.kind === "forbidden" && request.method !== "POST" ? refuse.notFound() : given
  if (refusal.kind === "notFound" && declaredRoute(request)?.asksToSignIn && (await isNobody(services, request)))
    return toLogin(reply, request)
  // Programs that ask for a page's address need no page to see that it is not there.
  if (!wantsPage(request)) return sendRefusal(services, request, reply, given === refusal ? error : refusal)
  logFault(services.log, given, error, requestDetails(request, "a page failed"))
  const session = await sessionOf(services, request).catch(() => undefined)
  const shown = errorPage(refusal, {
    method: request.method,
    url: request.url,
    back: cameFrom(request),
    requestId: request.id,
    isSignedIn: session !== undefined,
  })
  const seconds = retryAfter(refusal)
  if (seconds !== undefined) reply.header("retry-after", seconds)
  // Without the database the header can't count what is unread.
  const around = await surroundings(services, request, session).catch(() => surroundings(services, request, undefined))
  const { before, after } = frame(shown, around)
  return notStored(reply.code(refusal.status).headers(pageHeaders()).header("vary", "Cookie")).send(`${before}${after}`)
}
