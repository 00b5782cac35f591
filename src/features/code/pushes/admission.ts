import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { locateRepository, type OnRepository } from "../../../access/policies/repositories.ts"
import { scopeAllows } from "../../../access/scopes.ts"
import { type Actor, deployKeyOf, type SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { requireUsable } from "../../people/authentication/authenticate.ts"
import { maintainedBranches } from "./maintainer-edits.ts"

/** Who may fetch from and push to what: the same questions for every way in. All of it is `access/`; here stand only their order and words. */

export const NOT_FOUND = "Repository not found"
export const ARCHIVED = "This repository is archived: it can be read, but not changed."
export const MIRROR = "mirror repository is read-only"
export const NO_WRITE = "User permission denied for writing."

/** What somebody may do with the code: where the unit is switched off, its administrators still reach it. */
export const codeMode = ({ permission, repository }: OnRepository): number => unitModeOrAdmin(permission, repository, "repo.code")

/** Refuses `forbidden` for accounts that may not act now, and for tokens that are not for repositories. */
export function requireGitUse(services: Services, actor: Actor, verb: "read" | "write"): void {
  // A key of a repository goes on while the owner has to choose another password.
  if (!deployKeyOf(actor)) requireUsable(actor, services.site.rootUrl)
  if (actor.kind === "anonymous" || actor.credential.kind !== "token") return
  const needed = `${verb}:repository`
  const { scopes } = actor.credential
  if (!scopeAllows(scopes, needed))
    throw refuse.forbidden(
      `token does not have at least one of required scope(s), required=[${needed}], token scope=${[...scopes].join(",")}`,
    )
}

/**
 * The repository, for somebody who wants to fetch from it.
 * Refuses `notFound` for what is missing, hidden or without readable code, `forbidden` where its owner is not active; throws `Renamed`.
 */
export async function admitFetch(services: Services, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  requireGitUse(services, actor, "read")
  if (services.config.security.requireSignIn && actor.kind === "anonymous") throw refuse.notFound(NOT_FOUND)
  const found = await reachable(services.database.read, actor, owner, name)
  requireActiveOwner(found)
  return found
}

/**
 * The repository, for somebody who wants to push to it. What an archived repository refuses it refuses before anybody signs in: git would ask
 * for a password only to say no. Refuses like `admitFetch`, `unauthenticated` where pushing takes a sign-in, `forbidden` where nothing may be pushed.
 */
export async function admitPush(
  services: Services,
  actor: Actor,
  owner: string,
  name: string,
): Promise<OnRepository & { readonly pusher: SignedIn }> {
  requireGitUse(services, actor, "write")
  const found = await reachable(services.database.read, actor, owner, name)
  requireActiveOwner(found)
  if (found.repository.is_archived === 1) throw refuse.forbidden(ARCHIVED)
  if (actor.kind === "anonymous") throw refuse.unauthenticated()
  if (found.repository.is_mirror === 1) throw refuse.forbidden(MIRROR)
  if (codeMode(found) < Mode.write && (await maintainedBranches(services.database.read, actor, found)).size === 0)
    throw refuse.forbidden(NO_WRITE)
  return { ...found, pusher: actor }
}

async function reachable(db: Handle, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  const found = await locateRepository(db, actor, owner, name)
  if (codeMode(found) < Mode.read) throw refuse.notFound(NOT_FOUND)
  return found
}

function requireActiveOwner({ owner }: OnRepository): void {
  if (owner.kind === "person" && owner.is_active === 0)
    throw refuse.forbidden("Repository cannot be accessed: the account of its owner is not active.")
}

/** Whether an error says that the thing is missing, or may not be known of. */
export const isMissing = (error: unknown): boolean => error instanceof Refusal && error.kind === "notFound"
