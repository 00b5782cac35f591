/** A place that one at a time may hold, given out in the order of asking. */
export interface Queue {
  /** Resolves once the place is the caller's; the function that it gives hands the place on. */
  enter(): Promise<() => void>
}

export function createQueue(): Queue {
  const waiting: ((leave: () => void) => void)[] = []
  let taken = false
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) taken = false
    // A turn of the event loop between two holders, or a long queue of writers would let no answer out.
    else setImmediate(next, leave)
  }
  return {
    enter() {
      if (taken) return new Promise((resolve) => waiting.push(resolve))
      taken = true
      return Promise.resolve(leave)
    },
  }
}
