/**
 * Starts the workers of a server, and watches them. It does no work of the server itself, and loads next to nothing: it must not fail. What decides who may
 * write, and what is true, is the database; a supervisor that is killed takes its workers with it, and nothing that was answered is lost.
 */
import cluster, { type Worker } from "node:cluster"
import { randomBytes } from "node:crypto"
import { type FromSupervisor, type FromWorker, PLACE_VARIABLE, type Place } from "../core/cluster/messages.ts"
import { createDemand } from "./demand.ts"
import { createWriters } from "./writers.ts"

export interface SupervisorOptions {
  /** The most workers. */
  readonly most: number
  /** Whether there are always so many; otherwise one, and more while there is much to do. */
  readonly isFixed: boolean
  /** How long a worker that stops waits for what is under way, in milliseconds. */
  readonly stopMs: number
  /** Says what went wrong, to the operator. */
  readonly say: (line: string) => void
}

export interface Supervisor {
  /** Resolves when all workers have ended: with the exit code of this process. */
  readonly ended: Promise<number>
  /** Lets all workers answer what is under way, and end. */
  readonly stop: () => void
  /** Ends all workers now. */
  readonly kill: () => void
  /** Replaces the workers one after another by new ones, which run what is installed now. */
  readonly replace: () => void
}

/** A worker that says nothing for so long has stopped, in milliseconds; less while others wait for its turn to write, who wait for 8 seconds. */
const SILENT_MS = 30_000
const SILENT_WRITER_MS = 6_000
const LOOK_MS = 1_000
/** How long a worker may take to stop beyond the time that it has for what is under way. */
const MORE_STOP_MS = 60_000
/** How long nothing is started after a worker could not start, in milliseconds: twice as long after each further one, up to the longest. */
const REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** How long the metrics of all are waited for. */
const METRICS_MS = 1_000

interface Member {
  readonly name: string
  readonly worker: Worker
  state: "starting" | "serving" | "stopping"
  heardAt: number
  load: number
  /** Whether it has come to serve, once that is known. */
  readonly served: PromiseWithResolvers<boolean>
}

interface Question {
  readonly by: Member
  readonly number: number
  readonly all: unknown[]
  readonly timer: NodeJS.Timeout
}

