/** Seconds of processor time that a file of the daily runs may take without a reason. */
const DAILY_SECONDS = 10

/** Beside other work the same takes up to twice that: a file is blamed for no more than what is its own. */
const BUSY = 2

/** The first comment of a file, where reasons are given. */
export const firstCommentOf = (source: string): string => FIRST_COMMENT.exec(source)?.[0] ?? ""

const FIRST_COMMENT = /\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*/m

interface Measured {
  readonly file: string
  readonly seconds: number
  readonly source: string
}

/** What to do about a daily file that is slow and gives no reason for it; undefined for all others. */
export function slowWithoutReason({ file, seconds, source }: Measured): string | undefined {
  if (seconds <= DAILY_SECONDS * BUSY || firstCommentOf(source).includes("Slow: ")) return undefined
  return (
    `${file} took ${seconds.toFixed(1)} s of processor time, and a daily file may take ${DAILY_SECONDS} (twice that on a busy machine): make it shorter, move what floods or waits to the ` +
    'faults run (attacks.test.ts, crash.test.ts, tests/faults), or give the reason in its first comment, on a line with "Slow: ".'
  )
}
