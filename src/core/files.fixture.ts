/** Writes a file, reports when it has reached a step, and waits there to be killed. */
import { setPause } from "../seams/pause.ts"
import { writeAtomically } from "./files.ts"

const [, , path = "", at] = process.argv
setPause(async (point) => {
  if (point !== `file.${at}`) return
  process.send?.("there")
  await new Promise(() => setInterval(() => {}, 1000))
})
await writeAtomically(path, [Buffer.from("begun")])
