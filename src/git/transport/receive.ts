import type { Readable } from "node:stream"
import { isAncestor } from "../history/history.ts"
import { isPlainlyConnected } from "../incoming/connected.ts"
import { closeQuarantine, isConnected, openQuarantine, type Quarantined, type Taken, takePack } from "../incoming/quarantine.ts"
import { GitError, isGitError } from "../model/errors.ts"
import type { RefUpdate, Repository } from "../model/model.ts"
import type { ObjectId, RefName } from "../model/names.ts"
import { objectInfo } from "../objects/objects.ts"
import { packHolds } from "../objects/pack-index.ts"
import { type Arriving, type ByteSource, byteSource, drain, readAhead } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { directorySize } from "../process/files.ts"
import { type Release, takeTurn } from "../process/limits.ts"
import { IN_MEMORY, spool, takeSpace } from "../process/spool.ts"
import { blockingLock } from "../refs/locks.ts"
import { FEWEST_TOGETHER } from "../refs/packed-refs.ts"
import { resolveReference, resolveReferences } from "../refs/ref-files.ts"
import type { Offers, PushOutcome, ReceiveRequest, RefCommand, RefResult } from "./push.ts"
import { openPushClient, type ReportLine } from "./push-report.ts"
import { type PushRequest, type RequestedCommand, readPushRequest, writableName } from "./push-request.ts"

/*
 * This is the service's own receive-pack. Git's would need hook scripts that call back into the service; here the push is checked by a
 * function, in the same process, between receiving the objects and changing the references. Nothing becomes visible before that:
 * objects are in a quarantine until then, and references change in one transaction of git.
 */

const kindOf = ({ oldId, newId }: RequestedCommand) => (newId === null ? "delete" : oldId === null ? "create" : "update")

const fetchFirst = "the reference has changed meanwhile, fetch first"

/** Calls `check` for every command that is still allowed; it returns why the command is refused, in words, or null. */
async function checkEach(
  results: readonly RefResult[],
  check: (result: RefResult) => Promise<string | null>,
): Promise<readonly RefResult[]> {
  const checked: RefResult[] = []
  for (const result of results) checked.push(result.refused === null ? { ...result, refused: await check(result) } : result)
  return checked
}

const refuseAll = (results: readonly RefResult[], refused: string) =>
  results.map((result) => ({ ...result, refused: result.refused ?? refused }))

const allowed = (results: readonly RefResult[]) => results.filter((result) => result.refused === null)

/** With an atomic push, one refusal refuses all. */
function refuseAllIfAtomic(results: readonly RefResult[], atomic: boolean): readonly RefResult[] {
  return atomic && allowed(results).length < results.length ? refuseAll(results, "atomic push failed") : results
}

/** Compares a command with the current value of its reference. The transaction checks again; here the client gets a clearer message, and sooner. */
function checkCurrentValue(command: RefCommand, current: ObjectId | undefined): string | null {
  if (current === (command.oldId ?? undefined)) return command.oldId === null && command.newId === null ? "no such reference" : null
  if (current === undefined) return "no such reference, fetch first"
  return command.oldId === null ? "the reference exists already, fetch first" : fetchFirst
}

/** The commands with a usable name, checked before any object is received. */
async function checkCommands(repository: Repository, asked: readonly RequestedCommand[]): Promise<readonly RefResult[]> {
  const seen = new Set<RefName>()
  const results: RefResult[] = []
  for (const command of asked) {
    const name = writableName(command.name)
    if ("refused" in name) continue
    const { ref } = name
    const refused = seen.has(ref) ? "named twice in one push" : null
    seen.add(ref)
    results.push({ ref, kind: kindOf(command), oldId: command.oldId, newId: command.newId, forced: false, refused })
  }
  const current = await resolveReferences(repository, [...seen])
  return checkEach(results, async (result) => checkCurrentValue(result, current.get(result.ref)))
}

/** The most objects that are checked one by one. */
const MOST_ALONE = 100

interface ProofOfPush extends Pick<Work, "context" | "signal"> {
  readonly asked: Pick<PushRequest, "shallow">
}

/**
 * Refuses what is not complete. A self-contained pack holds all that it needs; other objects are checked in one process, and one by one only if
 * that fails and they are few.
 */
