import { isGitError } from "../model/errors.ts"
import type { RefUpdate, Repository } from "../model/model.ts"
import type { Move, RepositoryStore } from "./store.ts"

/** How often a move is prepared again because a garbage collection came between. */
const TRIES = 5

/**
 * Moves references by a transaction, where a store does so: `make` is given the move, and writes it with what follows. False, with nothing done, where references move by
 * themselves. Throws `conflict` where one has another value, and what `make` throws.
 */
export async function makeMove(
  begin: RepositoryStore["begin"],
  repository: Repository,
  updates: readonly RefUpdate[],
  make: (move: Move) => Promise<unknown>,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const move = await begin(repository, updates)
    if (!move) return false
    try {
      await make(move)
      return true
    } catch (error) {
      if (tries === TRIES || !isGitError(error, "stale")) throw error
    } finally {
      await move.close()
    }
  }
}
