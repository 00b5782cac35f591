import type { Readable, Writable } from "node:stream"
import { hasCode } from "../git/model/errors.ts"
import { CommandFailed } from "./failure.ts"
import { prompt } from "./prompt.ts"

/** A command's input and output. Results go to `out`; everything else goes to standard error, so that it doesn't get into a pipe. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly say: (line: string) => void
  /** Shows the progress of long work: on a terminal one line that is overwritten, elsewhere a line every ten seconds. "" removes it. */
  readonly progress: (state: string) => void
  /** Whether results go to a terminal, so that a person reads them; unset they don't. */
  readonly attended?: boolean
  /** Whether a person can be asked. */
  readonly interactive: boolean
  /** Asks for a line; with `hidden` the input is not shown. Fails with {@link CommandFailed} where the input is cancelled. */
  readonly ask: (question: string, options?: { readonly hidden?: boolean }) => Promise<string>
  /** All piped input. Fails with {@link CommandFailed} unless it is UTF-8. */
  readonly input: () => Promise<string>
}

const EVERY_MS = 10_000

type Stream<S> = S & { readonly isTTY?: boolean }

/** The streams of a terminal, such as those of `process`. */
export interface Streams {
  readonly stdin: Stream<Readable>
  readonly stdout: Stream<Writable>
  readonly stderr: Stream<Writable>
}

/** The terminal of this process. */
export function processTerminal({ stdin, stdout, stderr }: Streams = process): Terminal {
  // Who has read enough, as `head` does, leaves; the work goes on.
  for (const output of [stdout, stderr])
    output.on("error", (error) => {
      if (!hasCode(error, "EPIPE")) throw error
    })
  let shown = ""
  let toldAt = performance.now()
  const clear = () => {
    if (shown !== "") stderr.write("\r\u001b[K")
    shown = ""
  }
  return {
    out(line) {
      clear()
      stdout.write(`${line}\n`)
    },
    say(line) {
      clear()
      stderr.write(`${line}\n`)
    },
    progress(state) {
      if (stderr.isTTY) {
        clear()
        stderr.write(state)
        shown = state
      } else if (state !== "" && performance.now() - toldAt > EVERY_MS) {
        toldAt = performance.now()
        stderr.write(`${state}\n`)
      }
    },
    attended: stdout.isTTY === true,
    // Not read until it is needed: checking for the end of a pipe would open it.
    get interactive() {
      return stdin.isTTY === true && stderr.isTTY === true
    },
    ask(question, { hidden = false } = {}) {
      clear()
      return prompt(stdin, stderr, question, hidden)
    },
    input: () => readText(stdin),
  }
}

async function readText(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    // Replacing invalid bytes would change the password.
    throw new CommandFailed("What is piped in is no UTF-8.", "Nothing was changed. Send it in UTF-8.")
  }
}
