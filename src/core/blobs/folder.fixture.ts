/** Writes a blob, reports when that has reached a step, and waits there to be killed. */
import { setPause } from "../../seams/pause.ts"
import { blobsIn } from "./folder.ts"

const [, , root = "", key = "", at] = process.argv
setPause(async (point) => {
  if (point !== `file.${at}`) return
  process.send?.("there")
  await new Promise(() => setInterval(() => {}, 1000))
})
await blobsIn(root).write(key, [Buffer.from("begun")])
