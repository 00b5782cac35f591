import { setImmediate as turnOfLoop } from "node:timers/promises"
import type { Cluster } from "../../src/core/cluster/cluster.ts"
import { type HeldTurns, openTurns } from "../../src/core/cluster/turns.ts"
import { createWriters } from "../../src/supervisor/writers.ts"

/** A worker of a server whose processes are all this one. */
export interface FakeWorker extends Cluster {
  /** Asks it to free what a dead worker held, as the supervisor does. */
  readonly hearOfDeath: (name: string) => Promise<void>
  readonly hearOfSharers: (count: number) => void
}

/** Workers of one server, in this process. What they and their supervisor say to each other arrives later and in order, as it does between processes. */
export function fakeWorkers(count: number): readonly FakeWorker[] {
  const writers = createWriters<HeldTurns>({
    give: (turns, isAsked) => void setImmediate(() => turns.given(isAsked)),
    ask: (turns) => void setImmediate(turns.asked),
  })
  const workers: { readonly self: string; readonly hear: ((channel: string, payload: string) => void)[] }[] = []
  const metrics = new Map<string, () => Promise<unknown>>()

  return Array.from({ length: count }, (_, index) => {
    const self = `worker ${index}`
    const hear: ((channel: string, payload: string) => void)[] = []
    workers.push({ self, hear })
    const turns: HeldTurns = openTurns(
      (said) => void setImmediate(() => (said.kind === "turn.back" ? writers.giveBack(turns, said.isWanted) : writers.want(turns))),
    )
    const releases: ((name: string) => Promise<void> | void)[] = []
    let onSharers = (_count: number): void => {}
    return {
      self,
      isFirst: index === 0,
      since: performance.timeOrigin,
      turns,
      tell(channel, payload) {
        setImmediate(() => {
          for (const other of workers) if (other.self !== self) for (const listener of other.hear) listener(channel, payload)
        })
      },
      onTold: (listener) => void hear.push(listener),
      onDeath: (release) => void releases.push(release),
      onSharers(set) {
        onSharers = set
        set(count)
      },
      async metrics() {
        await turnOfLoop()
        return Promise.all([...metrics.values()].map((read) => read()))
      },
      onMetrics: (read) => void metrics.set(self, read),
      onStop() {},
      ready() {},
      leave() {},
      async hearOfDeath(name) {
        for (const release of releases) await release(name)
      },
      hearOfSharers: (sharers) => onSharers(sharers),
    }
  })
}
