/** Fails each test in which one piece of work held everyone else up for too long: Vitest's set-up of a file. A forge that a test starts in its process answers no one meanwhile. */
import { readFileSync } from "node:fs"
import { afterEach, beforeEach } from "vitest"
import { firstCommentOf } from "./slow.ts"
import { watchTicks } from "./ticks.ts"

/** In milliseconds of processor time. What a server may do in one go is an eighth of it; but on a busy machine all takes twice as long, and tests load modules and compare long texts in the same thread. */
const LIMIT_MS = 2000

const ticks = watchTicks()
beforeEach(() => ticks.restart())
afterEach(({ task: { file } }) => {
  const longest = ticks.longest()
  if (longest <= LIMIT_MS || firstCommentOf(readFileSync(file.filepath, "utf8")).includes("Long tick: ")) return
  throw new Error(
    `one piece of work blocked all callers for ${Math.round(longest)} ms, and ${LIMIT_MS} are allowed: do it in steps (src/core/work.ts) or in a thread (src/core/worker.ts), or ` +
      'give the reason in the first comment of the file, on a line with "Long tick: ".',
  )
})
