/** Processor time, user and system, which tells what work takes however busy the machine is. */
import { readdirSync, readFileSync } from "node:fs"

/** In which Linux counts: a hundredth of a second on all that Node.js runs on. */
const TICKS_PER_SECOND = 100

interface Counted {
  readonly parent: number
  readonly own: number
  /** Of its children that have ended and were waited for. */
  readonly ended: number
}

function countedOf(pid: number | "self"): Counted | undefined {
  try {
    // The name of the program, in parentheses, may have anything in it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    const seconds = (from: number): number => (Number(fields[from]) + Number(fields[from + 1])) / TICKS_PER_SECOND
    return { parent: Number(fields[1]), own: seconds(11), ended: seconds(13) }
  } catch {
    // It has ended.
    return undefined
  }
}

const bothOf = ({ own, ended }: Counted): number => own + ended

/** The seconds of a running process, without its children; not a number where that can't be told. */
export const secondsOf = (pid: number): number => countedOf(pid)?.own ?? Number.NaN

/** The seconds of this process's ended children; not a number where that can't be told. */
export const secondsOfChildren = (): number => countedOf("self")?.ended ?? Number.NaN

/** The seconds that this process and its ended children have taken; without the children where there is no /proc. */
export function secondsTaken(): number {
  const { user, system } = process.cpuUsage()
  const counted = countedOf("self")
  return counted ? bothOf(counted) : (user + system) / 1e6
}

/** The seconds of this process and of all that it has started, running or ended; undefined where there is no /proc. */
export function secondsOfAll(): number | undefined {
  if (countedOf("self") === undefined) return undefined
  const running = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const counted = countedOf(Number(name))
      return counted === undefined ? [] : [{ pid: Number(name), ...counted }]
    })
  const ours = new Set([process.pid])
  for (let found = 0; found !== ours.size; ) {
    found = ours.size
    for (const { pid, parent } of running) if (ours.has(parent)) ours.add(pid)
  }
  return running.reduce((sum, counted) => sum + (ours.has(counted.pid) ? bothOf(counted) : 0), 0)
}
