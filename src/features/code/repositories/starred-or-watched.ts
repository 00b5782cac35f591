import { permissionsOn } from "../../../access/permission.ts"
import { publicRepositories } from "../../../access/visibility.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { listed, type Page } from "../../../core/operation.ts"
import type { Site } from "../../../core/site.ts"
import { presentPermission, presentRepositories } from "./present.ts"
import { type Condition, listRepositories } from "./search-store.ts"
import { withOwners } from "./store.ts"

/** The user whose list it is, the caller, and the condition for a repository to be on it. */
export interface StarredOrWatched {
  readonly actor: SignedIn
  readonly person: User
  readonly where: Condition
}

/**
 * A page of the repositories that a user has starred or watches, by id. The user sees those that they can still access; others see only
 * public ones, with the permissions of the user whose list it is, as clients expect.
 */
export async function listStarredOrWatched(db: Handle, site: Site, { actor, person, where }: StarredOrWatched, page: Page) {
  const own = actor.user.id === person.id
  const found = await listRepositories(
    db,
    actor,
    { where: own ? [where] : [where, publicRepositories()], order: { by: "id", direction: "asc" } },
    page,
  )
  const owned = await withOwners(db, found.rows)
  const records = await presentRepositories(db, site, actor, owned)
  if (own) return listed(records, found.total)
  // Only displayed: which fields the caller sees depends on the caller's own rights.
  const theirs = await permissionsOn(db, { kind: "user", user: person, credential: { kind: "password" }, basic: false }, owned)
  const shown = records.map((record, index) => {
    const repository = owned[index]?.repository
    const permission = repository && theirs.get(repository.id)
    return permission ? { ...record, permissions: presentPermission(permission, repository) } : record
  })
  return listed(shown, found.total)
}
