import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { scopeAllows } from "../../../access/scopes.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { findReleaseOfTag } from "../tags/releases-store.ts"
import { findRelease, type Release } from "./store.ts"

/** Whether the caller sees drafts: with write access to releases, and a token whose scope allows writing. */
export function seesDrafts(actor: Actor, { permission, repository }: OnRepository): boolean {
  if (actor.kind === "anonymous") return false
  if (permission.mode < Mode.admin && unitMode(permission, repository, "repo.releases") < Mode.write) return false
  return actor.credential.kind !== "token" || scopeAllows(actor.credential.scopes, "write:repository")
}

/** Returns the release. Refuses `notFound` if it is missing or hidden from the caller. */
export function admitRelease(actor: Actor, on: OnRepository, release: Release | undefined): Release {
  if (!release || release.repository_id !== on.repository.id || (release.is_draft === 1 && !seesDrafts(actor, on))) throw refuse.notFound()
  return release
}

interface Call extends OnRepository {
  readonly db: Handle
  readonly actor: Actor
}

/** The release of that id in the repository. Refuses like `admitRelease`. */
export const locateRelease = async ({ db, actor, ...on }: Call, id: number): Promise<Release> =>
  admitRelease(actor, on, id === 0 ? undefined : await findRelease.first(db, { repositoryId: on.repository.id, id }))

/** The release of a tag. Refuses like `admitRelease`. */
export const locateReleaseOfTag = async ({ db, actor, ...on }: Call, tagName: string): Promise<Release> =>
  admitRelease(actor, on, await findReleaseOfTag.first(db, { repositoryId: on.repository.id, tagName }))
