import { parentPort } from "node:worker_threads"
import type { FromWorker } from "../worker.ts"
import type { Grammar } from "./grammars.ts"
import { codeLines, prepare } from "./highlighting.ts"

/** What runs in the thread that highlights: one text at a time. Without code it only loads the grammar. */

export interface Task {
  readonly grammar: Grammar
  readonly code?: string
}

const tell = (message: FromWorker<never, string>): void => parentPort?.postMessage(message)

parentPort?.on("message", async ({ grammar, code }: Task) => {
  if (code === undefined) await prepare(grammar)
  tell({ kind: "result", result: code === undefined ? "" : await codeLines(code, grammar) })
})
