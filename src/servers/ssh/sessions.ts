import { randomBytes } from "node:crypto"
import { once } from "node:events"
import type { Readable } from "node:stream"
import type { SignedIn } from "../../core/actor.ts"
import { identifyCaller } from "../../core/caller.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { authenticateLfs } from "../../features/code/lfs/authenticate.ts"
import type { LfsOperation } from "../../features/code/lfs/passes.ts"
import { admitCreation, createForPush } from "../../features/code/lifecycle/push-to-create.ts"
import { isMissing, NOT_FOUND } from "../../features/code/pushes/admission.ts"
import { serveFetch } from "../../features/code/pushes/fetch.ts"
import { type Address, follow } from "../../features/code/pushes/follow.ts"
import { OFFERS_INFO } from "../../features/code/pushes/offers.ts"
import { asRefusal, faultWords } from "../../features/code/pushes/refusals.ts"
import { partAt } from "../../features/code/wiki/part.ts"
import { findDeployKeyUser, findKeyOwner, recordKeyUse } from "../../features/people/keys/sign-in.ts"
import { findPublicKey, type PublicKeyRow } from "../../features/people/keys/store.ts"
import { requireUsable } from "../../features/people/sign-in/authenticate.ts"
import { isGitError } from "../../git/index.ts"
import { logFault } from "../api/faults.ts"
import { readCommand } from "./command.ts"
import type { Conversation } from "./conversation.ts"

/** What an authenticated client asks for; a shell where no command is given. */
export interface CommandRequest {
  readonly keyId: number
  readonly command: string | undefined
  /** The client's `GIT_PROTOCOL`. */
  readonly protocol: string | undefined
}

/** How long a client may take before it sends the commands of a push. */
const FIRST_PACKET_MS = 2 * 60 * 1000

/** Runs the client's command, and reports failures as text. Never throws. */
export async function runCommand(services: Services, request: CommandRequest, conversation: Conversation): Promise<void> {
  const { log } = services
  const begun = performance.now()
  const logEnd = (code: number | undefined): void => {
    // The command is the client's text, of any length.
    const command = request.command?.slice(0, 200)
    log.info({ key: request.keyId, command, code, ms: Math.round((performance.now() - begun) * 10) / 10 }, "ssh")
  }
  try {
    const code = await perform(services, request, conversation)
    await conversation.finish(code)
    logEnd(code)
  } catch (error) {
    if (conversation.signal.aborted || isGitError(error, "aborted")) {
      logEnd(undefined)
      return conversation.cut()
    }
    const refusal = asRefusal(error)
    const id = randomBytes(9).toString("base64url")
    logFault(log, refusal, error, { message: "an SSH command failed", id, key: request.keyId, command: request.command?.slice(0, 200) })
    conversation.say(`error: ${refusal.message || faultWords(id)}`)
    await conversation.finish(1)
    logEnd(1)
  }
}

/** Gives the exit code. */
async function perform(services: Services, { keyId, command, protocol }: CommandRequest, conversation: Conversation): Promise<number> {
  // A removed key is refused at once, also on open connections.
  const key = await findPublicKey.first(services.database.read, { id: keyId })
  if (!key) throw refuse.forbidden("this key has been removed")
  recordKeyUse(services, key)
  if (command === undefined) return greet(services, key, conversation)
  const asked = readCommand(command)
  switch (asked.kind) {
    case "refused":
      throw refuse.forbidden(asked.words)
    case "info":
      conversation.output.write(OFFERS_INFO)
      return 0
    case "lfs":
      return authenticate(services, { key, address: asked.address, protocol }, asked.operation, conversation)
    case "fetch":
      return fetch(services, { key, address: asked.address, protocol }, conversation)
    case "push":
      return push(services, { key, address: asked.address, protocol }, conversation)
  }
}

