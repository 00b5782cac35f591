/** Shows the machine's time until it is set; from then on it stands still until it is set again. */
export interface StoryClock {
  /** In whole seconds since 1970. */
  readonly now: () => number
  /** Stops it at a moment; undefined returns to the machine's time. */
  readonly set: (moment: number | undefined) => void
}

export function storyClock(): StoryClock {
  let standing: number | undefined
  return {
    now: () => standing ?? Math.floor(Date.now() / 1000),
    set(moment) {
      standing = moment
    },
  }
}
