/** A mutex with a queue: one holder at a time, in the order of requests. */
export interface Queue {
  /** Resolves once the caller is the holder; the result releases it. */
  enter(): Promise<() => void>
}

export function createQueue(): Queue {
  const waiting: ((leave: () => void) => void)[] = []
  let taken = false
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) taken = false
    // A turn of the event loop between two holders, or a long queue of writers would keep answers from being sent.
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
