import { parentPort } from "node:worker_threads"
import type { FromWorker } from "../worker.ts"
import { htmlToHtml, markdownToHtml, tickedText } from "./markdown.ts"
import type { Mention, Rendering, Target } from "./rendering.ts"
import { tableToHtml } from "./table.ts"

/** What runs in the thread that renders: one text at a time. */

export type Task =
  | { readonly kind: "markdown"; readonly text: string; readonly rendering: Omit<Rendering, "resolve">; readonly resolves: boolean }
  | { readonly kind: "html"; readonly text: string; readonly rendering: Omit<Rendering, "resolve"> }
  | { readonly kind: "table"; readonly text: string; readonly separator: string }
  | { readonly kind: "tick"; readonly text: string; readonly box: string; readonly isDone: boolean }

/** What mentions lead to. */
export type Question = readonly Mention[]
export type Targets = readonly (Target | undefined)[]

export type ToThread = Task | { readonly kind: "targets"; readonly targets: Targets }

const answers: ((targets: Targets) => void)[] = []

/** The result is undefined for what is to be shown as it is written. */
const tell = (message: FromWorker<Question, string | undefined>): void => parentPort?.postMessage(message)

async function resolve(mentions: readonly Mention[]): Promise<Targets> {
  tell({ kind: "question", question: mentions })
  return new Promise((answered) => answers.push(answered))
}

async function done(task: Task): Promise<string | undefined> {
  if (task.kind === "table") return tableToHtml(task.text, task.separator)
  if (task.kind === "tick") return tickedText(task.text, task.box, task.isDone)
  if (task.kind === "html") return htmlToHtml(task.text, task.rendering)
  return markdownToHtml(task.text, task.resolves ? { ...task.rendering, resolve } : task.rendering)
}

parentPort?.on("message", async (message: ToThread) => {
  if (message.kind === "targets") answers.pop()?.(message.targets)
  else tell({ kind: "result", result: await done(message) })
})