async function refuseIncomplete(
  { context, asked: { shallow }, signal }: ProofOfPush,
  repository: Quarantined,
  results: readonly RefResult[],
  closed: string | undefined,
): Promise<readonly RefResult[]> {
  const ids = allowed(results).flatMap(({ newId }) => (newId === null ? [] : [newId]))
  if (ids.length === 0 || (closed !== undefined && (await packHolds(closed, ids)))) return results
  if (await isPlainlyConnected(context, repository, ids, await tipsFor(repository, results))) return results
  if (await isConnected(context, repository, ids, signal)) return results
  const renewed = await renewedView(context, repository)
  if (renewed) return refuseIncomplete({ context, asked: { shallow }, signal }, renewed, results, undefined)
  const refused = shallow ? "the history that was pushed is cut off (shallow) and its rest is not here" : "missing necessary objects"
  return checkEach(results, async ({ newId }) => {
    if (newId === null) return null
    const isAlone = ids.length > 1 && ids.length <= MOST_ALONE
    return isAlone && (await isConnected(context, repository, [newId], signal)) ? null : refused
  })
}

/** Commits that references name and that a push is likely to build on. None where the store decides what counts, with a garbage collection that may come between. */
async function tipsFor(repository: Quarantined, results: readonly RefResult[]): Promise<ReadonlySet<ObjectId>> {
  if (repository.epoch !== undefined) return new Set()
  const before = allowed(results).flatMap(({ oldId, ref }) => (oldId === null || !ref.startsWith("refs/heads/") ? [] : [oldId]))
  const head = before.length > 0 ? undefined : await resolveReference(repository, "HEAD")
  return new Set(head === undefined ? before : [head])
}

/** The view of a push after a garbage collection that came since; undefined where none has. */
async function renewedView({ store }: Context, seen: Quarantined): Promise<Quarantined | undefined> {
  const now = await store().receiving(store().at(seen.key, seen.format))
  return now.epoch === seen.epoch ? undefined : { ...now, quarantine: seen.quarantine }
}

/** Whether an update is a force-push. Objects other than commits have no history, so replacing one always is. */
async function isForced(context: Context, repository: Quarantined, oldId: ObjectId | null, newId: ObjectId | null): Promise<boolean> {
  if (oldId === null || newId === null || oldId === newId) return false
  try {
    return !(await isAncestor(context, repository, oldId, newId))
  } catch (error) {
    if (isGitError(error, "failed")) return true
    throw error
  }
}

/** Finds out which updates are forced, and refuses branches and offers that would name no commit. */
async function checkUpdates(
  { context, request: { offers } }: Pick<Work, "context" | "request">,
  repository: Quarantined,
  results: readonly RefResult[],
): Promise<readonly RefResult[]> {
  const checked: RefResult[] = []
  for (const result of results) {
    const { ref, oldId, newId, refused } = result
    if (refused !== null) checked.push(result)
    else if (
      newId !== null &&
      (ref.startsWith("refs/heads/") || offers?.has(ref)) &&
      (await objectInfo(context, repository, newId))?.type !== "commit"
    ) {
      checked.push({ ...result, refused: offers?.has(ref) ? "only a commit can be offered" : "a branch can name only a commit" })
    } else checked.push({ ...result, forced: await isForced(context, repository, oldId, newId) })
  }
  return checked
}

/** The message for a client whose references could not be changed. */
function updateRefusal(error: unknown): string {
  if (isGitError(error, "timeout")) return "changing the references took too long; push fewer at once"
  if (isGitError(error, "aborted")) return "the push was given up"
  if (!isGitError(error, "conflict")) return "the reference could not be changed"
  if (blockingLock(error.detail) !== undefined) return "the reference is being changed by another process, push again"
  const other = /'(refs\/[^']+)' exists; cannot create/.exec(error.detail)?.[1]
  return other === undefined ? fetchFirst : `${other} exists`
}

/** Why those references were not changed that have not the value of their command, where git was stopped in the middle. */
async function leftUnchanged(
  repository: Repository,
  commands: readonly RefCommand[],
  error: unknown,
): Promise<ReadonlyMap<RefName, string>> {
  const names = commands.map(({ ref }) => ref)
  const current = await resolveReferences(repository, names)
  const left = commands.filter(({ ref, newId }) => (current.get(ref) ?? null) !== newId)
  return new Map(left.map(({ ref }) => [ref, updateRefusal(error)]))
}

/** The most attempts to change the references of one push: a process each. */
const MOST_ATTEMPTS = 200

/**
 * Changes references in one transaction. Unless the push is atomic, one that fails must not block the others: they are tried again
 * in halves, until the failing ones are isolated, or there were too many attempts, or the client is gone. Returns why each of the failing ones was refused.
 */
