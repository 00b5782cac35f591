import type { Readable, Writable } from "node:stream"
import type { Services } from "../../../core/services.ts"
import type { PushOutcome } from "../../../git/index.ts"
import type { Admitted } from "./admission.ts"
import { checkPush, refusedBeforehand, takeOffers } from "./checks.ts"
import { dropEntry, type OpenEntry, openEntry } from "./journal.ts"
import { isOffer } from "./offers.ts"
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
export async function servePush(services: Services, found: Admitted, request: PushRequest): Promise<PushOutcome> {
  const { git, config } = services
  const { pusher, repository } = found
  const { id, storage, object_format } = repository
  let entry: OpenEntry | undefined
  try {
    return await git.transport.receive(git.at(storage, object_format), {
      ...request,
      maxBytes: config.git.maxPushBytes,
      maxReferences: config.limits.pushReferences,
      explain: explainFailure,
      admit: (push) => refusedBeforehand(services, found, push),
      check: (push) => checkPush(services, pusher, id, push),
      offers: { has: isOffer, take: (push) => takeOffers(services, pusher, id, push) },
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
