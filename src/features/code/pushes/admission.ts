import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { locateRepository, type OnRepository } from "../../../access/policies/repositories.ts"
import { scopeAllows } from "../../../access/scopes.ts"
import { type Actor, deployKeyOf, isReadOnlyKey, type SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { key } from "../../../core/language/message.ts"
import { isChosenRepository } from "../../../core/limited-token.ts"
import type { Services } from "../../../core/services.ts"
import { requireTaskGit } from "../../../core/task-token.ts"
import { requireUsable } from "../../people/sign-in/authenticate.ts"
import { maintainedBranches } from "./maintainer-edits.ts"
import { whyNoOffers } from "./offers.ts"

/** Admission of fetches and pushes, the same for HTTP and SSH. The checks are in `access/`; this file has their order and messages. */

export const NOT_FOUND = key("Repository not found")
export const ARCHIVED = key("This repository is archived: it can be read, but not changed.")
export const MIRROR = key("mirror repository is read-only")
export const READ_ONLY_KEY = key("this key may only read")
export const NO_WRITE = key("User permission denied for writing.")

/** The mode on the code unit: if the unit is switched off, administrators still have access. */
export const codeMode = ({ permission, repository }: OnRepository): number => unitModeOrAdmin(permission, repository, "repo.code")

/** Refuses `forbidden` for restricted accounts, for keys that may only read, and for tokens without the repository scope or that were made for something else. */
export async function requireGitUse(services: Services, actor: Actor, verb: "read" | "write"): Promise<void> {
  // Deploy keys keep working while the owner has to change their password.
  if (!deployKeyOf(actor)) await requireUsable(services, actor)
  if (verb === "write" && isReadOnlyKey(actor)) throw refuse.forbidden(READ_ONLY_KEY)
  if (actor.kind === "anonymous" || actor.credential.kind !== "token") return
  const needed = `${verb}:repository`
  const { scopes } = actor.credential
  if (!scopeAllows(scopes, needed))
    throw refuse.forbidden(
      `token does not have at least one of required scope(s), required=[${needed}], token scope=${[...scopes].join(",")}`,
    )
  await requireTaskGit(actor, verb === "read" ? "git.fetch" : "git.push")
}

/**
 * Admits a fetch and returns its repository.
 * Refuses `notFound` if it is missing, hidden or its code is not readable, `forbidden` if its owner is not active; throws `Renamed`.
 */
export async function admitFetch(services: Services, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  await requireGitUse(services, actor, "read")
  if (services.config.security.requireSignIn && actor.kind === "anonymous") throw refuse.notFound(NOT_FOUND)
  const found = await reachable(services.database.read, actor, owner, name)
  requireActiveOwner(found)
  return found
}

/** A repository that the caller may push to. */
export type Admitted = OnRepository & { readonly pusher: SignedIn }

/**
 * Admits a push and returns its repository. Archived repositories are refused before sign-in: git would ask
 * for a password for nothing. Refuses like `admitFetch`, `unauthenticated` if the caller isn't signed in, `forbidden` if nothing may be pushed.
 */
export async function admitPush(services: Services, actor: Actor, owner: string, name: string): Promise<Admitted> {
  const found = await admitReader(services, actor, owner, name)
  await requireWriter(services, found)
  return found
}

/** The same for callers who may only offer commits, too; what they push to other references is refused later, reference by reference. */
export async function admitPushOrOffer(services: Services, actor: Actor, owner: string, name: string): Promise<Admitted> {
  const found = await admitReader(services, actor, owner, name)
  if (whyNoOffers(found) !== undefined || !isChosenRepository(actor, found.repository)) await requireWriter(services, found)
  return found
}

const admitReader = (services: Services, actor: Actor, owner: string, name: string): Promise<Admitted> =>
  admitPusher(services, actor, () => reachable(services.database.read, actor, owner, name))

async function requireWriter({ database }: Services, found: Admitted): Promise<void> {
  if (codeMode(found) < Mode.write && (await maintainedBranches(database.read, found.pusher, found)).size === 0)
    throw refuse.forbidden(NO_WRITE)
}

/** A caller who may push to one of the git repositories that `locate` finds must be signed in, and nothing be in the way; their rights are left to the caller. */
export async function admitPusher(services: Services, actor: Actor, locate: () => Promise<OnRepository>): Promise<Admitted> {
  await requireGitUse(services, actor, "write")
  const found = await locate()
  requireActiveOwner(found)
  if (found.repository.is_archived === 1) throw refuse.forbidden(ARCHIVED)
  if (actor.kind === "anonymous") throw refuse.unauthenticated()
  if (found.repository.is_mirror === 1) throw refuse.forbidden(MIRROR)
  return { ...found, pusher: actor }
}

async function reachable(db: Handle, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  const found = await locateRepository(db, actor, owner, name)
  if (codeMode(found) < Mode.read) throw refuse.notFound(NOT_FOUND)
  return found
}

/** Refuses `forbidden` where the owner is a person whose account is not active. */
export function requireActiveOwner({ owner }: OnRepository): void {
  if (owner.kind === "person" && owner.is_active === 0)
    throw refuse.forbidden("Repository cannot be accessed: the account of its owner is not active.")
}

/** Whether an error is a `notFound` refusal, for a missing or hidden thing. */
export const isMissing = (error: unknown): boolean => error instanceof Refusal && error.kind === "notFound"
