/** Measures what each file takes, for `totals.ts`: Vitest's set-up of a file. What it imports is not counted, as the first file of a process pays for others. */
import { beforeAll } from "vitest"
import { secondsTaken } from "./processor.ts"

declare module "vitest" {
  interface TaskMeta {
    /** Seconds of processor time from the first hook of a file to its last, of its process and of programs that it has called. */
    processorSeconds?: number
  }
}

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no fixture
beforeAll(({}, file) => {
  const before = secondsTaken()
  return () => {
    file.meta.processorSeconds = secondsTaken() - before
  }
})
