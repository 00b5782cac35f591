import { availableParallelism, totalmem } from "node:os"

/** The most processes where none is set. */
const MOST = 8
/** What a busy process may come to take of the memory, in bytes, with the git processes that work for it. */
const EACH_BYTES = 512 * 2 ** 20

/** How many processes a server may have: the setting, or as many as there are cores, and room for them in the memory. */
export function mostProcesses(set: number, cores = availableParallelism(), memory = memoryOf()): number {
  return set > 0 ? set : Math.max(1, Math.min(MOST, cores, Math.floor(memory / EACH_BYTES)))
}

/** The memory of the machine, or of the container. */
function memoryOf(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