async function change(
  { context, repository, atomic, signal }: Pick<Work, "context" | "repository" | "atomic" | "signal">,
  commands: readonly RefCommand[],
  attempts = { left: MOST_ATTEMPTS },
): Promise<ReadonlyMap<RefName, string>> {
  attempts.left -= 1
  try {
    if (signal.aborted) throw new GitError("aborted", "the client is gone")
    const updates: readonly RefUpdate[] = commands.map(({ ref, oldId, newId }) => ({ name: ref, from: oldId, to: newId }))
    await context.store().update(repository, updates, { signal })
    return new Map()
  } catch (error) {
    if (isGitError(error, "timeout") || isGitError(error, "aborted")) return leftUnchanged(repository, commands, error)
    if (atomic || commands.length === 1 || attempts.left <= 0) {
      context.log({
        level: "warn",
        message: "references not changed",
        repository: repository.key,
        detail: String(isGitError(error) ? error.detail : error),
      })
      return new Map(commands.map(({ ref }) => [ref, updateRefusal(error)]))
    }
    const middle = Math.ceil(commands.length / 2)
    const work = { context, repository, atomic, signal }
    const left = await change(work, commands.slice(0, middle), attempts)
    const right = await change(work, commands.slice(middle), attempts)
    return new Map([...left, ...right])
  }
}

/** Like `change`; unless the push is atomic, many new references by themselves, because together they take little time. */
async function changeAll(work: Work, commands: readonly RefCommand[]): Promise<ReadonlyMap<RefName, string>> {
  const created = work.atomic ? [] : commands.filter(({ kind }) => kind === "create")
  if (created.length < FEWEST_TOGETHER || created.length === commands.length) return change(work, commands)
  const others = commands.filter(({ kind }) => kind !== "create")
  return new Map([...(await change(work, others)), ...(await change(work, created))])
}

/** The state between the client's request and the report. */
interface Work {
  readonly context: Context
  readonly repository: Repository
  readonly request: ReceiveRequest
  readonly asked: PushRequest
  readonly atomic: boolean
  readonly signal: AbortSignal
  readonly say: (lines: readonly string[]) => Promise<void>
}

/** Has the caller check the commands that are not refused yet. If the check throws, the push is refused. */
async function checkedByCaller(work: Work, repository: Repository, results: readonly RefResult[]): Promise<readonly RefResult[]> {
  const commands = allowed(results)
  if (commands.length === 0) return results
  const { asked, atomic } = work
  const verdict = await work.request.check({ repository, commands: commands.map(plain), options: asked.options, atomic })
  await work.say(verdict.lines ?? [])
  return results.map((result) => ({ ...result, refused: result.refused ?? verdict.refused.get(result.ref) ?? null }))
}

const plain = ({ ref, kind, oldId, newId, forced }: RefResult): RefCommand => ({ ref, kind, oldId, newId, forced })

/** The incoming objects of a push. */
interface IncomingObjects {
  readonly quarantined: Quarantined
  readonly take: () => Promise<Taken>
  /** Removes the quarantine, once. */
  readonly close: () => Promise<void>
}

/** Applies the push, and calls the caller's functions before and after. */
async function accept(work: Work, incoming: IncomingObjects | undefined, results: readonly RefResult[]): Promise<PushOutcome> {
  const { context, repository, request, asked } = work
  const commands = allowed(results).map(plain)
  const outcome = { repository, results, options: asked.options, unpackError: null, addedBytes: 0 }
  if (commands.length === 0) return outcome
  if (work.signal.aborted) throw new GitError("aborted", "the client is gone")
  if (request.offers && commands.every(({ ref }) => request.offers?.has(ref))) return takeOffers(work, request.offers, incoming, outcome)
  if (context.store().ready !== undefined && request.make) return makeTogether(work, request.make, incoming?.quarantined, outcome)
  await request.before?.(commands, asked.options)
  const applied = await apply(work, incoming, commands)
  const done: PushOutcome = {
    ...outcome,
    addedBytes: applied.addedBytes,
    results: results.map((result) => ({ ...result, refused: result.refused ?? applied.refused.get(result.ref) ?? null })),
  }
  try {
    await work.say((await request.after?.(done)) ?? [])
  } catch (error) {
    // The references have changed, so the push must not be reported as failed.
    context.log({ level: "error", message: "what follows from a push failed", repository: repository.key, detail: String(error) })
  }
  return done
}

