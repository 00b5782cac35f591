import { setImmediate as turnOfLoop } from "node:timers/promises"
import { NoTurn, type Turns } from "./cluster.ts"
import type { FromWorker } from "./messages.ts"

export interface HeldTurns extends Turns {
  /** The supervisor has given the turn to this worker, and perhaps another waits for it already. */
  readonly given: (isAwaited: boolean) => void
  /** Another worker waits for it. */
  readonly asked: () => void
}

/**
 * A worker keeps the turn when it has written, until another asks for it: who writes alone waits for no one. Asked for it, a worker gives it back after the
 * commit under way, and asks for it again itself, behind the other.
 */
export function openTurns(say: (message: Extract<FromWorker, { readonly kind: `turn.${string}` }>) => void): HeldTurns {
  let isHere = false
  let isInUse = false
  let isAsked = false
  /** Those of this process that wait. */
  const waiting = new Set<() => void>()

  function next(): void {
    const [first] = waiting
    first?.()
  }

  function giveBack(): void {
    isHere = false
    isAsked = false
    say({ kind: "turn.back", isWanted: waiting.size > 0 })
  }

  function use(): () => Promise<void> {
    isInUse = true
    let isOver = false
    return async () => {
      if (isOver) return
      isOver = true
      // The loop was busy with the write: what others have said meanwhile is read first. It takes a second turn where the first ends before the sockets are looked at.
      for (let turns = 0; turns < 2 && !isAsked; turns++) await turnOfLoop()
      isInUse = false
      if (isAsked) giveBack()
      else next()
    }
  }

  return {
    take(waitMs) {
      if (isHere && !isInUse) return Promise.resolve(use())
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer)
          waiting.delete(begin)
        }
        const begin = (): void => {
          leave()
          resolve(use())
        }
        const timer = setTimeout(() => {
          leave()
          reject(new NoTurn())
        }, waitMs)
        waiting.add(begin)
        if (!isHere) say({ kind: "turn.wanted" })
      })
    },
    given(isAwaited) {
      isHere = true
      isAsked ||= isAwaited
      if (waiting.size > 0) next()
      else if (isAsked) giveBack()
    },
    asked() {
      isAsked = true
      if (isHere && !isInUse) giveBack()
    },
  }
}
