import { Mode } from "../../../access/modes.ts"
import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { wikiMode } from "../../../access/policies/wiki.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import { movableBy } from "../../../core/task-token.ts"
import { branchOf, type Push, type PushOutcome, type RefCommand, type RefName, type Verdict } from "../../../git/index.ts"
import { ARCHIVED, MIRROR, NO_WRITE } from "../pushes/admission.ts"
import { namelessRef, refuseAll, repositoryNow } from "../pushes/checks.ts"
import type { OpenEntry } from "../pushes/journal.ts"
import type { PushRequest } from "../pushes/push.ts"
import { explainFailure } from "../pushes/refusals.ts"
import { dropWikiEntry, openWikiEntry } from "./journal.ts"
import { openWiki } from "./repository.ts"
import { settleWiki, settleWikiMove } from "./settle.ts"

/** Receives an admitted push to a wiki, as `servePush` does for code. Branch and tag protections are for code alone. Throws what `git.transport.receive` throws. */
export async function pushToWiki(services: Services, pusher: SignedIn, row: RepositoryRow, request: PushRequest): Promise<PushOutcome> {
  const { git, config } = services
  const repository = await openWiki(services, row)
  const home = { repositoryId: row.id, pusherId: pusher.user.id }
  let entry: OpenEntry | undefined
  try {
    return await git.transport.receive(repository, {
      ...request,
      maxBytes: config.git.maxPushBytes,
      maxReferences: config.limits.pushReferences,
      explain: explainFailure,
      check: (push) => checkWikiPush(services, pusher, row.id, push),
      make: async (move, changes) => {
        await settleWikiMove(services, move, { ...home, changes })
        return []
      },
      before: async (commands) => {
        const changes = commands.map(({ ref, oldId, newId }) => ({ ref, oldId, newId }))
        entry = await openWikiEntry(services, { ...home, changes })
      },
      after: async ({ results, addedBytes }) => {
        if (!entry) return []
        const changes = results.filter(({ refused }) => refused === null)
        if (changes.length > 0) await settleWiki(services, { ...home, entryId: entry.id, changes, addedBytes })
        else await dropWikiEntry(services, entry)
        return []
      },
    })
  } finally {
    entry?.release()
  }
}

/** Checks a push whose objects have arrived, with the pusher's rights as they are now. */
async function checkWikiPush(services: Services, pusher: SignedIn, repositoryId: number, push: Push): Promise<Verdict> {
  const on = await repositoryNow(services, pusher, repositoryId)
  if (!on) return { refused: refuseAll(push, NO_WRITE) }
  // Patterns are for the code. Pages of a wiki are changed by operations, which a token can be given.
  if (movableBy(pusher)) return { refused: refuseAll(push, NO_WRITE) }
  const shown = await services.git.references.head(push.repository)
  return { refused: new Map(push.commands.flatMap((command) => refusalOf(on, shown, command))) }
}

function refusalOf(on: OnRepository, shown: RefName, command: RefCommand): readonly (readonly [RefName, string])[] {
  const reason = reasonAgainst(on, shown, command)
  return reason === undefined ? [] : [[command.ref, reason]]
}

function reasonAgainst(on: OnRepository, shown: RefName, command: RefCommand): string | undefined {
  if (on.repository.is_archived === 1) return ARCHIVED
  if (on.repository.is_mirror === 1) return MIRROR
  if (wikiMode(on) < Mode.write) return NO_WRITE
  if (command.kind === "delete" && command.ref === shown) return `branch ${branchOf(shown)} is the one that is shown and cannot be deleted`
  return namelessRef(command)?.toString()
}