/** Stores the objects, and has the caller take the offers that are left. */
async function takeOffers(
  { context, asked, atomic, say }: Work,
  offers: Offers,
  incoming: IncomingObjects | undefined,
  outcome: PushOutcome,
): Promise<PushOutcome> {
  const addedBytes = incoming === undefined ? 0 : await directorySize(incoming.quarantined.quarantine)
  if (incoming !== undefined) {
    await context.store().migrate(incoming.quarantined)
    // Not awaited here; `perform` awaits it at the end.
    incoming.close().catch(() => {})
  }
  const { refused, written, lines } = await offers.take({ commands: allowed(outcome.results).map(plain), options: asked.options, atomic })
  await say(lines)
  const results = outcome.results.map((result) => ({
    ...result,
    refused: result.refused ?? refused.get(result.ref) ?? null,
    written: written.get(result.ref),
  }))
  return { ...outcome, results, addedBytes }
}

/** How often a push is prepared again because a garbage collection or another push came between. */
const MOST_MADE = 10

/** Makes the push by one transaction; references that have changed meanwhile are refused, and unless the push is atomic the others are made without them. */
async function makeTogether(
  work: Work,
  make: NonNullable<ReceiveRequest["make"]>,
  quarantined: Quarantined | undefined,
  outcome: PushOutcome,
): Promise<PushOutcome> {
  const { context, repository, request, asked, atomic } = work
  let view = quarantined
  let { results } = outcome
  for (let tries = 1; ; tries++) {
    const commands = allowed(results).map(plain)
    if (commands.length === 0) return { ...outcome, results }
    const updates = commands.map(({ ref, oldId, newId, forced }) => ({ name: ref, from: oldId, to: newId, forced }))
    try {
      const move = await context.store().begin(view ?? repository, updates)
      if (!move) throw new GitError("failed", "references don't move by transactions here")
      try {
        await work.say(await make(move, commands, asked.options))
      } finally {
        await move.close()
      }
      return { ...outcome, results }
    } catch (error) {
      if (tries < MOST_MADE && isGitError(error, "stale")) {
        // What the push builds on may have been dropped.
        view = view && ((await renewedView(context, view)) ?? view)
        if (view) results = await refuseIncomplete(work, view, results, undefined)
      } else if (tries < MOST_MADE && isGitError(error, "conflict") && !atomic) {
        await context.store().renew?.(repository)
        const current = await resolveReferences(
          repository,
          commands.map(({ ref }) => ref),
        )
        const before = results
        results = await checkEach(results, async (result) => checkCurrentValue(result, current.get(result.ref)))
        const isSame = allowed(results).length === allowed(before).length
        if (isSame) results = refuseAll(results, updateRefusal(error))
      } else if (isGitError(error, "conflict")) results = refuseAll(results, updateRefusal(error))
      else {
        if (isGitError(error, "aborted")) throw error
        context.log({ level: "error", message: "a push could not be stored", repository: repository.key, detail: String(error) })
        results = refuseAll(results, explained(request, error))
      }
    }
  }
}

const explained = ({ explain }: ReceiveRequest, error: unknown): string => explain?.(error) ?? "internal error"

/** Moves the objects and changes the references. Never throws: the caller, whose `before` was called, must learn how it ended. */
async function apply(
  work: Work,
  incoming: IncomingObjects | undefined,
  commands: readonly RefCommand[],
): Promise<{ readonly refused: ReadonlyMap<RefName, string>; readonly addedBytes: number }> {
  const { context, repository, request } = work
  try {
    const addedBytes = incoming === undefined ? 0 : await directorySize(incoming.quarantined.quarantine)
    if (incoming !== undefined) {
      await context.store().migrate(incoming.quarantined)
      // Not awaited here; `perform` awaits it at the end.
      incoming.close().catch(() => {})
    }
    return { refused: await changeAll(work, commands), addedBytes }
  } catch (error) {
    context.log({ level: "error", message: "a push could not be stored", repository: repository.key, detail: String(error) })
    return { refused: new Map(commands.map(({ ref }) => [ref, explained(request, error)])), addedBytes: 0 }
  }
}

/** A push that only deletes: there is no pack. */
async function withoutPack(work: Work, results: readonly RefResult[]): Promise<PushOutcome> {
  return accept(work, undefined, refuseAllIfAtomic(await checkedByCaller(work, work.repository, results), work.atomic))
}

