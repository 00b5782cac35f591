import { type Actor, chosenOf } from "./actor.ts"
import { memberOf } from "./check.ts"
import { refuse } from "./errors.ts"
import { key } from "./language/message.ts"

/*
 * What a token that is limited to some repositories may change. Who sees a public repository may write issues and comments in it, star and fork it:
 * such a token may do so in what was chosen only.
 */

/** The same text wherever it is refused, so that a program can tell. */
export const NOT_CHOSEN = key("this token is limited to some repositories or owners, and this is not one of them")

/** Whether the caller's token may change things of this repository, as far as it is limited. */
export const isChosenRepository = (actor: Actor, repository: { readonly id: number; readonly owner_id: number }): boolean => {
  const chosen = chosenOf(actor)
  return !chosen || chosen.repositoryIds.includes(repository.id) || chosen.ownerIds.includes(repository.owner_id)
}

/** The same for what belongs to a person or an organisation: all of its repositories have to be chosen. */
export const isChosenOwner = (actor: Actor, owner: { readonly id: number }): boolean => chosenOf(actor)?.ownerIds.includes(owner.id) ?? true

/**
 * Refuses `forbidden` a limited token for a change of anything that was not chosen. `found`: what the operation's policy has found; a change of an account,
 * or of the site, has neither a repository nor an owner of repositories.
 */
export function requireChosen(actor: Actor, found: object): void {
  const chosen = chosenOf(actor)
  if (!chosen) return
  const repository = "repository" in found ? found.repository : undefined
  const owner = [memberOf(found, "organization"), memberOf(found, "owner"), memberOf(memberOf(found, "home"), "owner")].find(
    (each) => each !== undefined,
  )
  const isChosen = repository
    ? chosen.repositoryIds.some((id) => id === memberOf(repository, "id")) ||
      chosen.ownerIds.some((id) => id === memberOf(repository, "owner_id"))
    : chosen.ownerIds.some((id) => id === memberOf(owner, "id"))
  if (!isChosen) throw refuse.forbidden(NOT_CHOSEN)
}
