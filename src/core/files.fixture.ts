/** Writes a file, says when it has come to a step, and waits there to be killed. */
import { fileSteps, writeWhole } from "./files.ts"

const [, , path = "", at] = process.argv
fileSteps.before = async (step) => {
  if (step !== at) return
  process.send?.("there")
  await new Promise(() => setInterval(() => {}, 1000))
}
await writeWhole(path, [Buffer.from("begun")])
