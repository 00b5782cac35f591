import type { FastifyRequest } from "fastify"
import type { OnPackages } from "../../access/policies/packages.ts"
import { locatePackages, requirePackageWriter } from "../../access/policies/packages.ts"
import { scopeAllows } from "../../access/scopes.ts"
import { type Actor, isPublicOnly } from "../../core/actor.ts"
import { type Refusal, Refusal as RefusalClass, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { requireNoTask } from "../../core/task-token.ts"
import type { Route } from "../../features/packages/packages/registry.ts"
import { callerOf } from "../routing/callers.ts"

/** Who may speak to a registry. */

export interface Admitted extends OnPackages {
  readonly actor: Actor
}

export const scopeFor = (needs: Route["needs"]): string => `${needs}:package`

/**
 * Finds the owner of the packages and the caller's rights. Refuses `unauthenticated` anonymous callers who need more than they have, also where the
 * owner is hidden or missing, so that tools send their credentials; `notFound` others for these; `forbidden` a token without the scope, and
 * callers without the right.
 */
export async function admit(services: Services, request: FastifyRequest, owner: string, needs: Route["needs"]): Promise<Admitted> {
  const actor = await callerOf(services, request)
  requireScope(actor, needs)
  requireNoTask(actor)
  const isAnonymous = actor.kind === "anonymous"
  if (isAnonymous && services.config.security.requireSignIn) throw missing(needs)
  const found = await locatePackages(services.database.read, actor, owner).catch((error: unknown) => {
    throw isAnonymous && error instanceof RefusalClass && error.kind === "notFound" ? missing(needs) : error
  })
  if (needs === "write" && isAnonymous) throw missing(needs)
  if (needs === "write") requirePackageWriter(found)
  return { ...found, actor }
}

const missing = (needs: Route["needs"]): Refusal =>
  refuse.unauthenticated(`sign in with a password or a token; a token needs the scope ${scopeFor(needs)}`)

function requireScope(actor: Actor, needs: Route["needs"]): void {
  if (actor.kind === "anonymous" || actor.credential.kind !== "token") return
  const { scopes } = actor.credential
  if (scopeAllows(scopes, scopeFor(needs))) return
  const limited = isPublicOnly(actor) ? ", and is limited to what is public" : ""
  throw refuse.forbidden(`the token lacks the scope ${scopeFor(needs)}${limited}`, { scope: scopeFor(needs) })
}