async function greet(services: Services, key: PublicKeyRow, { output }: Conversation): Promise<number> {
  const person = await findKeyOwner(services.database.read, key)
  if (person) await requireUsable(services, person)
  const [name, which] = person ? [`, ${person.user.name}`, `the key named ${key.title}`] : ["", "a deploy key"]
  output.write(
    `Hi there${name}! You've successfully authenticated with ${which}.\nThere is no shell here: use git to clone, fetch and push.\n`,
  )
  return 0
}

// --- git -------------------------------------------------------------------------------------------------------------------------

interface GitRequest {
  readonly key: PublicKeyRow
  readonly address: Address
  readonly protocol: string | undefined
}

/** The user or deploy key that acts on this repository. Refuses `notFound` for a deploy key of other repositories. */
async function actorFor({ database }: Services, { key, address: { owner, name } }: GitRequest): Promise<SignedIn> {
  const actor = (await findKeyOwner(database.read, key)) ?? (await findDeployKeyUser(database.read, key, owner, name))
  if (!actor) throw refuse.notFound(NOT_FOUND)
  identifyCaller(actor.user.id)
  return actor
}

/** Hidden and missing repositories get the same message. */
const missing = (error: unknown): never => {
  throw isMissing(error) ? refuse.notFound(NOT_FOUND) : error
}

/** Tells a client the HTTP address of large files, with credentials for it. */
async function authenticate(services: Services, request: GitRequest, operation: LfsOperation, { output }: Conversation): Promise<number> {
  const actor = await actorFor(services, request)
  output.write(JSON.stringify(await authenticateLfs(services, actor, request.address, operation).catch(missing)))
  return 0
}

async function fetch(services: Services, request: GitRequest, { input, output, signal }: Conversation): Promise<number> {
  const { part, address } = partAt(request.address)
  const actor = await actorFor(services, { ...request, address })
  const found = await follow(address, ({ owner, name }) => part.admitFetch(services, actor, owner, name)).catch(missing)
  const { code } = await serveFetch(services, await part.open(services, found.repository), {
    input,
    output,
    protocol: request.protocol,
    stateless: false,
    signal,
  })
  return code
}

async function push(services: Services, request: GitRequest, { input, output, signal }: Conversation): Promise<number> {
  const { git } = services
  const { part, address } = partAt(request.address)
  const actor = await actorFor(services, { ...request, address })
  const admitted = () => follow(address, ({ owner, name }) => part.admitPush(services, actor, owner, name))
  const existing = await admitted()
    .catch(async (error: unknown) => {
      if (!part.isCreatedByPush || !isMissing(error) || actor.credential.kind === "deployKey") throw error
      await admitCreation(services, actor, address.owner, address.name)
      return undefined
    })
    .catch(missing)
  const repository = existing && (await part.open(services, existing.repository))
  output.write(await git.transport.advertiseReceive(repository, { protocol: request.protocol }))
  // A client that only reads the references creates no repository, and doesn't block other pushes.
  if (!(await hasCommands(input))) return 0
  if (!existing) await createForPush(services, actor, address)
  await part.push(services, existing ?? (await admitted()), { input, output, stateless: false, signal })
  return 0
}

/** A flush packet ends the list of commands; alone it means that there are none. */
const FLUSH = "0000"

/** Waits for the client's first packet, without consuming it. */
async function hasCommands(input: Readable): Promise<boolean> {
  const timeout = AbortSignal.timeout(FIRST_PACKET_MS)
  for (;;) {
    const first: unknown = input.read(FLUSH.length)
    if (Buffer.isBuffer(first)) {
      input.unshift(first)
      return first.toString("latin1") !== FLUSH
    }
    if (input.readableEnded || input.destroyed) return false
    const more = new AbortController()
    const signal = AbortSignal.any([timeout, more.signal])
    try {
      await Promise.race(["readable", "end", "close"].map((event) => once(input, event, { signal })))
    } catch {
      throw refuse.badRequest("the client has said nothing for too long")
    } finally {
      more.abort()
    }
  }
}
