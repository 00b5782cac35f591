import type { Readable, Writable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import type { PushOutcome } from "../../../git/index.ts"
import { checkPush } from "./checks.ts"
import { dropEntry, type OpenEntry, openEntry } from "./journal.ts"
import { settlePush } from "./settle.ts"

export interface PushRequest {
  /** What the client sends, no longer compressed. */
  readonly input: Readable
  readonly output: Writable
  /** Fires when the client is gone. */
  readonly signal: AbortSignal
}

/**
 * Receives a push from somebody who was admitted to it. The changes of references are checked one by one once the objects are there; a journal entry is
 * committed before any moves; and everything that follows is true before the client is told. Throws what `git.transport.receive` throws.
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
      check: (push) => checkPush(services, pusher, id, push),
      before: async (commands, options) => {
        const changes = commands.map(({ ref, oldId, newId }) => ({ ref, oldId, newId }))
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