async function withPack(work: Work, incoming: IncomingObjects, results: readonly RefResult[]): Promise<PushOutcome> {
  const { repository, asked, atomic } = work
  const { quarantined } = incoming
  const { refused: unpackError, closed } = await incoming.take()
  if (unpackError !== null) {
    return { repository, results: refuseAll(results, "unpacker error"), options: asked.options, unpackError, addedBytes: 0 }
  }
  const complete = refuseAllIfAtomic(await refuseIncomplete(work, quarantined, results, closed), atomic)
  const checked = refuseAllIfAtomic(await checkUpdates(work, quarantined, complete), atomic)
  return accept(work, incoming, refuseAllIfAtomic(await checkedByCaller(work, quarantined, checked), atomic))
}

const mostReferences = ({ limits }: Context, { maxReferences = limits.pushCommands }: ReceiveRequest): number => maxReferences

const besideOffers = "refs/for/ goes alone: push this by itself"

/** Refuses what needs no objects to be refused. Offers go alone: nothing could make them one with a change of references. */
async function admitted({ request, asked }: Work, results: readonly RefResult[]): Promise<readonly RefResult[]> {
  const { admit, offers } = request
  const hasOffers = offers !== undefined && allowed(results).some(({ ref }) => offers.has(ref))
  const possible = await checkEach(results, async ({ ref }) => (hasOffers && !offers.has(ref) ? besideOffers : null))
  if (!admit || allowed(possible).length === 0) return possible
  const refused = await admit({ commands: allowed(possible).map(plain), options: asked.options })
  return checkEach(possible, async ({ ref }) => refused.get(ref) ?? null)
}

/** The whole push, from the commands to the outcome. */
async function perform(work: Work, take: (quarantined: Quarantined) => Promise<Taken>): Promise<PushOutcome> {
  const { context, repository, asked, atomic } = work
  if (asked.isTooMany) {
    const words = `more than ${mostReferences(context, work.request)} references in one push; push them in parts`
    const results = refuseAll(await checkCommands(repository, asked.commands), words)
    return { repository, results, options: asked.options, unpackError: words, addedBytes: 0 }
  }
  const first = await admitted(work, await checkCommands(repository, asked.commands))
  const nameless = first.length < asked.commands.length
  const results = atomic && nameless ? refuseAll(first, "atomic push failed") : refuseAllIfAtomic(first, atomic)
  if (allowed(results).length === 0) return { repository, results, options: asked.options, unpackError: null, addedBytes: 0 }
  if (asked.commands.every((command) => command.newId === null)) return withoutPack(work, results)
  const quarantined = await openQuarantine(await context.store().receiving(repository))
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeQuarantine(context, quarantined)
    return closing
  }
  try {
    return await withPack(work, { quarantined, take: () => take(quarantined), close }, results)
  } finally {
    await close()
  }
}

/** The lines of the report, one for each command, in the client's order. */
function reportLines(asked: readonly RequestedCommand[], results: readonly RefResult[]): readonly ReportLine[] {
  const queue = [...results]
  return asked.map(({ name }) => {
    const usable = writableName(name)
    if ("refused" in usable) return { name, refused: usable.refused }
    const result = queue.shift()
    return { name, refused: result?.refused ?? null, written: result?.written }
  })
}

/** A pack that has come, or has begun to. */
interface Arrived {
  readonly input: Readable
  readonly source: ByteSource
  readonly tooLarge: boolean
  /** The permit to have git read a pack while it comes. */
  readonly early?: Release | undefined
  readonly close: () => Promise<void>
}

/**
 * Waits until a pack can be read without waiting for the client: as a whole, or, in a session, whose end can't be seen, until it begins: clients first
 * compress what they send, for minutes. A pack that is not small is read by git while it comes where there is a permit for that at once, so that git is nearly done with reading when all has come.
 */
async function awaitPack(
  context: Context,
  { key }: Repository,
  { input, stateless }: ReceiveRequest,
  source: ByteSource,
  { commands }: PushRequest,
  maxBytes: number,
): Promise<Arrived> {
  const asItComes = { input, source, tooLarge: false, close: async () => {} }
  if (commands.every(({ newId }) => newId === null)) return asItComes
  if (!stateless) {
    const first = await source.some()
    if (first !== null) source.unread(first)
    return asItComes
  }
  const isSmall = await readAhead(source, IN_MEMORY)
  const early = isSmall ? undefined : context.arrivals.takeFree(key)
  if (early) return { ...asItComes, early }
  try {
    const taken = await spool(context.spool, source, maxBytes)
    const content = taken.content()
    return { ...asItComes, input: content, source: byteSource(content), close: taken.close }
  } catch (error) {
    if (isGitError(error, "tooLarge")) return { ...asItComes, tooLarge: true }
    throw error
  }
}

