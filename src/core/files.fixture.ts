/** Writes a file, reports when it has reached a step, and waits there to be killed. */
import { fileSteps, writeAtomically } from "./files.ts"

const [, , path = "", at] = process.argv
fileSteps.before = async (step) => {
  if (step !== at) return
  process.send?.("there")
  await new Promise(() => setInterval(() => {}, 1000))
}
await writeAtomically(path, [Buffer.from("begun")])
