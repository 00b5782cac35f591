import { LRUCache } from "lru-cache"

/**
 * Wrong tries by network, counted in memory. Processes tell each other of theirs, so that who guesses gets no further tries by asking several; what must be
 * held exactly, or across a restart, is counted by account, in the database.
 */
export interface Waits {
  /**
   * Begins a try under all these limits. Gives the function that ends it, or, while there is to be none, for how many seconds. What is under way
   * counts as wrong, so that concurrent tries can't get around the limit.
   */
  readonly begin: (limits: readonly Limit[], now: number) => EndTry | number
  /** Takes what another process has told. */
  readonly hear: (told: string, now: number) => void
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

/** What was told: that a try was wrong, or right and forgives, or only what is known; the free tries, the wrong ones by now, when the wait ends, and the key. */
const TOLD = /^(wrong|right|known) (\d{1,9}) (\d{1,9}) (\d{1,12}) (.{1,200})$/

/** `tell` tells the other processes. */
export function openWaits(
  { firstWaitSeconds: first, longestWaitSeconds: longest }: { readonly firstWaitSeconds: number; readonly longestWaitSeconds: number },
  tell: (told: string) => void,
): Waits {
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

  function tellOf(what: "wrong" | "right" | "known", { key, free }: Pick<Limit, "key" | "free">, { wrong, until }: State): void {
    tell(`${what} ${free} ${wrong} ${until} ${key}`)
  }

  function addWrong(state: State, free: number, now: number): void {
    state.wrong++
    if (state.wrong >= free) state.until = Math.max(state.until, now + Math.min(longest, first * 2 ** (state.wrong - free)))
  }

  function hear(told: string, now: number): void {
    const [, what, free, wrong, until, key] = TOLD.exec(told) ?? []
    if (key === undefined) return
    const state = stateOf(key, now)
    if (what === "right") {
      state.wrong = 0
      return
    }
    if (what === "wrong") addWrong(state, Number(free), now)
    // The other process may have begun after tries that are known here.
    const isBehind = Number(wrong) < state.wrong
    state.wrong = Math.max(state.wrong, Number(wrong))
    state.until = Math.max(state.until, Math.min(Number(until), now + longest))
    if (isBehind) tellOf("known", { key, free: Number(free) }, state)
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
      for (const { key, free, forgives, state } of held) {
        state.underWay--
        if (outcome === "wrong") {
          addWrong(state, free, end)
          tellOf("wrong", { key, free }, state)
        } else if (outcome === "right" && forgives && state.wrong > 0) {
          state.wrong = 0
          tellOf("right", { key, free }, state)
        }
      }
    }
  }
  return { begin, hear }
}
