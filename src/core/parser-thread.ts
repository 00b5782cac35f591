import { parentPort } from "node:worker_threads"
import type { FromWorker } from "./worker.ts"

/** Has this thread parse the texts that it is sent, one at a time: for the module of a parser. */
export function parseInThread<Made>(parse: (text: string) => Made): void {
  const tell = (message: FromWorker<never, Made>): void => parentPort?.postMessage(message)
  parentPort?.on("message", (text: string) => tell({ kind: "result", result: parse(text) }))
}
