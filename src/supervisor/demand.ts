/** Another worker is started when those at work are busier than this on average, for some looks. */
const BUSY = 0.7
const BUSY_LOOKS = 3
/** One is stopped when those that stay would be less busy than this, for many looks: it would soon be needed again otherwise. */
const QUIET = 0.35
const QUIET_LOOKS = 60

/** Decides, once a second, whether there are too few workers or too many: given how busy each of them is, from 0 to 1. */
export function createDemand(most: number): (loads: readonly number[]) => "more" | "fewer" | undefined {
  let busyLooks = 0
  let quietLooks = 0
  return (loads) => {
    const load = loads.reduce((sum, each) => sum + each, 0)
    busyLooks = loads.length < most && load > BUSY * loads.length ? busyLooks + 1 : 0
    quietLooks = loads.length > 1 && load < QUIET * (loads.length - 1) ? quietLooks + 1 : 0
    if (busyLooks < BUSY_LOOKS && quietLooks < QUIET_LOOKS) return undefined
    const answer = busyLooks > 0 ? "more" : "fewer"
    busyLooks = 0
    quietLooks = 0
    return answer
  }
}
