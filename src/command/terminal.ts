import type { Readable, Writable } from "node:stream"
import { CommandFailed } from "./failure.ts"
import { prompt } from "./prompt.ts"

/** Where a command speaks. What was asked for goes to `out`; everything else goes to standard error, so that it doesn't get in the way of a pipe. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly say: (line: string) => void
  /** Shows how far long work is: on a terminal one line that is written over, elsewhere a line every ten seconds. "" takes it away. */
  readonly progress: (state: string) => void
  /** Whether somebody sits there who can be asked. */
  readonly interactive: boolean
  /** Asks for a line; with `hidden` nothing shows what is typed. Fails with {@link CommandFailed} where the answer is broken off. */
  readonly ask: (question: string, options?: { readonly hidden?: boolean }) => Promise<string>
  /** All that is piped in. Fails with {@link CommandFailed} for what is no UTF-8. */
  readonly input: () => Promise<string>
}

const EVERY_MS = 10_000

type Stream<S> = S & { readonly isTTY?: boolean }

/** What a terminal is made of; `process` is that. */
export interface Streams {
  readonly stdin: Stream<Readable>
  readonly stdout: Writable
  readonly stderr: Stream<Writable>
}

/** The terminal of this process. */
export function processTerminal({ stdin, stdout, stderr }: Streams = process): Terminal {
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
    // Not read until it is needed: looking at a pipe's end would open it.
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
    // Guessing at letters would make another password of it.
    throw new CommandFailed("What is piped in is no UTF-8.", "Nothing was changed. Send it in UTF-8.")
  }
}
