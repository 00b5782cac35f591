import { createInterface } from "node:readline"
import { type Readable, Writable } from "node:stream"
import { CommandFailed } from "./failure.ts"

/** Asks for one line on a terminal; with `hidden` nothing of it is shown. Fails with {@link CommandFailed} on Ctrl-C and at the end of the input. */
export async function prompt(input: Readable, output: Writable, question: string, hidden: boolean): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // Hidden input is read key by key, since a terminal in line mode shows it; this must be set before the question is printed.
  const lines = createInterface({ input, output: hidden ? nowhere : output, terminal: hidden, historySize: 0 })
  if (hidden) output.write(question)
  try {
    return await new Promise((resolve, reject) => {
      lines.once("close", () => reject(new CommandFailed("Broken off.", "Nothing was changed.")))
      lines.question(hidden ? "" : question, resolve)
    })
  } finally {
    lines.close()
    if (hidden) output.write("\n")
  }
}
