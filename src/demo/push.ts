import type { Owned } from "../access/permission.ts"
import type { SignedIn, User } from "../core/actor.ts"
import type { Services } from "../core/services.ts"
import { admitPush } from "../features/code/pushes/admission.ts"
import { settlePush } from "../features/code/pushes/after.ts"
import type { RefChange } from "../features/code/pushes/consequences.ts"
import { openEntry } from "../features/code/pushes/journal.ts"
import { judge } from "../features/code/pushes/judge.ts"

/** Somebody as if signed in with a password. */
export const signedInAs = (user: User): SignedIn => ({ kind: "user", user, credential: { kind: "password" }, basic: false })

/**
 * A push of objects that are in the repository already: admitted, judged, written down and followed up as one over HTTP is, but as of the moment
 * `at`. Refuses like `admitPush`; fails where a reference is refused or was moved by somebody else.
 */
export async function push(
  services: Services,
  by: User,
  { owner, repository }: Owned,
  changes: readonly RefChange[],
  at: number,
): Promise<void> {
  const { git } = services
  const { pusher, ...on } = await admitPush(services, signedInAs(by), owner.name, repository.name)
  const kindOf = ({ oldId, newId }: RefChange) => (newId === null ? "delete" : oldId === null ? "create" : "update")
  const place = git.at(repository.storage, repository.object_format)
  const refused = await judge(
    { services, pusher, on, repository: place, mergedPull: undefined },
    changes.map((change) => ({ ...change, kind: kindOf(change), forced: false })),
  )
  for (const [ref, reason] of refused) throw new Error(`${ref} is refused: ${reason}`)

  const about = { repositoryId: repository.id, pusherId: pusher.user.id, changes: [...changes], options: [] }
  // By the true clock: an entry of the past would be taken for one that a killed process left.
  const entry = await openEntry(services, about)
  try {
    await git.references.update(
      place,
      changes.map(({ ref, oldId, newId }) => ({ name: ref, from: oldId, to: newId })),
    )
    await settlePush({ ...services, now: () => at }, { ...about, entryId: entry.id, addedBytes: undefined })
  } finally {
    // Had it failed, the entry's job would do what is left.
    entry.release()
  }
}