/** A pack that git reads while it comes. */
interface ArrivingPack extends Arriving {
  /** Why it was turned away as busy; undefined if it was not. */
  readonly busy: () => unknown
  readonly close: () => void
}

/** Counts what comes against the space for requests, as if it were kept for later, and has `permit` wait for the turn of the push when all has come. */
function arrivingPack({ spool: space }: Context, maxBytes: number, permit: () => Promise<void>): ArrivingPack {
  let size = 0
  let busy: unknown
  const close = () => {
    space.used -= size
    size = 0
  }
  const turnAway = (error: unknown): never => {
    busy = error
    throw error
  }
  const took = (bytes: number) => {
    if (size + bytes > maxBytes) throw new GitError("tooLarge", `a pack of more than ${maxBytes} bytes`)
    try {
      takeSpace(space, bytes)
    } catch (error) {
      turnAway(error)
    }
    size += bytes
  }
  return { took, whole: () => permit().catch(turnAway).finally(close), busy: () => busy, close }
}

/**
 * Receives a push: reads the commands, receives the pack into quarantine and checks it, has the caller check it, moves the objects and changes the
 * references (all together, or one by one unless the client asked for atomic), calls the caller's `after`, and only then reports.
 * Throws `busy`, `protocol` and `aborted` before anything is written or changed; other errors are reported to the client and in the outcome.
 */
export async function receivePush(context: Context, repository: Repository, request: ReceiveRequest): Promise<PushOutcome> {
  const { input, output } = request
  const gone = new AbortController()
  const onClose = () => gone.abort()
  // An error without a listener would end the process.
  output.on("close", onClose).on("error", () => {})
  const signal = request.signal === undefined ? gone.signal : AbortSignal.any([gone.signal, request.signal])
  try {
    const source = byteSource(input)
    const asked = await readPushRequest(repository, source, mostReferences(context, request))
    if (asked === null) {
      output.end()
      return { repository, results: [], options: [], unpackError: null, addedBytes: 0 }
    }
    const client = openPushClient(output, asked.capabilities, repository.directory)
    const maxBytes = request.maxBytes ?? context.limits.pushBytes
    const pack = await awaitPack(context, repository, request, source, asked, maxBytes)
    const acquire = () => context.pushes.acquire(repository.key, { signal })
    const turn = takeTurn(
      pack.early ??
        (await acquire().catch(async (error: unknown) => {
          await pack.close()
          throw error
        })),
    )
    const arriving =
      pack.early &&
      arrivingPack(context, maxBytes, async () => {
        turn.exchange(await acquire())
        client.keepAlive()
      })
    if (!request.stateless) input.once("end", client.keepAlive)
    else if (!arriving) client.keepAlive()
    try {
      const atomic = asked.capabilities.has("atomic")
      const work: Work = { context, repository, request, asked, atomic, signal, say: client.say }
      const tooLarge = { refused: `pack exceeds maximum allowed size (${maxBytes} bytes)` }
      const take = async (quarantined: Quarantined): Promise<Taken> => {
        if (pack.tooLarge) return tooLarge
        const options = { maxBytes, signal, onProgress: client.progress, arriving }
        return takePack(context, quarantined, pack.input, pack.source, options).catch((error: unknown) => {
          if (isGitError(error, "tooLarge")) return tooLarge
          throw error
        })
      }
      const outcome = await perform(work, take).catch(async (error: unknown): Promise<PushOutcome> => {
        if (isGitError(error, "aborted") || (error === arriving?.busy() && isGitError(error, "busy"))) throw error
        context.log({ level: "error", message: "a push failed", repository: repository.key, detail: String(error) })
        const results = refuseAll(await checkCommands(repository, asked.commands), explained(request, error))
        return { repository, results, options: asked.options, unpackError: null, addedBytes: 0 }
      })
      source.release()
      input.off("end", client.keepAlive)
      if (!input.readableEnded) drain(input, maxBytes)
      await client.report(outcome.unpackError, reportLines(asked.commands, outcome.results))
      return outcome
    } finally {
      client.close()
      turn.end()
      arriving?.close()
      await pack.close()
    }
  } finally {
    output.off("close", onClose)
  }
}
