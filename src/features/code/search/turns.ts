import { currentCaller } from "../../../core/caller.ts"
import { refuse } from "../../../core/errors.ts"
import { createLimiter, isGitError } from "../../../git/index.ts"

/** Searches read much in the server's own thread, so that more of them at once would only slow each other and everyone else. */
const turns = createLimiter({
  name: "searches of code",
  total: 2,
  perRepository: 2,
  queue: 32,
  waitMs: 10_000,
  caller: currentCaller,
})

/** Does the work when it is the caller's turn; turns are shared fairly. Refuses `busy` where too many are waiting. */
export async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const release = await turns.acquire("").catch((error: unknown) => {
    throw isGitError(error, "busy") ? refuse.busy("too many searches are waiting; try again in a moment") : error
  })
  try {
    return await work()
  } finally {
    release()
  }
}