export function openSupervisor({ most, isFixed, stopMs, say }: SupervisorOptions): Supervisor {
  const members = new Set<Member>()
  const since = Date.now()
  const end = Promise.withResolvers<number>()
  /** The dead whose things are not known to be free. */
  const unreleased = new Set<string>()
  const questions = new Set<Question>()
  let hasServed = false
  let isStopping = false
  let code = 0
  let failedStarts = 0
  let restUntil = 0
  let lookedAt = performance.now()
  const demand = createDemand(most)
  let replaced = Promise.resolve()
  let replacements = 0

  const tell = ({ worker }: Member, message: FromSupervisor): void => {
    // One that has just died hears nothing.
    if (worker.isConnected()) worker.send(message, () => {})
  }
  const writers = createWriters<Member>({
    give: (member, isAsked) => tell(member, { kind: "turn", isAsked }),
    ask: (member) => tell(member, { kind: "turn.asked" }),
  })
  const serving = (): readonly Member[] => [...members].filter(({ state }) => state === "serving")
  const current = (): readonly Member[] => [...members].filter(({ state }) => state !== "stopping")

  function tellSharers(): void {
    const count = Math.max(1, current().length)
    for (const member of members) tell(member, { kind: "sharers", count })
  }

  function start(): Member {
    const isFirst = !hasServed && members.size === 0 && unreleased.size === 0
    const place: Place = { name: randomBytes(6).toString("hex"), since, isFirst }
    const worker = cluster.fork({ [PLACE_VARIABLE]: JSON.stringify(place) })
    const member: Member = {
      name: place.name,
      worker,
      state: "starting",
      heardAt: performance.now(),
      load: 0,
      served: Promise.withResolvers(),
    }
    members.add(member)
    worker.on("message", (message: FromWorker) => hear(member, message))
    worker.on("error", () => {})
    worker.on("exit", (exitCode, signal) => bury(member, exitCode, signal))
    tellSharers()
    return member
  }

  function hear(member: Member, message: FromWorker): void {
    member.heardAt = performance.now()
    switch (message.kind) {
      case "ready":
        if (member.state === "starting") member.state = "serving"
        hasServed = true
        failedStarts = 0
        member.served.resolve(true)
        tellSharers()
        releaseAll()
        fill()
        break
      case "beat":
        member.load = message.load
        break
      case "turn.wanted":
        // Its last words may arrive after its end.
        if (members.has(member)) writers.want(member)
        break
      case "turn.back":
        writers.giveBack(member, message.isWanted)
        break
      case "told":
        for (const other of members) if (other !== member) tell(other, message)
        break
      case "released":
        unreleased.delete(message.worker)
        break
      case "metrics.wanted":
        askMetrics(member, message.question)
        break
      case "metrics.given":
        noteMetrics(message)
        break
    }
  }

  function askMetrics(by: Member, number: number): void {
    const asked = serving()
    const question: Question = { by, number, all: [], timer: setTimeout(() => answer(question), METRICS_MS) }
    questions.add(question)
    for (const member of asked) tell(member, { kind: "metrics.wanted", question: number, by: by.name })
    if (asked.length === 0) answer(question)
  }

  function noteMetrics({ question: number, by, metrics }: Extract<FromWorker, { readonly kind: "metrics.given" }>): void {
    for (const question of questions) {
      if (question.number !== number || question.by.name !== by) continue
      question.all.push(metrics)
      if (question.all.length >= serving().length) answer(question)
    }
  }

  function answer(question: Question): void {
    clearTimeout(question.timer)
    questions.delete(question)
    tell(question.by, { kind: "metrics.given", question: question.number, all: question.all })
  }

  /** Has the workers free what the dead held. */
  function releaseAll(): void {
    for (const name of unreleased) for (const member of serving()) tell(member, { kind: "died", worker: name })
  }

  function bury(member: Member, exitCode: number, signal: string | null): void {
    members.delete(member)
    member.served.resolve(false)
    writers.forget(member)
    for (const question of questions) if (question.by === member) answer(question)
    // Asked to end before it listens to signals, it is ended by the signal itself.
    const isDone = member.state === "stopping" && (signal === null || signal === "SIGTERM" || signal === "SIGINT")
    if (!isDone || signal !== null) unreleased.add(member.name)
    if (isStopping) {
      code = Math.max(code, isDone ? exitCode : 1)
      if (members.size === 0) finish()
      return
    }
    // It has said why.
    if (!hasServed) {
      code = exitCode || 1
      finish()
      return
    }
    releaseAll()
    tellSharers()
    if (isDone) return
    say(`Worker process ${member.worker.process.pid} has ended by itself (${signal ?? `exit code ${exitCode}`}).`)
    if (member.state === "starting") {
      restUntil = performance.now() + Math.min(LONGEST_REST_MS, REST_MS * 2 ** failedStarts)
      failedStarts += 1
    }
    fill()
  }

  /** Starts what is missing: the first worker alone, which brings the database up to date and makes what there is once. */
  function fill(): void {
    if (isStopping || performance.now() < restUntil) return
    const wanted = isFixed && hasServed ? most : 1
    while (current().length < wanted) start()
  }

  /** Lets a worker answer what is under way, and end. One that is replaced gives its clients time to go over to the others first. */
  function retire(member: Member, how: "stop" | "drain"): void {
    if (member.state === "stopping" && how === "drain") return
    member.state = "stopping"
    tell(member, { kind: how })
    tellSharers()
    const timer = setTimeout(() => member.worker.process.kill("SIGKILL"), stopMs + MORE_STOP_MS)
    member.worker.once("exit", () => clearTimeout(timer))
  }

  function look(): void {
    const now = performance.now()
    // Where this process itself was kept from work, the words of the others are still unread.
    if (now - lookedAt > 2 * LOOK_MS) for (const member of members) member.heardAt = now
    lookedAt = now
    const held = writers.overdue()
    for (const member of members) {
      // Bringing the database up to date may take longer, in one go.
      if (member.state === "starting") continue
      const isAwaited = held?.worker === member && now - held.since > SILENT_WRITER_MS
      if (now - member.heardAt <= (isAwaited ? SILENT_WRITER_MS : SILENT_MS)) continue
      say(`Worker process ${member.worker.process.pid} has stopped answering, and is ended.`)
      member.worker.process.kill("SIGKILL")
    }
    if (isStopping) return
    fill()
    if (!isFixed && replacements === 0 && now >= restUntil) adapt()
  }

  /** Starts a worker when those at work are busy, and stops one when it is quiet. */
  function adapt(): void {
    const all = current()
    if (all.some(({ state }) => state === "starting")) return
    const answer = demand(all.map(({ load }) => load))
    const last = all.at(-1)
    if (answer === "more") start()
    else if (answer === "fewer" && last) retire(last, "drain")
  }

  async function replaceAll(): Promise<void> {
    for (const old of current()) {
      if (isStopping) return
      const isServing = await start().served.promise
      if (isStopping) return
      if (!isServing) {
        say("The new worker process does not start; the old ones go on.")
        return
      }
      if (members.has(old)) retire(old, "drain")
    }
  }

  function finish(): void {
    clearInterval(looking)
    end.resolve(code)
  }

  const looking = setInterval(look, LOOK_MS)
  fill()

  return {
    ended: end.promise,
    stop() {
      isStopping = true
      for (const member of members) {
        if (member.state === "starting") member.worker.process.kill("SIGTERM")
        retire(member, "stop")
      }
      if (members.size === 0) finish()
    },
    kill() {
      for (const { worker } of members) worker.process.kill("SIGKILL")
    },
    replace() {
      // The first worker has just begun.
      if (!hasServed) return
      replacements += 1
      replaced = replaced.then(replaceAll).finally(() => {
        replacements -= 1
      })
    },
  }
}
