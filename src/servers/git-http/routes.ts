import type { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Actor } from "../../core/actor.ts"
import { Renamed, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { type Done, doneBy } from "../../core/task-token.ts"
import { admitCreation, createForPush } from "../../features/code/lifecycle/push-to-create.ts"
import { isMissing } from "../../features/code/pushes/admission.ts"
import { serveFetch } from "../../features/code/pushes/fetch.ts"
import { type Address, follow, movedTo } from "../../features/code/pushes/follow.ts"
import { OFFERS_INFO } from "../../features/code/pushes/offers.ts"
import { partAt } from "../../features/code/wiki/part.ts"
import { readAuthorization } from "../../features/people/sign-in/credentials/credentials.ts"
import { isGitError, type PushOutcome, servicePreamble } from "../../git/index.ts"
import { callerPresenting } from "../routing/callers.ts"
import { leadTo } from "../routing/redirect.ts"
import { hiddenFrom, NO_CACHE, sendRefusal } from "./answer.ts"
import { addressOf, discardRest, isService, protocolOf, readBody, type Service } from "./request.ts"

/** Git's own protocol over HTTP: `git clone`, `git fetch` and `git push` of `/{owner}/{repo}`, with or without `.git`, and of wikis as `/{owner}/{repo}.wiki`. */

type Names = { readonly Params: { readonly owner: string; readonly repo: string } }

const DUMB = "This server speaks git's smart protocol only: use git 1.6.6 or newer, without GIT_SMART_HTTP=0."
const DUMB_PATHS = ["HEAD", "objects/*"] as const

/** Serves git over HTTP. */
export async function registerGitHttp(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(async (scope) => {
    // Bodies are streams of any length: nothing is read before the caller is authorised, and nothing is buffered.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, request, reply) => sendRefusal(request, reply, error))
    scope.addHook("onResponse", async (request) => discardRest(request.raw))

    scope.get<Names & { readonly Querystring: { readonly service?: unknown } }>("/:owner/:repo/info/refs", (request, reply) => {
      const { service } = request.query
      if (service === undefined) throw refuse.forbidden(DUMB)
      if (!isService(service)) throw refuse.badRequest("the service must be git-upload-pack or git-receive-pack")
      return advertise(request, reply, service)
    })
    scope.get("/ssh_info", (_request, reply) => reply.type("application/json; charset=utf-8").send(OFFERS_INFO))
    scope.post<Names>("/:owner/:repo/git-upload-pack", fetch)
    scope.post<Names>("/:owner/:repo/git-receive-pack", push)
    scope.post<Names>("/:owner/:repo/git-upload-archive", () => {
      throw refuse.forbidden("git archive --remote is not offered here; clone the repository and make the archive there.")
    })
    for (const path of DUMB_PATHS)
      scope.get<Names>(`/:owner/:repo/${path}`, () => {
        throw refuse.forbidden(DUMB)
      })
  })

  /** The caller. A second factor can't be asked for: its codes work once, and git makes several requests. */
  const authenticate = (request: FastifyRequest): Promise<Actor> =>
    callerPresenting(services, request, readAuthorization(request.headers.authorization))

  async function advertise(request: FastifyRequest<Names>, reply: FastifyReply, service: Service): Promise<FastifyReply> {
    const actor = await authenticate(request)
    const address = addressOf(request.params)
    try {
      const body =
        service === "git-upload-pack" ? await advertiseFetch(request, actor, address) : await advertisePush(request, actor, address)
      return reply.headers(NO_CACHE).type(`application/x-${service}-advertisement`).send(body)
    } catch (error) {
      if (error instanceof Renamed) return redirect(request, reply, error, address)
      throw hiddenFrom(actor, error)
    }
  }

  async function advertiseFetch(request: FastifyRequest, actor: Actor, asked: Address): Promise<Buffer> {
    const { part, address } = partAt(asked)
    const { repository } = await part.admitFetch(services, actor, address.owner, address.name)
    const protocol = protocolOf(request)
    const advertisement = await services.git.transport.advertiseUpload(await part.open(services, repository), { protocol })
    // Under protocol v2 the capabilities come first and alone.
    return advertisement.subarray(4, 13).toString("latin1") === "version 2"
      ? advertisement
      : Buffer.concat([servicePreamble("git-upload-pack"), advertisement])
  }

  async function advertisePush(request: FastifyRequest, actor: Actor, asked: Address): Promise<Buffer> {
    const { part, address } = partAt(asked)
    const { owner, name } = address
    const protocol = protocolOf(request)
    const { advertiseReceive } = services.git.transport
    const advertisement = await part.admitPush(services, actor, owner, name).then(
      async ({ repository }) => advertiseReceive(await part.open(services, repository), { protocol }),
      async (error: unknown) => {
        if (!part.isCreatedByPush || !isMissing(error) || actor.kind === "anonymous") throw error
        await admitCreation(services, actor, owner, name)
        return advertiseReceive(undefined, { protocol })
      },
    )
    return Buffer.concat([servicePreamble("git-receive-pack"), advertisement])
  }

  async function fetch(request: FastifyRequest<Names>, reply: FastifyReply): Promise<FastifyReply> {
    const actor = await authenticate(request)
    const { part, address } = partAt(addressOf(request.params))
    const admitted = async () => follow(address, ({ owner, name }) => part.admitFetch(services, actor, owner, name))
    const found = await admitted().catch((error: unknown) => {
      throw hiddenFrom(actor, error)
    })
    const repository = await part.open(services, found.repository)
    const input = readBody(request, "git-upload-pack", services.config.git.maxPushBytes)
    return stream(request, reply, "git-upload-pack", input, async (signal) => {
      await serveFetch(services, repository, { input, output: reply.raw, protocol: protocolOf(request), stateless: true, signal })
    })
  }

  async function push(request: FastifyRequest<Names>, reply: FastifyReply): Promise<FastifyReply> {
    const actor = await authenticate(request)
    const { part, address } = partAt(addressOf(request.params))
    const admitted = async () => follow(address, ({ owner, name }) => part.admitPush(services, actor, owner, name))
    const found = await admitted()
      .catch(async (error: unknown) => {
        if (!part.isCreatedByPush || !isMissing(error) || actor.kind === "anonymous") throw error
        await createForPush(services, actor, address)
        return admitted()
      })
      .catch((error: unknown) => {
        throw hiddenFrom(actor, error)
      })
    const input = readBody(request, "git-receive-pack", services.config.git.maxPushBytes)
    return stream(request, reply, "git-receive-pack", input, async (signal) => {
      const { repository, owner } = found
      const deed = { operation: "git.push", path: `/${owner.name}/${request.params.repo}`, repositoryId: repository.id, ownerId: owner.id }
      await doneBy(
        services,
        actor,
        () => deed,
        async () => outcomeOf(deed.path, await part.push(services, found, { input, output: reply.raw, stateless: true, signal })),
      )
    })
  }

  /** Streams git's own output. An error before the first byte is still answered; afterwards only closing the connection tells the client. */
  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    service: Service,
    input: Readable,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<FastifyReply> {
    const response = reply.raw
    const gone = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) gone.abort()
    })
    const headers = { ...reply.getHeaders(), ...NO_CACHE, "content-type": `application/x-${service}-result`, "x-request-id": request.id }
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
    try {
      await work(gone.signal)
      return reply.hijack()
    } catch (failure) {
      // The error in the request says more than that git was stopped because of it.
      const error = input.errored ?? failure
      if (response.headersSent || gone.signal.aborted || isGitError(error, "aborted")) {
        if (!gone.signal.aborted) request.log.warn({ err: error }, "a git request was broken off")
        response.destroy()
        return reply.hijack()
      }
      for (const name of Object.keys(headers)) response.removeHeader(name)
      throw error
    }
  }
}

/** What is listed of a push with a token for one task: the references that it has changed, as far as a line holds them. */
function outcomeOf(path: string, { results }: Pick<PushOutcome, "results">): Done {
  const changed = results.flatMap(({ ref, refused }) => (refused === null ? [ref] : []))
  return { status: changed.length > 0 ? 200 : 403, path: [path, ...changed].join(" ").slice(0, LONGEST_DEED) }
}

const LONGEST_DEED = 1000

/** Git uses the new address for the following requests. */
function redirect(request: FastifyRequest<Names>, reply: FastifyReply, moved: Renamed, address: Address): FastifyReply {
  const { owner, name } = movedTo(partAt(address).address, moved)
  const suffix = /(\.wiki)?(\.git)?$/i.exec(request.params.repo)?.[0] ?? ""
  const query = request.url.slice(request.url.indexOf("?"))
  const location = `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${suffix}/info/refs${query}`
  return leadTo(reply.headers(NO_CACHE), location, moved.status)
}
