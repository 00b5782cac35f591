import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { Services } from "../../../core/services.ts"
import { branchOf, type RefName } from "../../../git/index.ts"
import { findTurns, putTurn, removeTurn } from "./store.ts"

/*
 * Whose turn it is to move a branch. A push prepares the new commit without a lock, and moves the branch if it is where it was. A merge has more to prepare than others, so that
 * where others move the branch all the time, it would come too late for ever. Then it takes a turn: until it is done, others wait before they move the branch. The turn is a row, so that it
 * counts for all processes, with an end, so that no one waits for a process that was killed.
 */

/** How long a turn lasts at most, in seconds. */
const LONGEST_TURN = 30
/** How long someone who moves a branch waits for another's turn, and how long for a turn of its own, in milliseconds. Then they go on without. */
const LONGEST_WAIT_MS = 5_000
const LONGEST_QUEUE_MS = 20_000
const PAUSE_MS = 20

/** A turn at a branch. */
export interface Turn {
  readonly holder: string
  readonly release: () => Promise<void>
}

/** Waits for a turn at a branch; undefined where there was none in time. */
export async function takeTurn({ database, now }: Services, repositoryId: number, branch: string): Promise<Turn | undefined> {
  const holder = randomUUID()
  const end = performance.now() + LONGEST_QUEUE_MS
  for (;;) {
    const taken = await database.write((tx) =>
      putTurn.changes(tx, { repositoryId, branch, holder, now: now(), endsAt: now() + LONGEST_TURN }),
    )
    if (taken === 1)
      return { holder, release: () => database.write(async (tx) => void (await removeTurn(tx, { repositoryId, branch, holder }))) }
    if (performance.now() > end) return undefined
    await pause(PAUSE_MS)
  }
}

/** Waits while another has its turn at one of these branches. One query where no one has. Not to be awaited in a transaction. */
export async function awaitTurns({ database, now }: Services, repositoryId: number, refs: readonly RefName[], own?: string): Promise<void> {
  const branches = new Set(refs.map(branchOf))
  const end = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const turns = await findTurns(database.read, { repositoryId, now: now() })
    if (!turns.some(({ branch, holder }) => branches.has(branch) && holder !== own) || performance.now() > end) return
    await pause(PAUSE_MS)
  }
}
