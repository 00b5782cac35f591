import type { Readable, Writable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import type { PushOutcome } from "../../../git/index.ts"
import { checkPush } from "./checks.ts"
import { dropEntry, type OpenEntry, openEntry } from "./journal.ts"
import { explainFailure } from "./refusals.ts"
import { settleMove, settlePush } from "./settle.ts"
import { awaitTurns } from "./turns.ts"

export interface PushRequest {
  /** The client's input, decompressed. */
  readonly input: Readable
  readonly output: Writable
  /** One request and response (HTTP), or a full-duplex connection (SSH). */
  readonly stateless: boolean
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * Receives an admitted push. The reference changes are checked one by one once the objects have arrived; a journal entry is
 * committed before any reference moves; and everything derived is stored before the client is answered. Throws what `git.transport.receive` throws.
 */
export async function servePush(
  services: Services,
  pusher: SignedIn,
  { id, storage, object_format }: Repository,
  request: PushRequest,
): Promise<PushOutcome> {
  const { git, config } = services
  let entry: OpenEntry | undefined
  try {
    return await git.transport.receive(git.at(storage, object_format), {
      ...request,
      maxBytes: config.git.maxPushBytes,
      maxReferences: config.limits.pushReferences,
      explain: explainFailure,
      check: (push) => checkPush(services, pusher, id, push),
      make: async (move, commands, options) => {
        await awaitTurns(
          services,
          id,
          commands.map(({ ref }) => ref),
        )
        return settleMove(services, move, { pushed: { repositoryId: id, pusherId: pusher.user.id, changes: commands, options } })
      },
      before: async (commands, options) => {
        const changes = commands.map(({ ref, oldId, newId }) => ({ ref, oldId, newId }))
        await awaitTurns(
          services,
          id,
          changes.map(({ ref }) => ref),
        )
        entry = await openEntry(services, { repositoryId: id, pusherId: pusher.user.id, changes, options: [...options] })
      },
      after: async ({ results, options, addedBytes }) => {
        if (!entry) return []
        const changes = results.filter(({ refused }) => refused === null)
        if (changes.length > 0)
          return settlePush(services, { repositoryId: id, pusherId: pusher.user.id, entryId: entry.id, changes, options, addedBytes })
        await dropEntry(services, entry)
        return []
      },
    })
  } finally {
    entry?.release()
  }
}
