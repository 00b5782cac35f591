/** Processor time, user and system, which tells what work takes however busy the machine is. */
import { readdirSync, readFileSync } from "node:fs"

/** In which Linux counts: a hundredth of a second on all that Node.js runs on. */
const TICKS_PER_SECOND = 100

interface Counted {
  readonly parent: number
  /** Of the process, and of its children that have ended and were waited for. */
  readonly seconds: number
}

function countedOf(pid: number | "self"): Counted | undefined {
  try {
    // The name of the program, in parentheses, may have anything in it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0)
    return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }
  } catch {
    // It has ended.
    return undefined
  }
}

/** The seconds that this process and its ended children have taken; without the children where there is no /proc. */
export function secondsTaken(): number {
  const { user, system } = process.cpuUsage()
  return countedOf("self")?.seconds ?? (user + system) / 1e6
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
  return running.reduce((sum, { pid, seconds }) => sum + (ours.has(pid) ? seconds : 0), 0)
}
