import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** How thoroughly: a last resort collects what is held weakly and compiled code that is not in use, too. */
interface Thoroughness {
  readonly flavor?: "last-resort"
}

setFlagsFromString("--expose-gc")
const collect: (how: object) => void = runInNewContext("gc")
setFlagsFromString("--no-expose-gc")

/** Collects all garbage of this process now. */
export const collectGarbage = (how: Thoroughness = {}): void => collect({ type: "major", execution: "sync", ...how })
