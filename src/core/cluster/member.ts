import type { Cluster } from "./cluster.ts"
import { BEAT_MS, type FromSupervisor, type FromWorker, PLACE_VARIABLE, type Place } from "./messages.ts"
import { openTurns } from "./turns.ts"

/** How long the metrics of other workers are waited for, in milliseconds: the supervisor answers earlier, with those that it has. */
const METRICS_MS = 2_000

/**
 * The cluster of which this process is a worker; undefined where no supervisor has started it. The process ends at once with its supervisor, which holds the
 * lock of the data folder: Node.js sees to that, where the channel between them closes before `leave`.
 */
export function joinCluster(): Cluster | undefined {
  const { [PLACE_VARIABLE]: given } = process.env
  if (given === undefined || process.send === undefined) return undefined
  // Programs that this process starts are no workers.
  delete process.env[PLACE_VARIABLE]
  const { name: self, since, isFirst }: Place = JSON.parse(given)

  const say = (message: FromWorker): void => {
    // Where the channel has closed, the process is about to end.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  const turns = openTurns(say)
  const listeners: ((channel: string, payload: string) => void)[] = []
  const questions = new Map<number, (all: readonly unknown[]) => void>()
  let asked = 0
  let sharers = 1
  const releases: ((name: string) => Promise<void> | void)[] = []
  let onSharers = (_count: number): void => {}
  let readMetrics = async (): Promise<unknown> => undefined
  let stop = (_how: "stop" | "drain"): void => process.exit(0)

  const hear = (message: FromSupervisor): void => {
    switch (message.kind) {
      case "turn":
        turns.given(message.isAsked)
        break
      case "turn.asked":
        turns.asked()
        break
      case "told":
        for (const listener of listeners) listener(message.channel, message.payload)
        break
      case "sharers":
        sharers = message.count
        onSharers(sharers)
        break
      case "died":
        // Not said to be released where it fails: all are asked again when the next worker is there, and the claims of a dead one end by themselves.
        Promise.all(releases.map(async (release) => release(message.worker))).then(
          () => say({ kind: "released", worker: message.worker }),
          () => {},
        )
        break
      case "metrics.wanted":
        readMetrics().then(
          (metrics) => say({ kind: "metrics.given", question: message.question, by: message.by, metrics }),
          () => {},
        )
        break
      case "metrics.given":
        questions.get(message.question)?.(message.all)
        break
      case "stop":
      case "drain":
        stop(message.kind)
        break
    }
  }
  process.on("message", hear)
  // The supervisor's to hear, which replaces its workers.
  process.on("SIGHUP", () => {})

  let load = performance.eventLoopUtilization()
  setInterval(() => {
    const before = load
    load = performance.eventLoopUtilization()
    say({ kind: "beat", load: performance.eventLoopUtilization(load, before).utilization })
  }, BEAT_MS).unref()

  return {
    self,
    isFirst,
    since,
    turns,
    tell: (channel, payload) => say({ kind: "told", channel, payload }),
    onTold: (listener) => void listeners.push(listener),
    onDeath: (release) => void releases.push(release),
    onSharers(set) {
      onSharers = set
      set(sharers)
    },
    metrics() {
      const question = ++asked
      return new Promise((resolve) => {
        const end = (all: readonly unknown[]): void => {
          clearTimeout(timer)
          questions.delete(question)
          resolve(all)
        }
        const timer = setTimeout(() => end([]), METRICS_MS)
        questions.set(question, end)
        say({ kind: "metrics.wanted", question })
      })
    },
    onMetrics(read) {
      readMetrics = read
    },
    onStop(set) {
      stop = set
    },
    ready: () => say({ kind: "ready" }),
    leave: () => process.channel?.unref(),
  }
}
