/** Where a command speaks. What was asked for goes to `out`; everything else goes to standard error, so that it doesn't get in the way of a pipe. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly say: (line: string) => void
  /** Shows how far long work is: on a terminal one line that is written over, elsewhere a line every ten seconds. "" takes it away. */
  readonly progress: (state: string) => void
}

const EVERY_MS = 10_000

/** The terminal of this process. */
export function processTerminal({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr"> = process): Terminal {
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
  }
}
