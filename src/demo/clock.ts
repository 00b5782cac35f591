/** Shows the machine's time until it is set, and stands still from then on until it is set anew. */
export interface StoryClock {
  /** In whole seconds since 1970. */
  readonly now: () => number
  /** Makes it stand at a moment; undefined gives the machine's time back. */
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
