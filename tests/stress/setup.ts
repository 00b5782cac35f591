/** Sets the pauses of a seed in a process: Vitest's set-up of `npm run test:stress`, and loaded first by the servers that its tests start. */
import { setPause } from "../../src/seams/pause.ts"
import { pausesOf } from "./delays.ts"

const seed = Number(process.env["HEARTH_TEST_STRESS_SEED"])
if (!Number.isSafeInteger(seed)) throw new Error("HEARTH_TEST_STRESS_SEED is not a whole number")
setPause(pausesOf(seed))
