import { LRUCache } from "lru-cache"

/** Wrong tries by network, counted in the memory of this process: what they must hold across processes is counted by account, in the database. */
export interface Waits {
  /**
   * Begins a try under all these limits. Gives the function that ends it, or, while there is to be none, for how many seconds. What is under way
   * counts as wrong, so that concurrent tries can't get around the limit.
   */
  readonly begin: (limits: readonly Limit[], now: number) => EndTry | number
}

export interface Limit {
  readonly key: string
  /** How many wrong tries have no wait. */
  readonly free: number
  /** Whether a right try makes the wrong ones before it forgotten. */
  readonly forgives: boolean
}

/** `unchecked` for a try that was not checked after all. */
export type EndTry = (outcome: "right" | "wrong" | "unchecked", now: number) => void

interface State {
  wrong: number
  underWay: number
  /** Until when there is no further try. */
  until: number
  /** From when on wrong tries are forgotten, one after another. */
  since: number
}

/** The most that is remembered: some megabytes. What was used longest ago is forgotten first. */
const MOST_REMEMBERED = 20_000

export function openWaits({
  firstWaitSeconds: first,
  longestWaitSeconds: longest,
}: {
  firstWaitSeconds: number
  longestWaitSeconds: number
}): Waits {
  const states = new LRUCache<string, State>({ max: MOST_REMEMBERED })
  /** A wrong try is forgotten after so many seconds, so that an office with one address is not refused for what adds up over days. */
  const forgetting = Math.max(1, longest / 4)

  function stateOf(key: string, now: number): State {
    const state = states.get(key) ?? { wrong: 0, underWay: 0, until: 0, since: now }
    states.set(key, state)
    const forgotten = Math.min(state.wrong, Math.floor((now - state.since) / forgetting))
    state.wrong -= forgotten
    state.since = state.wrong === 0 ? now : state.since + forgotten * forgetting
    return state
  }

  function begin(limits: readonly Limit[], now: number): EndTry | number {
    const held = limits.map((limit) => ({ ...limit, state: stateOf(limit.key, now) }))
    for (const { free, state } of held) {
      if (state.until > now) return state.until - now
      if (state.underWay > 0 && state.wrong + state.underWay >= free) return 1
    }
    for (const { state } of held) state.underWay++
    let ended = false
    return (outcome, end) => {
      if (ended) return
      ended = true
      for (const { free, forgives, state } of held) {
        state.underWay--
        if (outcome === "wrong") {
          state.wrong++
          if (state.wrong >= free) state.until = end + Math.min(longest, first * 2 ** (state.wrong - free))
        } else if (outcome === "right" && forgives) state.wrong = 0
      }
    }
  }
  return { begin }
}
