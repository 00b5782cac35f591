/** Makes loading modules cheap for the processes of tests, as `src/command/modules.ts` does for the program. Vitest's set-up of a file, before all others. */
import { enableCompileCache, flushCompileCache, setSourceMapsSupport } from "node:module"
import { join } from "node:path"
import { afterAll } from "vitest"

enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/hearth"))

// Vitest turns it on. Node.js takes types out in place, so that all lines are right without, and would read the maps of every package.
setSourceMapsSupport(false)

// Node.js would keep it when the process ends by itself, and Vitest ends its processes by a signal.
afterAll(() => flushCompileCache())
