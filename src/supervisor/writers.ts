/** Whose turn it is to write the embedded database: one worker's at a time, in the order in which they asked. */
export interface Writers<W> {
  readonly want: (worker: W) => void
  /** `isWanted`: it wants it again, behind the others. */
  readonly giveBack: (worker: W, isWanted: boolean) => void
  /** Takes the turn, or the place among those that wait, from a worker that has ended. */
  readonly forget: (worker: W) => void
  /** Who has had the turn while others wait, and since when, in milliseconds of `performance.now()`. */
  readonly overdue: () => { readonly worker: W; readonly since: number } | undefined
}

interface Telling<W> {
  /** Tells a worker that it has the turn, and whether another waits for it already. */
  readonly give: (worker: W, isAsked: boolean) => void
  /** Tells a worker that another waits for its turn. */
  readonly ask: (worker: W) => void
}

export function createWriters<W>({ give, ask }: Telling<W>): Writers<W> {
  let holder: W | undefined
  let waiting: readonly W[] = []
  let askedAt: number | undefined

  function pass(): void {
    holder = waiting[0]
    waiting = waiting.slice(1)
    const isAsked = waiting.length > 0
    askedAt = isAsked ? performance.now() : undefined
    if (holder !== undefined) give(holder, isAsked)
  }

  return {
    want(worker) {
      if (worker === holder || waiting.includes(worker)) return
      waiting = [...waiting, worker]
      if (holder === undefined) return pass()
      if (askedAt !== undefined) return
      askedAt = performance.now()
      ask(holder)
    },
    giveBack(worker, isWanted) {
      if (worker !== holder) return
      if (isWanted) waiting = [...waiting, worker]
      pass()
    },
    forget(worker) {
      waiting = waiting.filter((each) => each !== worker)
      if (worker === holder) pass()
    },
    overdue: () => (holder === undefined || askedAt === undefined ? undefined : { worker: holder, since: askedAt }),
  }
}
