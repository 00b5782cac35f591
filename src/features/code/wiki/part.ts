import { Mode } from "../../../access/modes.ts"
import { unitEnabled } from "../../../access/permission.ts"
import { locateRepository, type OnRepository } from "../../../access/policies/repositories.ts"
import { wikiMode } from "../../../access/policies/wiki.ts"
import type { Actor, SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { admitPusher, NOT_FOUND, requireActiveOwner, requireGitUse } from "../pushes/admission.ts"
import type { Address } from "../pushes/follow.ts"
import { code, type Part } from "../pushes/part.ts"
import { pushToWiki } from "./push.ts"
import { openWiki } from "./repository.ts"

const DISABLED = t("repository wiki is disabled")
const ENDING = /\.wiki$/i

/** Which git repository an address names, and the address of the repository that it belongs to. No repository's own name ends in `.wiki`. */
export function partAt({ owner, name }: Address): { readonly part: Part; readonly address: Address } {
  if (!ENDING.test(name)) return { part: code, address: { owner, name } }
  return { part: wiki, address: { owner, name: name.replace(ENDING, "") } }
}

const wiki: Part = {
  admitFetch,
  admitPush,
  open: openWiki,
  push: (services, { pusher, repository }, request) => pushToWiki(services, pusher, repository, request),
  isCreatedByPush: false,
}

/**
 * Admits a fetch of a wiki. Refuses `notFound` if the repository is missing or hidden or its wiki is not readable, `forbidden` if the wiki is switched off or its
 * owner is not active; throws `Renamed`.
 */
async function admitFetch(services: Services, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  await requireGitUse(services, actor, "read")
  if (services.config.security.requireSignIn && actor.kind === "anonymous") throw refuse.notFound(NOT_FOUND)
  const found = await locateRepository(services.database.read, actor, owner, name)
  requireActiveOwner(found)
  requireOn(found)
  if (wikiMode(found) < Mode.read) throw refuse.notFound(NOT_FOUND)
  return found
}

/**
 * Admits a push to a wiki, in the order of `admitPush` for code. Refuses like `admitFetch`, `notFound` also for those who may only read, `unauthenticated` if the caller
 * isn't signed in, `forbidden` if nothing may be pushed.
 */
async function admitPush(
  services: Services,
  actor: Actor,
  owner: string,
  name: string,
): Promise<OnRepository & { readonly pusher: SignedIn }> {
  const found = await admitPusher(services, actor, () => locateRepository(services.database.read, actor, owner, name))
  requireOn(found)
  if (wikiMode(found) < Mode.write) throw refuse.notFound(NOT_FOUND)
  return found
}

function requireOn({ repository }: OnRepository): void {
  if (!unitEnabled(repository, "repo.wiki")) throw refuse.forbidden(DISABLED)
}
